"""Mails as the standard library, Gmail, Outlook, Apple Mail and Thunderbird write them."""

from __future__ import annotations

import mailbox
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path

import pytest
from tests.text.io.readers.files import put, read

from fabula.text.io.readers.mail.quoted import with_quoted
from fabula.text.io.readers.mail.threads import Threads, plain_subject
from fabula.text.io.streams import Skips
from fabula.types import Document

REPLY = "The bridge is closed. Divers found the missing van at noon."


def kinds(document: Document) -> list[str]:
    return [aside.kind for aside in document.aside]


def mail(body: str, *headers: str) -> bytes:
    top = ("From: Ann Lee <ann@desk.example>", "Date: Tue, 12 Mar 2024 09:14:00 +0100")
    subject = () if any(h.startswith("Subject") for h in headers) else ("Subject: Re: Bridge",)
    return "\r\n".join([*top, *subject, *headers, "", *body.strip("\n").split("\n"), ""]).encode()


GMAIL = f"""{REPLY}

On Mon, Mar 11, 2024 at 6:26 PM Bob Roe <
bob.roe@city.example> wrote:

> The van went over the rail at six.
>
> On Mon, Mar 11, 2024 at 5:00 PM Eve <eve@x.example> wrote:
>> What happened?

--
Ann Lee
Night desk
"""
OUTLOOK = f"""{REPLY}

Kind regards,
Ann Lee
Senior reporter
Tel: +44 20 7946 0000

________________________________
From: Bob Roe <bob.roe@city.example>
Sent: Monday, March 11, 2024 6:26 PM
To: Ann Lee <ann@desk.example>; Eve <eve@x.example>
Subject: Bridge

The van went over the rail at six.

From: Eve [mailto:eve@x.example]
Sent: 11 March 2024 17:00
To: Bob Roe
Subject: Bridge

What happened?
"""
OUTLOOK_2003 = f"""{REPLY}

-----Original Message-----
From: Bob Roe [mailto:bob.roe@city.example]
Sent: Monday, March 11, 2024 6:26 PM
To: Ann Lee
Subject: Bridge

The van went over the rail at six.
"""
APPLE = f"""{REPLY}

Sent from my iPhone

> On 11 Mar 2024, at 18:26, Bob Roe <bob.roe@city.example> wrote:
>
> \ufeffThe van went over the rail at six.
"""
THUNDERBIRD = f"""On 11.03.24 18:26, Bob Roe wrote:
> The van went over the rail at six.
{REPLY}
"""
UNMARKED = f"""{REPLY}

On Monday, 11 March 2024 at 18:26:01 GMT, Bob Roe <bob.roe@city.example> wrote:

The van went over the rail at six.
"""


@pytest.mark.parametrize(
    ("body", "aside", "date"),
    [
        (GMAIL, ["quote", "signature"], "2024-03-11"),
        (OUTLOOK, ["signature", "quote", "quote"], "2024-03-11"),
        (OUTLOOK_2003, ["quote"], "2024-03-11"),
        (APPLE, ["signature", "quote"], "2024-03-11"),
        (THUNDERBIRD, ["quote"], None),
        (UNMARKED, ["quote"], "2024-03-11"),
    ],
    ids=["gmail", "outlook", "outlook-2003", "apple", "thunderbird", "unmarked"],
)
def test_an_answer_is_what_its_sender_wrote(tmp_path, body, aside, date):
    path = put(tmp_path, "a.eml", mail(body))
    (document,) = read(path)
    assert document.paragraphs == (REPLY,)
    assert kinds(document) == aside
    first = document.extra["quotes"][0]
    assert first["from"].startswith("Bob Roe") and first.get("date") == date
    source = path.read_text(encoding="utf-8").split("\n")
    assert source[document.lines[0] - 1].strip() == REPLY
    for part in document.aside:  # each stands where it says
        assert source[part.line - 1].strip() == part.text.split("\n")[0].strip()
    kept = "".join((document.text, *(part.text for part in document.aside)))
    words = [word for line in body.split("\n") for word in line.split()]
    assert [word for word in words if word not in kept] == []


def test_a_chain_of_outlook_says_who_wrote_what(tmp_path):
    (document,) = read(put(tmp_path, "a.eml", mail(OUTLOOK)))
    bob, eve = document.extra["quotes"]
    assert (bob["from"], eve["from"]) == (
        "Bob Roe <bob.roe@city.example>",
        "Eve [mailto:eve@x.example]",
    )
    assert "over the rail" in document.aside[1].text and "What happened" in document.aside[2].text
    assert "What happened" not in document.aside[1].text


