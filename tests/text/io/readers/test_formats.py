from __future__ import annotations

import bz2
import json
from email.message import EmailMessage

import pytest
from tests.text.io.readers.files import put, read, refused

from fabula.errors import UsageError
from fabula.text.io.records import Skips, write_records

# tables -------------------------------------------------------------------------------------

ROW = {
    "id": "a1",
    "paragraphs": ["One.", "Two."],
    "title": "T",
    "date": "1994-07-01",
    "category": "flood",
    "wire": "NYT",
}


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.parquet", "a.jsonl.zst"])
def test_tables_of_paragraphs(tmp_path, name):
    path = tmp_path / name
    if name == "a.json":
        path.write_text(json.dumps([ROW]))
    else:
        write_records(path, [ROW])
    (document,) = read(path)
    assert (document.id, document.paragraphs, document.title) == ("a1", ("One.", "Two."), "T")
    assert (document.date, document.category, document.line) == ("1994-07-01", "flood", 1)
    assert (document.source, document.extra) == (str(path), {"wire": "NYT"})
    assert document.lines == ()


@pytest.mark.parametrize(("name", "comma"), [("a.csv", ","), ("a.tsv", "\t")])
def test_tables_of_text(tmp_path, name, comma):
    lines = ["headline,body,when,by", 'H,"One.\n\nTwo.",1994,me', 'I,Three.,"",""']
    path = put(tmp_path, name, "\n".join(lines).replace(",", comma))
    first, second = read(path, columns={"text": "body", "title": "headline", "date": "when"})
    assert (first.id, first.paragraphs, first.title) == ("a:2", ("One.", "Two."), "H")
    assert (first.date, first.extra, first.line) == ("1994", {"by": "me"}, 2)
    assert (second.id, second.date, second.line) == ("a:5", None, 5)


def test_a_rows_own_source_is_kept(tmp_path):
    (document,) = read(put(tmp_path, "a.jsonl", '{"id": 3, "text": "x", "source": "http://a.b"}'))
    assert (document.id, document.source) == ("3", "http://a.b")


BAD_ROWS = [
    ({"body": "x", "id": 1}, "present: body, id"),
    ({"text": " \n"}, "the text is empty"),
    ({"paragraphs": []}, "the text is empty"),
    ({"paragraphs": [1]}, "list of strings"),
    ({"paragraphs": {"a": 1}}, "list of strings"),
    ({"text": "x", "id": [1]}, "'id' must be a string"),
    ({"text": "x", "id": True}, "'id' must be a string"),
    ({"text": "x", "category": 1.5}, "'category' must be a string"),
    ({"text": "x", "date": "1994-02-30"}, "not in the calendar"),
    ({"text": "x", "date": "1994-13"}, "not in the calendar"),
    ({"text": "x", "date": "July 1994"}, "a date is YYYY"),
    ({"text": "x", "date": True}, "a date is YYYY"),
]


@pytest.mark.parametrize(("row", "why"), BAD_ROWS, ids=[why for _, why in BAD_ROWS])
def test_bad_rows_stop_or_are_counted(tmp_path, row, why):
    good = json.dumps(ROW)
    path = put(tmp_path, "a.jsonl", f"{good}\n{json.dumps(row)}\n{good}\n")
    message = refused(path)
    assert "a.jsonl:2: " in message
    assert why in message
    skips = Skips()
    assert len(read(path, lenient=skips)) == 2
    assert skips.total == 1


def test_columns_are_checked(tmp_path):
    path = put(tmp_path, "a.csv", "id,text\n1,x\n")
    with pytest.raises(UsageError, match="'body' is not a field"):
        read(path, columns={"body": "text"})
    assert "a.csv:2: no column 'day' (for 'date'); present: id, text" in refused(
        path, columns={"date": "day"}
    )
    loose = put(tmp_path, "a.jsonl", '{"text": "x"}')
    assert read(loose, columns={"date": "day"})[0].date is None


# markup -------------------------------------------------------------------------------------

MARKDOWN = """---
layout: post
---
# The *flood*

It **rose** all [night](http://a.b)
and `ran` over.

## After

- one ![x](y.png)
- two

```python
code()
```

| a | b |
|---|---|
| 1 | 2 |

> quoted <b>text</b>
<!-- gone -->
"""


def test_markdown(tmp_path):
    (document,) = read(put(tmp_path, "a.md", MARKDOWN))
    assert document.title == "The flood"
    assert document.paragraphs == (
        "It rose all night\nand ran over.",
        "After",
        "one",
        "two",
        "a | b",
        "1 | 2",
        "quoted text",
    )
    assert document.lines == (6, 9, 11, 12, 18, 20, 22)
    aside = [(part.kind, part.text, part.line) for part in document.aside]
    assert aside == [
        ("header", "---\nlayout: post\n---", 1),
        ("caption", "x", 11),
        ("markup", "code()", 14),
        ("markup", "<!-- gone -->", 23),
    ]


