"""Small whole files of the kinds that people export and write: chats, RTF, ODT, XLSX, EPUB."""

from __future__ import annotations

import io
import json
import zipfile

MESSAGE = "The ferry left at nine."
WHATSAPP = (
    "31/12/2020, 10:00 - Messages and calls are end-to-end encrypted.\n"
    f"31/12/2020, 10:01 - Ann: {MESSAGE}\nIt sank.\n31/12/2020, 10:02 - Bob: <Media omitted>\n"
    "31/12/2020, 10:03 - +44 7700 900123: Who was on board?\n"
)
IOS = (
    "\u200e[31.12.20, 11:59:10\u202fPM] Family: \u200eMessages are end-to-end encrypted.\n"
    f"[31.12.20, 11:59:12\u202fPM] ~ Ann: {MESSAGE}\n[01.01.21, 12:00:12\u202fAM] Bob: No!\n"
)
IRSSI = (
    "--- Log opened Thu Dec 31 10:00:00 2020\n10:00 -!- ann [a@b] has joined #sea\n"
    f"10:01 <@ann> {MESSAGE}\n10:02 < bob> ann: no\n10:03  * bob runs\n"
)
WEECHAT = f"2020-12-31 10:00:00\tann\t{MESSAGE}\n2020-12-31 10:01:00\t-->\tbob joined\n" * 3
SIGNAL = (
    f"[2020-12-31 10:00:00] Ann: {MESSAGE}\n(- Bob: 👍 -)\n"
    f"[2020-12-31 10:01:00] Bob: \n> {MESSAGE}\n\nNo! ![a](media/a.jpg)\n"
)
TRANSCRIPT = f"Ann: {MESSAGE}\nBob: Did it?\nAnn: Yes.\nBob: When?\n10:05 Ann: At nine.\n"
TABLE = f"sender,time,text\nAnn,31/12/2020 10:00,{MESSAGE}\nBob,31/12/2020 10:01,No!\n"
TELEGRAM = {
    "name": "Sea", "type": "private_group", "id": 1,
    "messages": [
        {"id": 1, "type": "service", "date": "2020-12-31T10:00:00", "actor": "Ann",
         "action": "create_group", "members": ["Bob"], "text": ""},
        {"id": 2, "type": "message", "date": "2020-12-31T10:01:00", "from": "Ann",
         "text": [MESSAGE, {"type": "link", "text": "http://a.b"}]},
        {"id": 3, "type": "message", "date": "2020-12-31T10:02:00", "from": "Bob", "text": "No!",
         "reply_to_message_id": 2, "reactions": [{"emoji": "👍", "count": 2}], "photo": "a.jpg"},
    ],
}  # fmt: skip
DISCORD = {
    "guild": {"id": "1"}, "channel": {"id": "2"},
    "messages": [
        {"id": "1", "type": "Default", "timestamp": "2020-12-31T10:00:00+00:00", "content": MESSAGE,
         "author": {"name": "ann", "nickname": "Ann"}, "attachments": [{"fileName": "a.jpg"}],
         "stickers": [{"name": "s"}], "reactions": [{"emoji": {"name": "👍"}, "count": 1}]},
        {"id": "2", "type": "Reply", "timestamp": "2020-12-31T10:01:00+00:00", "content": "No!",
         "author": {"name": "bob"}, "reference": {"messageId": "1"}},
    ],
}  # fmt: skip
SLACK = [
    {"type": "message", "ts": "1609408800.000100", "user": "U1", "text": f"<@U2> {MESSAGE}",
     "user_profile": {"display_name": "Ann"}, "files": [{"name": "a.jpg"}],
     "reactions": [{"name": "+1", "users": ["U2"]}]},
    {"type": "message", "ts": "1609408860.000100", "user": "U2", "text": "No!",
     "thread_ts": "1609408800.000100"},
]  # fmt: skip
DATA_JSON = [
    {"date": "2020-12-31 10:00:00", "sender": "Ann", "body": MESSAGE, "quote": "",
     "reactions": [["Bob", "👍"]], "attachments": [{"name": "a.jpg"}], "sticker": "", "call": ""},
]  # fmt: skip
ITEMS = {"id": "a", "messages": [{"sender": "Ann", "time": "10:00", "text": MESSAGE}]}
HTML = (
    '<html><body><div class="page_wrap"><div class="message default" id="message1">'
    '<div class="body">'
    '<div class="date" title="31.12.2020 10:00:00 UTC+01:00"></div><div class="from_name">Ann</div>'
    f'<div class="text">{MESSAGE}<br>It sank.</div></div></div><div class="message service" '
    'id="message-2"><div class="body details">31 December</div></div></div></body></html>'
)
RTF = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl\f0 Arial;}{\info{\title Sea}}\pard\f0 The ferry left\'e9 at "
    r"nine.\par \u8364? It sank.\par{\*\generator x}}"
)


def archive(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in files.items():
            zipped.writestr(name, text)
    return buffer.getvalue()


def odt() -> bytes:
    office = "urn:oasis:names:tc:opendocument:xmlns"
    body = f'<text:h text:outline-level="1">Sea</text:h><text:p>{MESSAGE}</text:p>'
    content = (
        f'<office:document-content xmlns:office="{office}:office:1.0" '
        f'xmlns:text="{office}:text:1.0">'
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    return archive({"mimetype": kind, "content.xml": content})


def xlsx() -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for n, text in enumerate(("text", MESSAGE), 1)
    )
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packaged = "http://schemas.openxmlformats.org/package/2006"
    return archive(
        {
            "[Content_Types].xml": f'<Types xmlns="{packaged}/content-types"/>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
            '<sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packaged}/relationships">'
            f'<Relationship Id="rId1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/>'
            "</Relationships>",
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData>'
            "</worksheet>",
        }
    )


def epub() -> bytes:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="a.opf"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    page = f"<html><body><h1>Sea</h1><p>{MESSAGE}</p></body></html>"
    return archive({"META-INF/container.xml": container, "a.opf": package, "a.xhtml": page})


JSON_FILES: dict[str, object] = {
    "result.json": TELEGRAM, "channel.json": DISCORD, "2020-12-31.json": SLACK,
    "data.json": DATA_JSON, "items.jsonl": ITEMS,
}  # fmt: skip
TEXT_FILES = {
    "chat.txt": WHATSAPP, "_chat.txt": IOS, "sea.log": IRSSI, "sea.weechatlog": WEECHAT,
    "chat.md": SIGNAL, "talk.txt": TRANSCRIPT, "table.csv": TABLE, "messages.html": HTML,
    "a.rtf": RTF,
}  # fmt: skip


def small_files() -> list[tuple[str, bytes]]:
    """Name and content of each."""
    return [
        *((name, json.dumps(data).encode()) for name, data in JSON_FILES.items()),
        *((name, text.encode()) for name, text in TEXT_FILES.items()),
        ("a.odt", odt()), ("a.xlsx", xlsx()), ("a.epub", epub()),
    ]  # fmt: skip