def test_answers_between_the_lines(tmp_path):
    body = "Bob Roe wrote:\n> Who drove?\nNobody knows yet.\n> When?\nAt six in the evening.\n"
    (document,) = read(put(tmp_path, "a.eml", mail(body)))
    assert "Nobody knows yet." in document.text and "At six in the evening." in document.text
    assert kinds(document) == ["quote", "quote"]


GMAIL_FORWARD = """See below.

---------- Forwarded message ---------
From: Bob Roe <bob.roe@city.example>
Date: Mon, Mar 11, 2024 at 6:26 PM
Subject: Bridge
To: Ann Lee <ann@desk.example>


The van went over the rail at six.

Regards,
Bob
"""
APPLE_FORWARD = """Begin forwarded message:

> From: Bob Roe <bob.roe@city.example>
> Subject: Bridge
> Date: 11 March 2024 at 18:26:01 GMT
> To: Ann Lee <ann@desk.example>
>
> The van went over the rail at six.
"""
THUNDERBIRD_FORWARD = """-------- Forwarded Message --------
Subject: \tBridge
Date: \tMon, 11 Mar 2024 18:26:01 +0100
From: \tBob Roe <bob.roe@city.example>
To: \tAnn Lee <ann@desk.example>

The van went over the rail at six.
"""
OUTLOOK_FORWARD = OUTLOOK_2003.replace("-----Original Message-----\n", "").replace(REPLY, "FYI.")


@pytest.mark.parametrize(
    "body", [GMAIL_FORWARD, APPLE_FORWARD, THUNDERBIRD_FORWARD, OUTLOOK_FORWARD]
)
def test_a_forwarded_mail_is_a_document_of_its_own(tmp_path, body):
    documents = read(put(tmp_path, "a.eml", mail(body, "Subject: Fwd: Bridge")))
    forwarded = documents[-1]
    assert forwarded.paragraphs == ("The van went over the rail at six.",)
    assert forwarded.extra["from"].startswith("Bob Roe") and forwarded.date == "2024-03-11"
    assert forwarded.extra["forwarded_by"] == "Ann Lee <ann@desk.example>"
    assert (forwarded.title, forwarded.id) == ("Bridge", "a/forwarded-1")
    assert documents[:-1] == [], "that it is forwarded is no news"
    notes = [part.text for part in forwarded.aside if part.kind == "cover note"]
    assert notes in ([], ["See below."], ["FYI."])


def test_what_is_said_of_a_forwarded_mail_is_kept(tmp_path):
    body = GMAIL_FORWARD.replace("See below.", "See below. The van was mine.")
    note, forwarded = read(put(tmp_path, "a.eml", mail(body, "Subject: Fwd: Bridge")))
    assert note.paragraphs == ("See below. The van was mine.",)
    assert forwarded.paragraphs == ("The van went over the rail at six.",)


def test_a_mail_forwarded_as_an_attachment(tmp_path):
    inner = EmailMessage()
    inner["From"], inner["Subject"] = "Bob <bob@b.example>", "Bridge"
    inner.set_content("The van went over the rail at six.\n")
    outer = EmailMessage()
    outer["From"], outer["Subject"] = "Ann <ann@a.example>", "Fwd: Bridge"
    outer.set_content("Attached is what Bob saw.\n")
    outer.add_attachment(inner)
    outer.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="rail.png")
    path = put(tmp_path, "a.eml", outer.as_bytes())
    cover, attached = read(path)
    assert (cover.text, kinds(cover)) == ("Attached is what Bob saw.", ["attachment"])
    assert cover.aside[0].text == "rail.png (image/png)"
    assert (attached.text, attached.extra["from"]) == (
        "The van went over the rail at six.",
        "Bob <bob@b.example>",
    )
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[attached.lines[0] - 1] == attached.text