def test_the_front_matter_of_markdown(tmp_path):
    text = '---\ntitle: "Flood"\ndate: 2024-03-12\nauthor: Ann\n---\n# Flood\n\nIt rose.\n'
    (document,) = read(put(tmp_path, "a.md", text))
    assert (document.title, document.date, document.paragraphs) == (
        "Flood",
        "2024-03-12",
        ("It rose.",),
    )
    assert document.extra == {"byline": "Ann", "date_from": "metadata"}


HTML = """<html><head><title>The  flood</title>
<meta property="article:published_time" content="1994-07-01T10:00:00Z">
<style>p {}</style></head><body><nav>Home</nav><h1>The flood</h1>
<p>It <b>rose</b> all<br>night.<script>x()</script></p><ul><li>one<li>two &amp; three</ul>
<div>loose <p>inner</p> end</div></body></html>"""


def test_html(tmp_path):
    (document,) = read(put(tmp_path, "a.html", HTML))
    assert (document.title, document.date) == ("The flood", "1994-07-01")
    assert document.paragraphs == (
        "It rose all night.",
        "one",
        "two & three",
        "loose",
        "inner",
        "end",
    )


def test_html_says_its_charset(tmp_path):
    page = b'<meta charset="windows-1252"><p>caf\xe9</p>'
    assert read(put(tmp_path, "a.htm", page))[0].paragraphs == ("café",)
    undeclared = put(tmp_path, "b.htm", b"<p>\ncaf\xe9</p>")
    assert read(undeclared)[0].paragraphs == ("café",)
    assert "b.htm:2: byte 0xE9" in refused(undeclared, encoding="utf-8")


def test_html_that_nests_without_end_is_refused(tmp_path):
    assert "left open" in refused(put(tmp_path, "a.html", "<div>" * 50_000))


# newswire -----------------------------------------------------------------------------------

NEWSWIRE = """<DOC id="NYT_ENG_19940701.0001" type="story" >
<HEADLINE>
RIVER &AMP; TOWN
</HEADLINE>
<DATELINE>
BONN (AP)
</DATELINE>
<TEXT>
<P>
The AT&T man said
5 &lt; 6.
</P>
<P>
Two.
</P>
</TEXT>
</DOC>
<DOC id="NYT_ENG_19941399.0002" type="other">
<TEXT>
Loose.

Text.
</TEXT>
</DOC>
<DOC><DOCNO> X1 </DOCNO><TEXT>One line.</TEXT></DOC>
<DOC id="e" type="other"><TEXT></TEXT></DOC>
"""


def test_newswire(tmp_path):
    first, second, third = read(put(tmp_path, "a.sgml", NEWSWIRE))
    assert (first.id, first.date, first.category) == (
        "NYT_ENG_19940701.0001",
        "1994-07-01",
        "story",
    )
    assert (first.title, first.extra) == ("RIVER & TOWN", {"dateline": "BONN (AP)"})
    assert first.paragraphs == ("The AT&T man said\n5 < 6.", "Two.")
    assert (first.line, first.lines) == (1, (10, 14))
    assert (second.date, second.paragraphs, second.lines) == (None, ("Loose.", "Text."), (20, 22))
    assert (third.id, third.paragraphs, third.line) == ("X1", ("One line.",), 25)


def test_newswire_that_is_cut(tmp_path):
    cut = put(tmp_path, "a.sgml", NEWSWIRE[:150])
    assert "a.sgml:1: this <DOC> is not closed" in refused(cut)
    open_twice = put(tmp_path, "b.sgml", "<DOC id='a'>\n" + NEWSWIRE)
    assert "b.sgml:1: this <DOC> is not closed" in refused(open_twice)
    skips = Skips()
    assert len(read(open_twice, lenient=skips)) == 3
    assert skips.total == 2  # the open one, and the one without text


# wiki ---------------------------------------------------------------------------------------

WIKI = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">
  <page><title>Old</title><ns>0</ns><id>1</id><redirect title="Rhine" />
    <revision><text>#REDIRECT [[Rhine]]</text></revision></page>
  <page><title>Talk:Rhine</title><ns>1</ns><id>2</id>
    <revision><text>chat</text></revision></page>
  <page>
    <title>Rhine</title><ns>0</ns><id>3</id>
    <revision><id>99</id><timestamp>2016-01-01T00:00:00Z</timestamp>
      <contributor><id>7</id></contributor>
      <text>{{Infobox | a = {{b|[[c]]}} }}
