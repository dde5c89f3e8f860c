from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from fabula.errors import FabulaError, InputError, UsageError
from fabula.text.io.records import (
    Skips,
    iter_lines,
    meta_path,
    open_bytes,
    read_records,
    write_records,
)

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(path: Path | str, **options: Any) -> list[tuple[int, dict[str, Any]]]:
    return [(record.line, record.data) for record in read_records(path, **options)]


def refused(path: Path | str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        rows(path, **options)
    return str(caught.value)


# opening ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", PACKERS)
def test_compression_is_read_through_and_damage_is_named(tmp_path, pack):
    text = b"".join(b"line %d\n" % number for number in range(20_000))
    packed = PACKERS[pack](text)
    path = put(tmp_path, f"a.txt{pack}", packed)
    with open_bytes(path) as stream:
        assert stream.read() == text
    for cut in (3, len(packed) // 2, len(packed) - 1):
        put(tmp_path, path.name, packed[:cut])
        with (
            pytest.raises(InputError, match="ends too early") as caught,
            open_bytes(path) as stream,
        ):
            stream.read()
        assert str(path) in str(caught.value)


def test_what_cannot_be_opened_says_why(tmp_path):
    for path, why in [
        (tmp_path / "none.txt", "does not exist"),
        (tmp_path, "is a folder"),
        ("a\0b", "cannot be opened"),
        ("x" * 5000, "cannot be opened"),
    ]:
        with pytest.raises(InputError, match=why), open_bytes(path):
            pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission(tmp_path):
    path = put(tmp_path, "a.txt", "a")
    path.chmod(0)
    with pytest.raises(InputError, match="Permission"), open_bytes(path):
        pass


# lines --------------------------------------------------------------------------------------


def test_lines_are_numbered_and_a_byte_order_mark_is_tolerated(tmp_path):
    path = put(tmp_path, "a.txt", b"\xef\xbb\xbfone\r\n\nthr\xc3\xa9e")
    assert list(iter_lines(path)) == [(1, "one"), (2, ""), (3, "thrée")]


def test_bytes_that_are_not_text_are_named_by_line(tmp_path):
    latin = put(tmp_path, "latin.txt", b"ok\ncaf\xe9\nok\n")
    with pytest.raises(InputError, match=r"latin.txt:2: byte 0xE9 is not UTF-8; .*iconv"):
        list(iter_lines(latin))
    assert list(iter_lines(latin, encoding="latin-1"))[1] == (2, "café")
    with pytest.raises(InputError, match=r"nul.txt:2: .*NUL"):
        list(iter_lines(put(tmp_path, "nul.txt", b"a\nb\0c\n")))
    skips = Skips()
    assert list(iter_lines(latin, lenient=skips)) == [(1, "ok"), (3, "ok")]
    assert skips.total == 1


def test_encodings_are_checked(tmp_path):
    path = put(tmp_path, "a.txt", "a")
    for name in ("klingon", "hex"):
        with pytest.raises(UsageError, match=name):
            list(iter_lines(path, encoding=name))


def test_a_line_beyond_the_limit_is_an_error_or_a_skip(tmp_path):
    path = put(tmp_path, "a.txt", "short\n" + "x" * 3000 + "\nshort again\n")
    with pytest.raises(InputError, match=r"a.txt:2: the line is longer"):
        list(iter_lines(path, limit=1000))
    skips = Skips()
    found = list(iter_lines(path, 1000, lenient=skips))
    assert found == [(1, "short"), (3, "short again")]
    assert skips.total == 1


# rows ---------------------------------------------------------------------------------------


def test_jsonl(tmp_path):
    path = put(tmp_path, "a.jsonl", '{"a": 1}\n\n{"b": "é"}')
    assert rows(path) == [(1, {"a": 1}), (3, {"b": "é"})]


BAD_JSON = {
    "{a}": "not JSON",
    "[1]": "an object",
    '{"a": NaN}': "NaN is not a JSON number",
    '{"a": 1e999}': "too large",
    '{"a": 1, "a": 2}': "'a' occurs twice",
    '{"a": "\\ud800"}': "surrogate",
    '{"a": %s}' % ("9" * 5000): "too many digits",
    "[" * 100_000: "nested too deeply",
}


@pytest.mark.parametrize("bad", BAD_JSON, ids=list(BAD_JSON.values()))
def test_bad_jsonl_stops_or_is_counted(tmp_path, bad):
    path = put(tmp_path, "a.jsonl", f'{{"a": 1}}\n{bad}\n{{"a": 2}}\n')
    message = refused(path)
    assert "a.jsonl:2: " in message
    assert BAD_JSON[bad] in message
    skips = Skips()
    assert [data["a"] for _, data in rows(path, lenient=skips)] == [1, 2]
    assert skips.counts == {str(path): 1}
    assert BAD_JSON[bad] in skips.report()


def test_surrogate_pairs_are_no_halves(tmp_path):
    path = put(tmp_path, "a.jsonl", '{"a": "\\ud83d\\ude00"}')
    assert rows(path) == [(1, {"a": "😀"})]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('\n[{"a": 1},\n\n {"a":\n 2} , {"a": 3}]\n', [2, 4, 5]),
        ('{"a": 1}', [1]),
        ('{"a": 1}\n{"a": 2}\n', [1, 2]),
        ("[]", []),
        ("", []),
    ],
)
def test_json_arrays_and_objects(tmp_path, text, lines):
    found = rows(put(tmp_path, "a.json", text))
    assert [line for line, _ in found] == lines
    assert [data["a"] for _, data in found] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    "text", ['[{"a": 1}', '[{"a": 1},]', '[{"a": 1}] 2', '[{"a": 1} {"a": 2}]', '{"a": ', "[1]"]
)
def test_bad_json_names_the_line(tmp_path, text):
    assert "a.json:2: " in refused(put(tmp_path, "a.json", "\n" + text))