HTML_REPLIES = {
    "gmail": f'<div dir="ltr">{REPLY}</div><br><div class="gmail_quote"><div dir="ltr" '
    'class="gmail_attr">On Mon, Mar 11, 2024 at 6:26 PM Bob Roe &lt;<a href="mailto:b@c.d">b@c.d'
    '</a>&gt; wrote:<br></div><blockquote class="gmail_quote">The van fell.</blockquote></div>',
    "outlook": f'<div class="elementToProof">{REPLY}</div>\n<div id="appendonsend"></div>\n<hr>'
    '<div id="divRplyFwdMsg" dir="ltr"><font><b>From:</b> Bob Roe &lt;b@c.d&gt;<br>\n<b>Sent:</b> '
    "Monday, March 11, 2024 6:26 PM<br>\n<b>To:</b> Ann &lt;a@c.d&gt;<br>\n<b>Subject:</b> Bridge"
    "</font></div>\n<div>The van fell.</div>",
    "word": f'<div class="WordSection1"><p class="MsoNormal">{REPLY}<o:p></o:p></p><p '
    'class="MsoNormal"><o:p>&nbsp;</o:p></p><div style="border-top:solid #E1E1E1 1.0pt"><p '
    'class="MsoNormal"><b>From:</b> Bob Roe &lt;b@c.d&gt; <br><b>Sent:</b> Monday, March 11, 2024 '
    "6:26 PM<br><b>To:</b> Ann<br><b>Subject:</b> Bridge<o:p></o:p></p></div><p>"
    "The van fell.</p></div>",
    "apple": f'<html><body>{REPLY}<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote '
    'type="cite"><div>On 11 Mar 2024, at 18:26, Bob Roe &lt;b@c.d&gt; wrote:</div><br><div>The van '
    "fell.</div></blockquote></div></body></html>",
    "thunderbird": f'<p>{REPLY}</p><div class="moz-cite-prefix">On 11 March 2024 18:26, Bob Roe '
    'wrote:<br></div><blockquote type="cite" cite="mid:x"><p>The van fell.</p></blockquote>',
}


@pytest.mark.parametrize("program", HTML_REPLIES)
@pytest.mark.parametrize("transfer", ["8bit", "quoted-printable", "base64"])
def test_mail_in_html_alone(tmp_path, program, transfer):
    message = EmailMessage()
    message["From"], message["Subject"] = "Ann <ann@a.example>", "Re: Bridge"
    message.set_content(HTML_REPLIES[program], subtype="html", cte=transfer)
    (document,) = read(put(tmp_path, "a.eml", message.as_bytes()))
    assert document.paragraphs == (REPLY,)
    assert kinds(document) == ["quote"]
    assert document.extra["quotes"][0]["date"] == "2024-03-11"
    assert bool(document.lines) == (transfer != "base64")


def test_quoted_printable_keeps_the_lines_of_the_file(tmp_path):
    message = EmailMessage()
    message["From"] = "Ann <ann@a.example>"
    text = "The café – the old one – " + "burnt down " * 20 + ".\n\nNobody was hurt.\n"
    message.set_content(text, cte="quoted-printable")
    path = put(tmp_path, "a.eml", message.as_bytes())
    (document,) = read(path)
    lines = path.read_text(encoding="ascii").split("\n")
    assert [lines[n - 1][:5] for n in document.lines] == ["The c", "Nobod"]


@pytest.mark.parametrize(
    "tail",
    [
        "-- \nAnn Lee\nNight desk, The Courier",
        "Thanks,\n\nAnn",
        "Best regards,\nAnn Lee\nReporter | The Courier\nPhone: 555-0100\nFax: 555-0101",
        "Ann Lee\nThe Courier\n1 Fleet Street, London EC4A 2DY\nTel. +44 20 7946 0000\nwww.c.org",
        "Sent from my iPhone",
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
        "This e-mail and any attachments are confidential and intended solely for the addressee. "
        "If you have received it in error, delete it.",
        "_______________________________________________\nDesk mailing list\nDesk@lists.example",
        "Ann Lee\nvia mobile",
        "A. Lee",
        "Ann",
    ],
)
def test_signatures(tmp_path, tail):
    sender = "From: A. Lee <a@b.example>" if tail == "A. Lee" else "X-A: b"
    body = f"Hi Bob,\n\n{REPLY}\n\nThe thanks of the town went to the divers.\n\n{tail}\n"
    data = mail(body, sender)
    if tail == "A. Lee":
        data = data.replace(b"Ann Lee <ann@desk.example>", b"A. Lee <a@b.example>", 1)
    (document,) = read(put(tmp_path, "a.eml", data))
    assert document.paragraphs == (REPLY, "The thanks of the town went to the divers.")
    assert [kind for kind in kinds(document) if kind != "greeting"] == ["signature"]
    assert "".join(tail.split()) in "".join("".join(part.text.split()) for part in document.aside)


def test_what_is_no_signature_stays(tmp_path):
    body = (
        "Dear Bob was what she called him.\n\nWe thank the divers:\nMay\nJune\n\nCall 555-0100.\n"
    )
    (document,) = read(put(tmp_path, "a.eml", mail(body)))
    assert "".join(document.text.split()) == "".join(body.split())