[[File:R.jpg|thumb|The [[river]] in May]]
The '''Rhine''' ({{IPA|x}}) is a [[river|stream]] in
[[Germany]]&lt;ref name="a"&gt;{{cite}}&lt;/ref&gt;
of &lt;small&gt;1,230&amp;nbsp;km&lt;/small&gt; {{convert|1|km}},
see [http://a.b here].&lt;!-- {{ --&gt;

{| class="x"
| cell || {{t}}
|}
== Course ==
* It starts in [[Switzerland]].
* It ends.
== References ==
&lt;references/&gt;
* Book.
=== Notes ===
Note.
== Trade ==
Ships.
[[Category:Rivers of Europe]]
[[Category:Borders|x]]
[[de:Rhein]]</text></revision></page>
  <page><title>Empty</title><ns>0</ns><id>4</id><revision><text>{{x}}</text></revision></page>
</mediawiki>
"""


def test_wiki_dump(tmp_path):
    skips = Skips()
    (document,) = read(put(tmp_path, "wiki.xml", WIKI), lenient=skips)
    assert (document.id, document.title, document.line) == ("3", "Rhine", 6)
    assert document.paragraphs == (
        "The Rhine is a stream in\nGermany\nof 1,230 km,\nsee here.",
        "It starts in Switzerland.",
        "It ends.",
        "Ships.",
    )
    assert (document.date, document.category) == (None, "Rivers of Europe")
    assert document.extra == {
        "categories": ["Rivers of Europe", "Borders"],
        "revised": "2016-01-01T00:00:00Z",
    }
    assert skips.total == 1  # the empty page
    assert read(put(tmp_path, "w.xml-p1p9.bz2", bz2.compress(WIKI.encode())))


def test_wiki_dumps_that_are_not_right(tmp_path):
    assert "a.xml:1: not a MediaWiki dump: it begins with <rss>" in refused(
        put(tmp_path, "a.xml", "<rss></rss>")
    )
    assert "b.xml:14: not well-formed XML" in refused(
        put(tmp_path, "b.xml", "".join(WIKI.splitlines(True)[:13]))
    )
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><mediawiki>&b;</mediawiki>'
    assert "c.xml:1: a DOCTYPE is not allowed" in refused(put(tmp_path, "c.xml", laughs))
    endless = "<mediawiki><page " + "a" * 3_000_000
    assert "d.xml:1: a tag of more than 1 MB" in refused(put(tmp_path, "d.xml", endless))


@pytest.mark.parametrize(
    "hostile",
    ["{{", "[[", "<ref>", "<!--", "[[File:", "{{a|[[", "}}", "[http://a ", "(", "\t", "<b>"],
)
def test_tangled_wikitext_takes_linear_time(hostile):
    from fabula.text.io.readers.wikitext import paragraphs_of_wikitext

    paragraphs_of_wikitext(hostile * 20_000)  # a quadratic pass would take minutes


# mail ---------------------------------------------------------------------------------------


def message(text: str = "One.\n\nTwo.\n", html: str | None = None) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Flüsse", "Ann <ann@a.b>"
    mail["Date"] = "Fri, 01 Jul 1994 10:00:00 +0000"
    if text:
        mail.set_content(text)
    if html:
        mail.add_alternative(html, subtype="html")
    return mail


def test_mail(tmp_path):
    plain = message(text="Käse.\n\nTwo.\n", html="<p>HTML</p>").as_bytes()
    (document,) = read(put(tmp_path, "a.eml", plain))
    assert (document.title, document.date) == ("Flüsse", "1994-07-01")
    assert document.paragraphs == ("Käse.", "Two.")
    assert document.extra["from"] == "Ann <ann@a.b>"
    (document,) = read(put(tmp_path, "b.eml", message(text="", html="<p>A &amp; b").as_bytes()))
    assert document.paragraphs == ("A & b",)
    odd = b"Subject: =?x-none?q?a?=\nContent-Type: text/plain; charset=x-none\n\ncaf\xe9\n"
    (document,) = read(put(tmp_path, "c.eml", odd))
    assert document.paragraphs == ("café",)  # a charset that is unknown is detected
    assert document.date is None


def test_mbox(tmp_path):
    box = b"From ann Fri Jul  1 10:00:00 1994\n" + message().as_bytes()
    box += b"\nFrom bob Fri Jul  1 10:00:00 1994\nSubject: b\n\nHe said:\n\n>From here on.\n"
    box += b"\nFrom eve Fri Jul  1 10:00:00 1994\nContent-Type: image/png\n\nAAAA\n"
    path = put(tmp_path, "box.mbox", box)
    first, second = read(path)
    assert (first.id, first.title, first.line) == ("box:2", "Flüsse", 2)
    assert second.paragraphs == ("He said:", "From here on.")
    skips = Skips()
    assert len(read(path, lenient=skips)) == 2
    assert skips.total == 1
    assert "a.mbox:2: not an mbox" in refused(put(tmp_path, "a.mbox", "\nhello\n"))
