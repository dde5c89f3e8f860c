"""Greetings, signatures, disclaimers and list footers in the lines a sender wrote.

A small set of rules, each for a form that mail programs and people write: the separator "-- ",
what the HTML marks as a signature, "Sent from my iPhone", legal disclaimers, a closing with the
lines below it, a block of telephone numbers and addresses, the sender's own name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fabula.text.io.readers.mail.parts import Line

__all__ = ["kinds_of"]

_GREETING = re.compile(
    r"(?:hi|hello|hey|(?:my )?(?:very )?dear(?:est)?|good (?:morning|afternoon|evening)|"
    r"greetings)\b[^.?!]{0,50}[,!:–-]?|"
    r"(?:all|team|everyone|colleagues),|(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?,)",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"(?:--|__) ?")
_DEVICE = re.compile(
    r"(?:sent (?:from|via|with|using) (?:my |the |a )?(?:i?phone|ipad|ipod|android|blackberry|"
    r"samsung|galaxy|huawei|nokia|mobile|mail for|outlook|yahoo|gmail|proton ?mail|sparrow|"
    r"windows|handheld|smartphone|aol|tutanota)\b|get outlook for\b|envoyé de mon|"
    r"von meinem .{2,20} gesendet).{0,80}",
    re.IGNORECASE,
)
_DISCLAIMER = re.compile(
    r"confidentiality notice|^\W*disclaimer\b|"
    r"this (?:e-?mail|message|communication|transmission)\b.{0,160}\b(?:confidential|privileged|"
    r"intended (?:solely|only|recipient)|addressee|legally)|"
    r"(?:received|receiving) this (?:e-?mail|message|communication).{0,40}\bin error|"
    r"not the (?:intended recipient|addressee)|consider the environment before|"
    r"registered (?:in england|office|company)|virus[- ]free|scanned (?:for|by) .{0,40}virus",
    re.IGNORECASE | re.DOTALL,
)
_LIST_FOOTER = re.compile(
    r"mailing list|unsubscribe|you received this (?:message|e-?mail) because|"
    r"to (?:stop receiving|post to this group)",
    re.IGNORECASE,
)
_RULE = re.compile(r"[-_=*~]{3,}")
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind(?:est)?|warm(?:est)?|many)? ?(?:regards|wishes|thanks)(?: (?:again|"
    r"in advance|and (?:best )?regards))?|thank you|thx|cheers|sincerely(?: yours)?|"
    r"yours(?: (?:sincerely|faithfully|truly|ever|affectionately))?|(?:ever )?your (?:\w+ ){0,3}"
    r"(?:brother|sister|son|daughter|friend|father|mother|husband|wife|cousin|uncle|aunt|servant)|"
    r"respectfully|best|all the best|take care|love|br|"
    r"rgds|ta|talk soon|greetings from \w+)\W{0,3}",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"(?:\b(?:tel|phone|telephone|mob(?:ile)?|cell|fax|office|direct|switchboard|[tmfe])\b\.?\s*[:.+(]|"
    r"\+?\(?\d[\d ().-]{7,}\d)|[\w.+-]+@[\w-]+\.\w+|(?:https?://|www\.)\S+|"
    r"\b[A-Z]{1,2}\d{1,2} \d[A-Z]{2}\b|\b[A-Z]{2} \d{5}\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.?!…][\"'”’)]*$")
_WIDEST = 70  # characters of a line of a signature
_TALLEST = 12  # lines below a closing


def kinds_of(lines: Sequence[Line], sender: str = "", first: bool = True) -> list[str]:
    """For each line "", "greeting" or "signature"; ``first`` says a greeting may stand here."""
    kinds = ["signature" if line.mark == "signature" else "" for line in lines]
    texts = [line.text.strip() for line in lines]
    filled = [number for number, text in enumerate(texts) if text]
    if not filled:
        return kinds
    if first and len(filled) > 1 and _GREETING.fullmatch(texts[filled[0]]):
        kinds[filled[0]] = "greeting"
    begins = _separator(texts)
    for paragraph in _paragraphs(texts):
        text = " ".join(texts[number] for number in paragraph)
        if _DISCLAIMER.search(text) or _is_list_footer(texts, paragraph):
            _mark(kinds, paragraph)
        for number in paragraph:
            if _DEVICE.fullmatch(texts[number]):
                kinds[number] = "signature"
    own = [number for number in filled if number < begins and not kinds[number]]
    begins = min(begins, _closing(texts, own), _contacts(texts, own), _name(texts, own, sender))
    _mark(kinds, range(begins, len(texts)))
    if all(kinds[number] for number in filled):  # "Hello" may be all that somebody wrote
        kinds = ["" if kind == "greeting" else kind for kind in kinds]
    return kinds


def _mark(kinds: list[str], numbers: Sequence[int] | range) -> None:
    for number in numbers:
        kinds[number] = "signature"


def _separator(texts: Sequence[str]) -> int:
    """The last line that is nothing but "--", with few lines below it."""
    for number in reversed(range(len(texts))):
        if _SEPARATOR.fullmatch(texts[number]):
            below = sum(bool(text) for text in texts[number + 1 :])
            return number if 0 < below <= 2 * _TALLEST else len(texts)
    return len(texts)


def _paragraphs(texts: Sequence[str]) -> list[list[int]]:
    paragraphs: list[list[int]] = [[]]
    for number, text in enumerate(texts):
        if text:
            paragraphs[-1].append(number)
        elif paragraphs[-1]:
            paragraphs.append([])
    return [paragraph for paragraph in paragraphs if paragraph]


def _is_list_footer(texts: Sequence[str], paragraph: Sequence[int]) -> bool:
    ruled = _RULE.fullmatch(texts[paragraph[0]]) is not None
    text = " ".join(texts[number] for number in paragraph)
    return bool(ruled and _LIST_FOOTER.search(text)) or bool(
        len(paragraph) <= 3
        and len(text) < 300
        and re.search(r"(?i)\bunsubscribe\b.*https?://", text)
    )


def _closing(texts: Sequence[str], own: Sequence[int]) -> int:
    """The line "Best regards," when only short lines that are no sentences follow it."""
    for place in reversed(range(max(0, len(own) - _TALLEST), len(own))):
        number = own[place]
        below = [texts[n] for n in own[place + 1 :]]
        if _CLOSING.fullmatch(texts[number]) and place and all(map(_short, below)):
            return number
    return len(texts)


def _contacts(texts: Sequence[str], own: Sequence[int]) -> int:
    """The last paragraph when it is a block of names, numbers and addresses."""
    block: list[int] = []
    for number in reversed(own):
        if block and not any(texts[number + 1 : block[0]]) and block[0] - number > 1:
            break  # a blank line
        block.insert(0, number)
    contacts = sum(_CONTACT.search(texts[number]) is not None for number in block)
    enough = contacts >= 2 or (contacts == 1 and len(block) >= 3)
    if block and block != list(own) and enough and all(_short(texts[n]) for n in block):
        return block[0]
    return len(texts)


def _name(texts: Sequence[str], own: Sequence[int], sender: str) -> int:
    """The line that is the sender's name or initials, when only short lines follow it."""
    names = re.findall(r"\w+", sender.split("<")[0].strip('" ') or sender.split("@")[0])
    known = {name.lower() for name in names}
    initials = "".join(name[0] for name in names).lower()
    for place in range(max(1, len(own) - _TALLEST), len(own)):
        text = texts[own[place]].strip(" ,.-–—")
        words = re.findall(r"\w+", text.lower())
        is_last = place == len(own) - 1
        named = 0 < len(words) <= 4 and all(word in known for word in words)
        signed = named and (is_last or len(words) > 1)
        if not signed and not (is_last and text.lower() == initials):
            continue
        if all(_short(texts[number]) for number in own[place + 1 :]):
            return own[place]
    return len(texts)


def _short(text: str) -> bool:
    return len(text) <= _WIDEST and (
        _SENTENCE_END.search(text) is None or _CONTACT.search(text) is not None or len(text) < 25
    )
