"""The metadata of a web page: headline, publication date, author, site and address.

Read from JSON-LD (schema.org), Open Graph and other ``meta`` elements, ``time`` and ``rel=author``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any

from fabula.core.safety.checked_json import parse_json
from fabula.text.io.dates import date_in
from fabula.text.io.readers.table import as_date

__all__ = ["page_metadata"]

_log = logging.getLogger(__name__)

_DATES = (
    ('meta[property="article:published_time"]', "content"),
    ('meta[property="og:article:published_time"]', "content"),
    ('[itemprop="datePublished"]', "content"),
    ('[itemprop="datePublished"]', "datetime"),
    ('meta[name="pubdate"]', "content"),
    ('meta[name="publishdate"]', "content"),
    ('meta[name="publish-date"]', "content"),
    ('meta[name="parsely-pub-date"]', "content"),
    ('meta[name="sailthru.date"]', "content"),
    ('meta[name="citation_publication_date"]', "content"),
    ('meta[name="date"]', "content"),
    ('meta[name="DC.date"]', "content"),
    ('meta[name="DC.date.issued"]', "content"),
    ('meta[name="dcterms.created"]', "content"),
    ("article time[datetime]", "datetime"),
    ("main time[datetime]", "datetime"),
    ("time[pubdate]", "datetime"),
    ("time[datetime]", "datetime"),
)
_AUTHORS = (
    'meta[name="author"]',
    'meta[property="article:author"]',
    'meta[name="byl"]',
    'meta[name="parsely-author"]',
)
_ARTICLE = re.compile(r"Article|Report|BlogPosting|NewsItem|LiveBlog|WebPage")
_MOST_JSON = 1 << 20


def page_metadata(tree: Any) -> dict[str, str]:
    """Any of title, date, byline, site and url."""
    linked = _json_ld(tree)
    found = {
        "title": _meta(tree, "og:title") or _string(linked.get("headline")) or _title(tree),
        "date": _date(tree, linked),
        "byline": _author(tree, linked),
        "site": _meta(tree, "og:site_name"),
        "url": _link(tree) or _meta(tree, "og:url"),
    }
    return {name: value for name, value in found.items() if value}


def _json_ld(tree: Any) -> dict[str, Any]:
    """The first object of JSON-LD that describes an article."""
    for node in tree.css('script[type="application/ld+json"]'):
        text = node.text() or ""
        try:
            data = parse_json(text) if len(text) < _MOST_JSON else None
        except (ValueError, RecursionError) as error:
            _log.info("JSON-LD that cannot be read is passed over: %s", error)
            continue
        for thing in _things(data):
            kinds = thing.get("@type")
            kinds = kinds if isinstance(kinds, list) else [kinds]
            if any(isinstance(kind, str) and _ARTICLE.search(kind) for kind in kinds):
                return thing
    return {}


def _things(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        yield data
        data = data.get("@graph")
    if isinstance(data, list) and depth < 3:
        for item in data:
            yield from _things(item, depth + 1)


def _meta(tree: Any, name: str) -> str:
    for key in ("property", "name"):
        node = tree.css_first(f'meta[{key}="{name}"]')
        if node is not None and (text := _string(node.attributes.get("content"))):
            return text
    return ""


def _string(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _title(tree: Any) -> str:
    """The one first-level heading, else the page's title."""
    headings = [" ".join(node.text().split()) for node in tree.css("h1")]
    headings = [heading for heading in headings if heading]
    if len(headings) == 1:
        return headings[0]
    node = tree.css_first("title")
    return " ".join(node.text().split()) if node is not None else ""


def _day(value: Any) -> str | None:
    text = _string(value)
    try:
        return as_date(text)
    except ValueError:
        return date_in(text)


def _date(tree: Any, linked: dict[str, Any]) -> str:
    for key in ("datePublished", "dateCreated"):
        if date := _day(linked.get(key)):
            return date
    for selector, attribute in _DATES:
        node = tree.css_first(selector)
        if node is not None and (date := _day(node.attributes.get(attribute))):
            return date
    return ""


def _author(tree: Any, linked: dict[str, Any]) -> str:
    authors = linked.get("author")
    names = []
    for author in authors if isinstance(authors, list) else [authors]:
        name = _string(author.get("name") if isinstance(author, dict) else author)
        if name and not name.startswith("http"):
            names.append(name)
    if names:
        return ", ".join(names[:10])
    for selector in _AUTHORS:
        node = tree.css_first(selector)
        text = _string(node.attributes.get("content")) if node is not None else ""
        if text and not text.startswith("http"):
            return text
    node = tree.css_first('[rel="author"]')
    return " ".join(node.text().split()) if node is not None else ""


def _link(tree: Any) -> str:
    node = tree.css_first('link[rel="canonical"]')
    return _string(node.attributes.get("href")) if node is not None else ""
