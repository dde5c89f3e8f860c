"""Which blocks of a web page are its text: blocks in, the kind of each out ("" is text).

First what the elements around a block say (``nav``, ``footer``, roles, the usual class names), then
where the main text is (``article``, ``main``, the usual names), then the block itself: short and
mostly links, a cookie notice, a copyright line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fabula.text.io.readers.html.blocks import Block

__all__ = ["kinds_of", "mark"]

_TAGS = re.compile(r"nav|footer|form|button|dialog|menu|noscript|iframe|textarea")
_ROLES = re.compile(
    r"navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar|toolbar"
)
# Never the text of a page, whatever is inside.
_NOTICE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|comments?|disqus|respond|screen-reader\S*|"
    r"visually-hidden|sr-only)(?:$|[\s_-])",
    re.IGNORECASE,
)
# Mostly not, but a whole page may stand in a "banner-layout".
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|breadcrumbs?|footer|colophon|masthead|side-?bar|"
    r"cmp|banner|popup|modal|overlay|newsletter|subscri(?:be|ption)|"
    r"sign-?up|paywall|share|sharing|social|follow|related|recommend(?:ed|ations)?|"
    r"more-(?:on|from|stories)|read-(?:more|next)|trending|popular|most-(?:read|viewed)|"
    r"promo(?:tion)?|ads?|advert\w*|sponsor\w*|outbrain|taboola|tags?(?!-)|"
    r"pagination|pager|skip-?(?:link|to)?\w*|copyright|"
    r"legal|widget|toc|infobox|navbox|editsection|reflist|catlinks|author-(?:bio|box|info)|"
    r"user-?menu|search(?:-?form|-?box)?|toolbar|topbar|site-(?:header|footer|nav)|"
    r"page-?(?:header|footer)|global-(?:header|footer))(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAIN_NAMES = re.compile(
    r"(?:^|[\s_-])(?:article(?:-|__|_)?(?:body|content|text)|"
    r"(?:entry|post|story|page|body)-?content|(?:post|story|article|entry)-?body|story-?text|"
    r"hentry|h-entry|type-post|mw-parser-output|available-content|rich-?text|caas-body)(?:$|[\s_-])",
    re.IGNORECASE,
)
_BYLINE_NAMES = re.compile(r"(?:^|[\s_-])(?:byline|author|contributor)(?:$|[\s_-])", re.IGNORECASE)
_CAPTION_NAMES = re.compile(r"(?:^|[\s_-])(?:caption|credit)(?:$|[\s_-])", re.IGNORECASE)
_NOTICE = re.compile(
    r"^\W*(?:©|\(c\)|copyright\b)|\ball rights reserved\b|"
    r"\b(?:we|site|website) (?:and our partners )?uses? cookies\b|"
    r"\b(?:accept|reject|manage|allow) (?:all )?cookies\b|"
    r"\bcookie (?:policy|settings|preferences|notice)\b|\bby continuing to (?:use|browse)\b|"
    r"\bprivacy (?:policy|notice)\b|\bterms (?:of (?:use|service)|and conditions)\b",
    re.IGNORECASE,
)
# Of short blocks: what they begin with.
_FURNITURE = re.compile(
    r"^\W*(?:share(?: this| on| via|d)?\b|follow us\b|subscribe\b|sign (?:up|in)\b|log in\b|"
    r"register\b|skip to\b|read more\b|see also:?$|most (?:read|popular|viewed)\b|"
    r"related (?:articles?|stories|topics|content)\b|more (?:on|from) (?:this|the|our)\b|"
    r"advertisements?$|sponsored\b|print(?: this)?$|e-?mail(?: this)?$|copy link|facebook$|"
    r"twitter$|whatsapp$|linkedin$|comments?\b.{0,12}$|leave a (?:reply|comment)|"
    r"\d+ (?:comments?|shares?|min(?:ute)?s? read)\b|tags?:|filed under|posted in|home$|menu$|"
    r"search$|close$|back to top|next(?: article| post)?\W*$|previous(?: article| post)?\W*$|"
    r"image source|getty images$|download (?:the|our) app|watch:|listen:)",
    re.IGNORECASE,
)
_BYLINE = re.compile(
    r"(?:written |reported |posted )?by (?-i:[A-Z])[\w.'’-]+.{0,90}", re.IGNORECASE
)
_PUBLISHED = re.compile(
    r"(?:first |last )?(?:published|updated|posted|modified)\b.{0,80}|"
    r"(?:\w{3,9},? )?\d{1,2} \w{3,9},? \d{4}(?:,? .{0,30})?|\w{3,9} \d{1,2},? \d{4}(?:,? .{0,30})?|"
    r"\d+ (?:minutes?|hours?|days?) ago",
    re.IGNORECASE,
)
_LINKED = 0.55  # of the characters of a short block
_SHORT = 30  # words
_ENOUGH = 40  # words in the main text


def mark(node: Any) -> str:
    """What an element says of its text: ``boilerplate``, ``main``, ``header``, ``caption`` ..."""
    attributes, tag = node.attributes, node.tag
    style = (attributes.get("style") or "").replace(" ", "").lower()
    if "hidden" in attributes or "display:none" in style or attributes.get("aria-hidden") == "true":
        return "never"
    role = (attributes.get("role") or "").strip().lower()
    names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}".strip()
    if tag in ("html", "body"):
        return ""
    if _TAGS.fullmatch(tag) or _ROLES.fullmatch(role) or _NOTICE_NAMES.search(names):
        return "never"
    if tag in ("article", "main") or role in ("main", "article"):
        return "main"
    if attributes.get("itemprop") == "articleBody" or _MAIN_NAMES.search(names):
        return "main"
    if tag == "figcaption" or _CAPTION_NAMES.search(names):
        return "caption"
    if tag in ("header", "aside"):
        return str(tag)
    if attributes.get("rel") == "author" or attributes.get("itemprop") == "author":
        return "byline"
    if _BYLINE_NAMES.search(names):
        return "byline"
    return "boilerplate" if _NAMES.search(names) else ""


def kinds_of(blocks: Sequence[Block]) -> list[str]:
    """ "" for the text of a page; for others ``boilerplate``, ``caption`` or ``byline``.

    A page of which nothing would be left keeps what its elements do not rule out, or all.
    """
    around = [_around(block) for block in blocks]
    itself = [_itself(block) for block in blocks]
    words = [len(block.text.split()) for block in blocks]
    main = [not kind and "main" in block.marks for kind, block in zip(around, blocks, strict=True)]
    in_main = sum(count for count, inside in zip(words, main, strict=True) if inside)
    allowed = sum(count for count, kind in zip(words, around, strict=True) if not kind)
    limited = in_main >= _ENOUGH or 2 * in_main >= allowed > 0
    kinds = []
    for kind, own, inside in zip(around, itself, main, strict=True):
        outside = "boilerplate" if limited and not inside else ""
        kinds.append(kind or outside or own)
    for fallback in (around, itself, [""] * len(blocks)):
        if not any(kind == "" and block.text for kind, block in zip(kinds, blocks, strict=True)):
            kinds = list(fallback)
    return kinds


def _around(block: Block) -> str:
    """What the elements around a block say; the main text may stand inside what looks like none."""
    inside, found = False, ""
    for name in block.marks:
        if name == "never":
            return "boilerplate"
        if name == "main":
            inside, found = True, ""
        elif name in ("boilerplate", "aside") or (name == "header" and not inside):
            found = "boilerplate"
        elif name in ("caption", "byline") and not found:
            found = name
    return found if found != "byline" or len(block.text.split()) < _SHORT else ""


def _itself(block: Block) -> str:
    text = block.text
    words = len(text.split())
    if words >= 3 * _SHORT:
        return ""
    if _NOTICE.search(text) and words < 60:
        return "boilerplate"
    heading = re.fullmatch(r"h[1-6]", block.tag) is not None
    if words < _SHORT and block.linked > _LINKED * len(text) and not heading:
        return "boilerplate"
    if words < 12 and _FURNITURE.search(text):
        return "boilerplate"
    if words < 16 and not heading and (_BYLINE.fullmatch(text) or _PUBLISHED.fullmatch(text)):
        return "byline"
    return "" if re.search(r"\w", text) else "boilerplate"
