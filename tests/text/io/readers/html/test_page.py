"""Web pages in the layouts that news sites, blogs, wikis and old sites are written in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text.io.readers.files import put, read

from fabula.text.io.readers.html.blocks import blocks_of, parse

FIRST = "A freight train left the rails near Holt on Tuesday, and two wagons fell into the canal."
SECOND = "Nobody was hurt, the railway said, but the line to the coast stays closed until Friday."
THIRD = "Divers will look for the second engine driver’s bag, which went down with the wagons."
HEADLINE = "Freight train falls into canal"

PAGES = {
    "broadcaster": f"""<!DOCTYPE html><html><head><title>{HEADLINE} - County News</title>
<meta property="og:title" content="{HEADLINE}"><meta property="og:site_name" content="County News">
<script type="application/ld+json">{{"@context": "https://schema.org",
"@type": "ReportageNewsArticle", "headline": "x", "datePublished": "2024-03-12T18:04:11.000Z",
"author": [{{"@type": "Person", "name": "Ann Lee"}}]}}</script></head><body>
<div id="cookiePrompt" class="ssrcss-1qv"><h2>Let us know you agree to cookies</h2><p>We use cookies
to give you the best online experience.</p><button>Yes, I agree</button></div>
<header role="banner"><a href="#main">Skip to content</a><nav><ul><li><a href="/">Home</a><li>
<a href="/sport">Sport</a></ul></nav></header>
<main id="main-content"><article class="ssrcss-pv1"><header><h1>{HEADLINE}</h1>
<div data-component="byline-block">By Ann Lee</div>
<time datetime="2024-03-12T18:04:11.000Z">12 March
2024</time></header><figure><img src="a.jpg"><figcaption>Image caption, The canal at Holt
</figcaption></figure>
<div data-component="text-block"><p>{FIRST}</p></div>
<div class="ssrcss-ads ad-slot">Advertisement</div>
<div data-component="text-block"><p>{SECOND}</p><p>{THIRD}</p></div>
<section data-component="links-block" class="related-topics"><h2>Related topics</h2><ul><li>
<a href="/t/rail">Rail travel</a></ul></section></article></main>
<footer><p>© 2024 County News. The County is not responsible for external sites.</p></footer>
</body></html>""",
    "blog": f"""<html><head><title>{HEADLINE} | Holt Blog</title>
<meta property="article:published_time" content="2024-03-12T09:00:00+00:00">
<link rel="canonical" href="https://holt.example/train"></head><body class="single post">
<div id="masthead" class="site-header"><div class="menu-main"><a href="/">Home</a>
<a href="/about">About</a></div></div>
<div class="post-17 post type-post status-publish hentry tag-train">
<h1 class="entry-title">{HEADLINE}
</h1><div class="entry-meta">Posted on March 12, 2024 by <a rel="author" href="/a">Ann Lee</a></div>
<div class="entry-content">
<p>{FIRST}</p>
<p>{SECOND}<br><br>{THIRD}</p>
<div class="sharedaddy share-buttons"><h3>Share this:</h3><a href="#">Facebook</a></div></div></div>
<div id="comments" class="comments-area"><p>I live next to the canal and I heard it all night long.
</p></div><div class="widget-area sidebar"><h2>Archives</h2><a href="/2024/03">March 2024</a></div>
<div class="site-info">Copyright 2024 Holt Blog. All rights reserved.</div></body></html>""",
    "old": f"""<html><head><title>{HEADLINE}</title><meta name="date" content="2024-03-12">
<meta name="author" content="Ann Lee"></head>
<body bgcolor=white><table width=100%><tr><td colspan=2><a href="/">Home</a> | <a href="/n">News</a>
</td></tr><tr><td width=120 valign=top><a href="a">Archive</a><br><a href="b">Letters</a></td><td>
<font size=5><b>{HEADLINE}</b></font><p>{FIRST}<p>{SECOND}<p>{THIRD}
<hr><font size=1>(c) 2024 The Holt Courier</font></td></tr></table></body></html>""",
}


@pytest.mark.parametrize("layout", PAGES)
def test_the_text_of_a_page_and_what_is_set_aside(tmp_path, layout):
    path = put(tmp_path, "a.html", PAGES[layout])
    (document,) = read(path)
    bold = (HEADLINE,) if layout == "old" else ()
    assert document.paragraphs in ((FIRST, SECOND, THIRD), (*bold, FIRST, SECOND, THIRD))
    assert (document.title, document.date) == (HEADLINE, "2024-03-12")
    assert (document.extra["byline"], document.extra["date_from"]) == ("Ann Lee", "metadata")
    aside = " ".join(part.text for part in document.aside)
    assert "2024" in aside and "Home" in aside
    kept = f"{document.text} {aside} {document.title}"
    for text in ("cookies", "The canal at Holt", "heard it all", "Letters", "Rail travel"):
        assert (text in kept) == (text in PAGES[layout])
    source = PAGES[layout].split("\n")
    for line, paragraph in zip(document.lines, document.paragraphs, strict=True):
        assert paragraph[:20] in source[line - 1]


def test_the_site_and_address_are_kept(tmp_path):
    (page,) = read(put(tmp_path, "a.html", PAGES["broadcaster"]))
    assert page.extra["site"] == "County News"
    (page,) = read(put(tmp_path, "a.html", PAGES["blog"]))
    assert page.extra["url"] == "https://holt.example/train"


def test_a_table_is_read_row_by_row_and_lines_that_end_stay_apart(tmp_path):
    page = """<p>Timetable</p><table><tr><th>Train<th>Time</tr>
<tr><td>Holt</td><td>10:20</td></tr></table>
<p>10:20 The train left.<br>10:41 Nobody saw it.</p><p>It rose
all<br>night.</p>"""
    (document,) = read(put(tmp_path, "a.html", page))
    assert document.paragraphs == (
        "Timetable",
        "Train | Time",
        "Holt | 10:20",
        "10:20 The train left.",
        "10:41 Nobody saw it.",
        "It rose all night.",
    )
    assert document.lines == (1, 1, 2, 3, 3, 3)


def test_a_page_of_nothing_but_links_keeps_them(tmp_path):
    page = "<ul><li><a href=a>Flood in Holt</a><li><a href=b>Train in canal</a></ul>"
    assert read(put(tmp_path, "a.html", page))[0].paragraphs == ("Flood in Holt", "Train in canal")


def test_a_date_that_is_none_and_json_that_is_none(tmp_path):
    page = """<meta name="date" content="soon"><script type="application/ld+json">{</script>
<script type="application/ld+json">[1, {"@graph": [{"@type": ["NewsArticle"], "author": "Ann"}]}]
</script><p>Text of the page.</p>"""
    (document,) = read(put(tmp_path, "a.html", page))
    assert (document.date, document.extra) == (None, {"byline": "Ann"})


WORD = st.sampled_from(["harbour", "café", "10:20", "the", "a", "Ægir", "R&D", "x<y"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(WORD, min_size=1, max_size=8), st.integers(0, 3)), max_size=8))
def test_the_line_of_a_block_is_where_its_first_word_stands(paragraphs):
    import html

    source, expected = "<body>", []
    for number, (words, breaks) in enumerate(paragraphs):
        source += "\n" * breaks + f"<!-- {number} <p> -->"
        expected.append((source.count("\n") + 1, f"p{number} " + " ".join(words)))
        source += f"<p title='a b'><b>p{number}</b> {html.escape(' '.join(words))}</p>"
    blocks = [(block.line, block.text) for block in blocks_of(parse(source), source)]
    assert blocks == expected
