"""Crafted files: archive bombs, damaged containers, false encodings, endless lines, deep nests.

``write_crafted(folder, scale)`` writes them: 100 is the real size, 1 the same kinds, smaller.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}
_OPEN = "http://schemas.openxmlformats.org"
_OFFICE = "application/vnd.openxmlformats"
_DOCX_TYPES = (
    f'<?xml version="1.0"?><Types xmlns="{_OPEN}/package/2006/content-types">'
    f'<Default Extension="rels" ContentType="{_OFFICE}-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" '
    f'ContentType="{_OFFICE}-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_DOCX_RELS = (
    f'<?xml version="1.0"?><Relationships xmlns="{_OPEN}/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_OPEN}/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
_W = f"{_OPEN}/wordprocessingml/2006/main"
TEXTS = {
    "plain": b"The ferry left. The baker rose.\n\nIt sank.\n",
    "empty": b"",
    "spaces": b" \t\n" * 1000,
    "zeros": b"\0" * 1000,
    "utf16": "The ferry left.\nIt sank.".encode("utf-16"),
    "utf16-odd": b"\xff\xfeT\0h\0e",
    "utf32": "The ferry left.".encode("utf-32"),
    "latin": "Caf\xe9 closed. Na\xefve.".encode("latin-1"),
    "surrogates": "One \ud800 two. Three \udfff.".encode("utf-8", "surrogatepass"),
    "overlong": b"One \xc0\x80 \xed\xa0\x80 \xf5\x80\x80\x80. Two.",
    "bidi": "One \u202etxt.exe\u202c two. \u2066Three\u2069.".encode(),
    "escapes": b"One \x1b]0;owned\x07 two. \x1b[2J Three.\r\x08\x7f",
    "controls": bytes(range(1, 32)) + b" One. Two.",
    "bom": b"\xef\xbb\xbf\xef\xbb\xbfOne. Two.",
}
WRONG: list[object] = [None, 1, [], {}, True, [1], "a"]
RUNS = {
    "a": b"a", "equals": b"=", "quotes": b'"', "parens": b"(", "angle": b"<", "amp": b"&",
    "star": b"*", "under": b"_", "hash": b"#", "tick": b"`", "bracket": b"[", "dot": b".",
    "comma": b",", "cr": b"\r", "emoji": "😀".encode(), "nbsp": "\xa0".encode(), "gt": b">",
    "brace": b"{{", "pipe": b"|", "newline": b"\n", "tab": b"\t", "space": b" ",
    "zero-width": "\u200b".encode(), "initials": b"A. ", "asks": b"?!", "dashes": "—".encode(),
}  # fmt: skip
SUFFIXES = (".txt", ".md", ".html", ".eml", ".mbox", ".sgml", ".xml", ".jsonl", ".json", ".csv",
            ".tsv", ".pdf", ".docx", ".parquet")  # fmt: skip


def docx(body: str, **more: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _DOCX_TYPES)
        archive.writestr("_rels/.rels", _DOCX_RELS)
        xml = (
            f'<?xml version="1.0"?><w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
        )
        archive.writestr("word/document.xml", xml)
        for name, data in more.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def pdf(text: str = "Hello. World.", *, extra: bytes = b"") -> bytes:
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode("latin-1", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *([extra] if extra else []),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%s"
        b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (size, table, size, len(out))
    )


def parquet(columns: dict[str, object], **options: object) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


def _bombs(scale: int) -> Iterator[tuple[str, bytes]]:
    """Small files that unpack to much: about two gigabytes at scale 100."""
    size = 20 << 20
    for suffix, pack in PACK.items():
        lines = (b'{"text": "' + b"a" * 1000 + b'"}\n') * 1000
        packed, empty = pack(lines), pack(b"a" * (1 << 20))
        yield f"bomb.txt{suffix}", empty * (size * scale // (1 << 20))
        yield f"bomb.jsonl{suffix}", packed * (size * scale // len(lines))
        yield f"bomb-one-line.json{suffix}", pack(b"[" + b"{}," * (scale * 50_000))
    paragraph = "<w:p><w:r><w:t>a</w:t></w:r></w:p>"
    yield "bomb-paragraphs.docx", docx(paragraph * (scale * 20_000))
    yield "bomb-empty.docx", docx("<w:p/>" * (scale * 100_000))
    yield "bomb-text.docx", docx(f"<w:p><w:r><w:t>{'a' * (scale * 700_000)}</w:t></w:r></w:p>")
    yield "bomb-nested.docx", docx("<w:p>" * (scale * 5_000) + "</w:p>" * (scale * 5_000))
    wide = pa.DictionaryArray.from_arrays([0] * 300, ["x" * (scale * 160_000)])
    yield "bomb-dictionary.parquet", parquet({"text": wide})
    long = ["x" * (scale * 4_000)] * 250
    yield "bomb-values.parquet", parquet({"text": long}, compression="zstd", use_dictionary=False)
    yield "bomb-nulls.parquet", parquet({"text": pa.nulls(scale * 100_000, pa.string())})
    yield "bomb-lists.parquet", parquet({"paragraphs": [["a"] * (scale * 10_000)] * 3})
    entities = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha" * 10}">' for n in range(12)
    )
    for suffix in (".xml", ".html", ".sgml"):
        yield f"entities{suffix}", f"<!DOCTYPE x [{entities}]><x>&e11;</x>".encode()
    yield "external.xml", b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    yield "entities.docx", docx("<w:p><w:r><w:t>&e;</w:t></w:r></w:p>")


def _long(scale: int) -> Iterator[tuple[str, bytes]]:
    """Long lines, long words, many tiny things, deep nests."""
    n = scale * 10_000
    for name, unit in RUNS.items():
        yield f"run-{name}.txt", unit * n
    yield "no-spaces.txt", b"a" * (scale * 400_000)
    yield "no-spaces.md", b"a" * (scale * 150_000)
    yield "one-word-a-line.txt", b"word\n" * n
    yield "paragraphs.txt", b"A b.\n\n" * n
    yield "stars.md", b"*a _b " * n
    yield "quotes.md", b">" * n + b"a"
    yield "links.md", b"[a](" * n
    yield "lists.md", b"".join(b" " * (k % 500) + b"- a\n" for k in range(scale * 500))
    yield "table.md", b"|a|b|\n|-|-|\n" + b"|a|b|\n" * n
    yield "divs.html", b"<div>" * n + b"a"
    yield "spans.html", b"<b>" * n + b"a"
    yield "attributes.html", b"<a " + b'x="y" ' * n + b">a</a>"
    yield "comment.html", b"<!--" * n
    yield "script.html", b"<script>" * n
    yield "doc.sgml", b'<DOC id="' + b"a" * n + b'">\n<TEXT>a</TEXT></DOC>'
    yield "attributes.sgml", b"<DOC " + b"a=" * n + b">\n<TEXT>One.</TEXT></DOC>"
    yield "words.sgml", b"<DOC " + b"a" * n + b">\n<TEXT>One.</TEXT></DOC>"
    yield "tags.sgml", b"<DOC>\n<TEXT>" + b"<P " * n + b"</TEXT></DOC>"
    yield "unclosed.sgml", b"<DOC>\n" * n
    yield "nested.json", b'{"a":' * n
    yield "nested.jsonl", b'{"text": "a", "x": ' + b"[" * n + b"]" * n + b"}\n"
    yield "numbers.json", b"[" + b"1" * n + b"]"
    yield "objects.jsonl", b'{"text": "a", "x": [' + b"{}," * n + b"{}]}\n"
    yield "keys.jsonl", b"{" + b",".join(b'"k%d": 1' % k for k in range(n)) + b', "text": "a"}\n'
    yield (
        "cells.csv",
        b"text," + b",".join(b"c%d" % k for k in range(n)) + b"\na" + b"," * n + b"\n",
    )
    yield "quote.csv", b'text\n"' + b"a" * n
    yield "columns.tsv", b"\t" * n + b"\n"
    yield (
        "parts.eml",
        b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\nx\n" * n + b"--a--",
    )
    nest = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (k, k)
        for k in range(scale * 20)
    )
    yield "nested.eml", nest + b"\nText.\n"
    yield "headers.eml", b"Subject: a\n" * n + b"\nText.\n"
    yield "folded.eml", b"Subject: a\n" + b" b\n" * n + b"\nText.\n"
    yield "encoded.eml", b"Subject: " + b"=?utf-8?q?a?= " * n + b"\n\nText.\n"
    yield "references.eml", b"References: " + b"<a@b> " * n + b"\n\nText.\n"
    yield "from.mbox", b"From a\n\n" * n
    yield "quoted.mbox", b"From a\n\n" + b">" * n + b"From b\n"
    yield "page.xml", b"<mediawiki><page><text>" + b"{{a|" * n + b"</text></page></mediawiki>"
    yield "links.xml", b"<mediawiki><page><text>" + b"[[a|" * n + b"</text></page></mediawiki>"
    yield "tables.xml", b"<mediawiki><page><text>" + b"{|\n" * n + b"</text></page></mediawiki>"
    yield "depth.xml", b"<a>" * n
    yield "objects.pdf", pdf(extra=b"[" * n)
    yield "text.pdf", pdf("a" * n)
    yield "numbers.pdf", pdf(extra=b"<< /Length 99999999999 >>\nstream\n\nendstream")


def _damaged() -> Iterator[tuple[str, bytes]]:
    """Containers that are cut, flipped, empty or something else altogether."""
    whole = {
        ".docx": docx("<w:p><w:r><w:t>One. Two.</w:t></w:r></w:p>"),
        ".pdf": pdf(),
        ".parquet": parquet({"text": ["One. Two.", "Three."], "id": ["a", "b"]}),
        ".jsonl.gz": gzip.compress(b'{"text": "One. Two."}\n' * 20),
        ".txt.xz": lzma.compress(b"One. Two.\n" * 20),
        ".txt.bz2": bz2.compress(b"One. Two.\n" * 20),
        ".txt.zst": pa.compress(b"One. Two.\n" * 20, "zstd", asbytes=True),
    }
    for suffix, data in whole.items():
        yield f"whole{suffix}", data
        yield f"half{suffix}", data[: len(data) // 2]
        yield f"tail{suffix}", data[len(data) // 2 :]
        flipped = bytearray(data)
        for at in range(7, len(data), 97):
            flipped[at] ^= 0x55
        yield f"flipped{suffix}", bytes(flipped)


def _lies() -> Iterator[tuple[str, bytes]]:
    """Every text under every suffix, and what mail and JSON say about surrogates and charsets."""
    for suffix in SUFFIXES:
        for name in ("plain", "zeros", "surrogates", "controls"):
            yield f"{name}{suffix}", TEXTS[name]
    for name, data in TEXTS.items():
        yield f"{name}.text", data
    yield "half.jsonl", b'{"text": "One \\ud800. Two."}\n'
    yield "raw.jsonl", '{"text": "One \ud800. Two."}\n'.encode("utf-8", "surrogatepass")
    yield (
        "header.eml",
        b"Subject: \xff\xfe \xed\xa0\x80\nFrom: \x80@\x81\nDate: \xff\n\n\xff\xfe text.\n",
    )
    yield "charset.eml", b"Content-Type: text/plain; charset=no-such\n\n\xff text.\n"
    yield "utf7.eml", b"Content-Type: text/plain; charset=utf-7\n\n+2AA- text. +AAAA-\n"
    encoded = base64.b64encode("One \ud800 two.".encode("utf-8", "surrogatepass"))
    head = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    yield "base64.eml", head + encoded
    yield (
        "entity.xml",
        b"<mediawiki><page><title>a</title><text>One &amp;#xD800; two.</text></page></mediawiki>",
    )
    yield "entity.html", b"<p>One &#xD800; two &#0; three &#x110000;.</p>"
    yield "meta.html", b"<meta charset=utf-16><p>One.</p>"
    yield "string.pdf", pdf("\\330\\000 lone")
    yield "dates.csv", b"text,date\na,9999-99-99\nb,-1\nc,0000-00-00\n"
    yield (
        "types.jsonl",
        b"".join(json.dumps({"text": value}).encode() + b"\n" for value in WRONG),
    )


def crafted(scale: int) -> Iterator[tuple[str, bytes]]:
    yield from _bombs(scale)
    yield from _long(scale)
    yield from _damaged()
    yield from _lies()


def write_crafted(folder: Path, scale: int) -> list[Path]:
    """Write all crafted files; ``scale`` 1 is for a quick test, 100 for the real sizes."""
    paths = []
    for number, (name, data) in enumerate(crafted(scale)):
        path = folder / f"{number:03d}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        paths.append(path)
    return paths