def test_json_is_read_in_pieces_whatever_its_lines(tmp_path):
    many = [{"id": number, "text": "é" * 500} for number in range(3000)]
    path = put(tmp_path, "a.json", json.dumps(many, ensure_ascii=False))
    assert [data for _, data in rows(path)] == many
    one = [{"text": "x" * 5_000_000}]
    assert [data for _, data in rows(put(tmp_path, "b.json", json.dumps(one)))] == one


def test_csv_keeps_the_line_of_a_rows_beginning(tmp_path):
    path = put(tmp_path, "a.csv", 'id,text\n1,"two\nlines"\n\n2,"a ""b"""\n')
    assert rows(path) == [
        (2, {"id": "1", "text": "two\nlines"}),
        (5, {"id": "2", "text": 'a "b"'}),
    ]


def test_tsv_and_long_cells(tmp_path):
    path = put(tmp_path, "a.tsv", "id\ttext\n1\t" + "x" * 300_000)
    assert len(rows(path)[0][1]["text"]) == 300_000


def test_bad_csv(tmp_path):
    assert "a.csv:1: the column 'a' occurs twice" in refused(put(tmp_path, "a.csv", "a,b,a\n"))
    ragged = put(tmp_path, "b.csv", 'a,b\n1,2\n"x\ny",3,4\n5,6\n')
    assert "b.csv:3: the row has 3 cells and the header 2" in refused(ragged)
    skips = Skips()
    assert [line for line, _ in rows(ragged, lenient=skips)] == [2, 5]
    assert skips.total == 1
    assert "c.csv:2: not CSV" in refused(put(tmp_path, "c.csv", 'a,b\n1,"open\n3,4\n'))


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    write_records(path, ({"id": number, "t": ["a", "b"]} for number in range(600)))
    found = rows(path)
    assert found[-1] == (600, {"id": 599, "t": ["a", "b"]})
    assert "a.parquet: cannot be read as Parquet" in refused(put(tmp_path, "a.parquet", "PAR1x"))


def test_standard_input_is_jsonl(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n')))
    assert rows("-") == [(1, {"a": 1})]


def test_unknown_suffix_and_damaged_archive(tmp_path):
    assert "allowed: .jsonl" in refused(put(tmp_path, "a.xls", "x"))
    packed = gzip.compress(os.urandom(5000))[:-20]
    assert "ends too early" in refused(put(tmp_path, "a.jsonl.gz", packed), lenient=Skips())


def test_skips_report_names_files_and_first_reasons():
    skips = Skips()
    assert skips.report() == ""
    for line in range(9):
        skips.add(InputError("odd", path="a.jsonl", line=line))
    assert skips.report().startswith("skipped 9: 9 in a.jsonl\n  a.jsonl:0: odd")
    assert skips.report().count("\n") == 5


# writing ------------------------------------------------------------------------------------

SALADS: list[dict[str, Any]] = [
    {"id": "é", "labels": [0, 1], "also": {"3": [1]}, "events": [[["a", "b"]]]},
    {"id": "b", "labels": [], "also": {"1": [0, 2], "12": [4]}, "events": [[["a"], []]]},
]


@pytest.mark.parametrize("suffix", [".jsonl", *(f".jsonl{pack}" for pack in PACKERS), ".parquet"])
def test_what_is_written_is_read_back_from_the_same_bytes(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    assert write_records(path, SALADS, meta={"seed": 1}) == 2
    first = path.read_bytes()
    assert [data for _, data in rows(path)] == SALADS
    assert write_records(path, SALADS) == 2
    assert path.read_bytes() == first
    assert json.loads((tmp_path / "x.meta.json").read_text()) == {"seed": 1}
    assert meta_path(path) == tmp_path / "x.meta.json"


def test_jsonl_is_written_as_people_read_it(tmp_path):
    write_records(tmp_path / "a.jsonl", [{"b": "é", "a": 1}])
    assert (tmp_path / "a.jsonl").read_text(encoding="utf-8") == '{"b": "é", "a": 1}\n'


def test_parquet_takes_columns_that_come_and_go(tmp_path):
    path = tmp_path / "a.parquet"
    assert write_records(path, [{"a": 1}, {"b": {}}, {"a": None, "b": {"x": 1}}]) == 3
    assert [data["b"] for _, data in rows(path)] == [None, None, {"x": 1}]
    assert write_records(path, []) == 0
    assert rows(path) == []


def test_writing_refuses_and_leaves_nothing(tmp_path):
    with pytest.raises(UsageError, match=r"use \.jsonl"):
        write_records(tmp_path / "a.xls", [])
    for bad in ({"a": {1, 2}}, {"a": float("nan")}, {"a": "\ud800"}):
        with pytest.raises(UsageError, match="row 2 cannot be written"):
            write_records(tmp_path / "a.jsonl", [{"a": 1}, bad])
    with pytest.raises(UsageError, match="Parquet"):
        write_records(tmp_path / "a.parquet", [{"a": 1}, {"a": "x"}])
    with pytest.raises(FabulaError, match="does not exist"):
        write_records(tmp_path / "none" / "a.jsonl", [])
    assert list(tmp_path.iterdir()) == []