def test_headers_and_threads(tmp_path):
    first = mail("One.", "Message-ID: <1@x>", "Subject: The flood")
    second = mail("Two.", "Message-ID: <2@x>", "In-Reply-To: <1@x>", "Subject: Re: The flood")
    third = mail("Three.", "Message-ID: <3@x>", "In-Reply-To: <2@x>", "To: b@c.d", "Cc: e@f.g")
    fourth = mail("Four.", "Subject: RE: [desk] the  flood")
    other = mail("Five.", "Message-ID: <5@x>", "Subject: The flood")
    for number, data in enumerate([first, second, third, fourth, other]):
        put(tmp_path, f"{number}.eml", data)
    documents = read(tmp_path)
    assert [document.extra["thread"] for document in documents] == ["<1@x>"] * 4 + ["<5@x>"]
    extra = documents[2].extra
    assert (extra["to"], extra["cc"], extra["in_reply_to"]) == ("b@c.d", "e@f.g", "<2@x>")
    assert (extra["sent"], extra["date_from"]) == ("2024-03-12T09:14:00+01:00", "header")
    references = mail("Six.", "References: <1@x> <2@x>", "Message-ID: <6@x>")
    assert read(put(tmp_path, "r.eml", references))[0].extra["thread"] == "<1@x>"


def test_subjects():
    assert plain_subject("Re[2]: AW: Flood") == ("flood", True)
    assert plain_subject("Regarding: Flood") == ("regarding: flood", False)
    assert Threads().of("", [], "", "") is None


@pytest.mark.parametrize("form", [mailbox.mbox, mailbox.Maildir])
def test_mailboxes_of_the_standard_library(tmp_path, form):
    path = tmp_path / ("box.mbox" if form is mailbox.mbox else "Mail")
    box = form(str(path))
    for text in ("First we heard a bang.", "From the bank we saw smoke."):
        message = EmailMessage()
        message["From"], message["Subject"] = "Ann <ann@a.example>", "Fire"
        message["Message-ID"] = make_msgid()
        message.set_content(text + "\n")
        box.add(message)
    box.flush()
    box.close()
    documents = read(path)
    assert sorted(document.text for document in documents) == [
        "First we heard a bang.",
        "From the bank we saw smoke.",
    ]


def test_mail_without_a_suffix_or_in_a_text_file_and_apples_own_files(tmp_path):
    data = mail("One.", "To: b@c.d")
    for name in ("1.", "saved.txt"):
        (document,) = read(put(tmp_path, name, data))
        assert (document.text, document.title) == ("One.", "Re: Bridge")
    emlx = b"%d      \n%s<?xml version='1.0'?><plist/>" % (len(data), data)
    (document,) = read(put(tmp_path, "2.emlx", emlx))
    assert (document.text, document.lines) == ("One.", (7,))
    prose = "From: the start it went wrong.\n\nThe van fell.\n"
    assert read(put(tmp_path, "b.txt", prose))[0].extra.get("thread") is None


def test_a_mailbox_of_megabytes_is_streamed(tmp_path):
    path = tmp_path / "big.mbox"
    message = b"From a@b Tue Mar 12 09:14:00 2024\n" + mail(GMAIL).replace(b"\r\n", b"\n") + b"\n"
    with path.open("wb") as stream:
        for _ in range(1000):
            stream.write(message)
    skips = Skips()
    assert sum(1 for _ in read(Path(path), lenient=skips)) == 1000
    assert skips.total == 0


def test_a_thread_that_only_its_last_mail_holds(tmp_path):
    path = put(tmp_path, "a.eml", mail(OUTLOOK))
    last, bob, eve = with_quoted(read(path))
    assert (last.id, bob.id, eve.id) == ("a", "a/quoted-1", "a/quoted-2")
    assert (bob.text, eve.text) == ("The van went over the rail at six.", "What happened?")
    assert (bob.extra["from"], bob.date) == ("Bob Roe <bob.roe@city.example>", "2024-03-11")
    assert bob.extra["quoted_by"] == last.extra["from"]
    assert bob.extra["thread"] == last.extra["thread"]
    source = path.read_text(encoding="utf-8").split("\n")
    assert source[bob.line - 1].strip() == bob.text
    # A mail that is there itself is not told again, whichever comes first.
    put(tmp_path, "b.eml", mail("The van went over\nthe rail at six."))
    assert [d.id for d in with_quoted(read(tmp_path))] == ["a", "b", "a/quoted-2"]
    nested = list(with_quoted(read(put(tmp_path, "c/c.eml", mail(GMAIL)))))
    assert [d.id for d in nested] == ["c", "c/quoted-1", "c/quoted-1/quoted-1"]
