"""The clause a time expression stands in: its tense, and the expression's role.

Roles: ``happened``, when something happened; ``said``, when it was said; ``published``, the
document's own date; ``plan`` and ``deadline``, what is to come; ``duration``; ``repeated``;
``background``, what lies before the story ("since 1978", "the 1991 agreement", a pluperfect).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabula.text.lexicon import CLAIM_VERBS, MODALS
from fabula.text.temporal.grammar.draft import Draft
from fabula.text.temporal.grammar.tokens import TokenLine

if TYPE_CHECKING:
    from fabula.text.parse.parsed import Parsed

__all__ = [
    "ROLES",
    "after_noun",
    "governor",
    "modifies_noun",
    "pluperfect",
    "role_of",
    "tense_of",
    "verb_form",
]

ROLES = (
    "happened", "said", "published", "plan", "deadline", "duration", "repeated", "background",
)  # fmt: skip
_FUTURE = frozenset(("will", "shall", "'ll", "’ll", "wo"))
_MODAL_PLAN = MODALS - _FUTURE
_UNTIL = frozenset(("by", "until", "till", "before"))
_SINCE = frozenset(("since", "until", "till"))
_PUBLISHED = frozenset("published posted updated last dated copyright ( © issued filed".split())
_PLANNED = frozenset("set due scheduled expected planned slated supposed going".split())
_LONGEST_DATELINE = 60  # characters
_MANAGED = frozenset(
    "able manage begin start continue help fail force use seem appear come get grow prove".split()
)
_SPEECH = CLAIM_VERBS | frozenset("report quote argue suggest".split())


def governor(line: TokenLine, draft: Draft) -> int | None:
    """The parser's token of the verb over an expression; None without a parse or a verb."""
    parsed = line.parsed
    if parsed is None:
        return None
    tokens = set(line.parents[draft.first : draft.last])
    # The expression's own head is the token whose head lies outside it.
    token = next((t for t in tokens if parsed.heads[t] not in tokens), line.parents[draft.first])
    for _ in range(30):
        head = parsed.heads[token]
        if head == token:
            break
        token = head
        if parsed.tags[token][:1] == "V" or parsed.tags[token] == "MD":
            return token
    return token if parsed.tags[token][:1] == "V" else None


def _auxiliaries(line: TokenLine, verb: int) -> set[str]:
    parsed = line.parsed
    if parsed is None:
        return set()
    labels = ("aux", "auxpass")
    return {parsed.words[t].lower() for t in parsed.children[verb] if parsed.labels[t] in labels}


def tense_of(line: TokenLine, verb: int | None) -> str:
    """ "past", "present" or "future" of a verb and its auxiliaries; empty where unknown."""
    parsed = line.parsed
    if parsed is None or verb is None:
        return ""
    for _ in range(10):
        helpers, tag = _auxiliaries(line, verb), parsed.tags[verb]
        if helpers & _FUTURE:
            return "future"
        if helpers & {"had", "was", "were", "did", "has", "have", "'ve", "’ve"} or tag == "VBD":
            return "past"
        if tag in ("VB", "VBG", "VBN") and (helpers & {"to"} or tag == "VBG"):
            head = parsed.heads[verb]
            if helpers & {"to"} and parsed.labels[verb] in ("xcomp", "advcl", "acl", "ccomp"):
                return _infinitive(line, head)
            if helpers & {"is", "are", "'s", "be", "’s"}:
                return "future"
            if head == verb or parsed.tags[head][:1] != "V":
                return "future" if helpers & {"to"} else ""
            verb = head
            continue
        if helpers & {"is", "are", "'s", "’s", "am"}:
            return "future" if tag == "VBG" else "present"
        if tag == "VB" and not helpers and parsed.labels[verb] in ("ccomp", "xcomp"):
            verb = parsed.heads[verb]  # "was let go", "made them leave"
            continue
        if tag in ("VBZ", "VBP") or helpers & {"do", "does"}:
            return "present"
        if helpers & _MODAL_PLAN:
            return "future"
        if tag == "VBN":
            return "past"
        return ""
    return ""


def _infinitive(line: TokenLine, head: int) -> str:
    """An infinitive is to come, but for what was managed: "was able to restore"."""
    parsed = line.parsed
    if parsed is None or parsed.lemmas[head].lower() not in _MANAGED:
        return "future"
    while parsed.tags[head][:1] != "V" and parsed.heads[head] != head:
        head = parsed.heads[head]
    return "past" if parsed.tags[head] in ("VBD", "VBN") else "future"


def pluperfect(line: TokenLine, verb: int | None) -> bool:
    """Whether a verb stands in the past perfect: "had gone", "had been seen"."""
    parsed = line.parsed
    if parsed is None or verb is None:
        return False
    return parsed.tags[verb] in ("VBN", "VBD") and bool(
        _auxiliaries(line, verb) & {"had", "'d", "’d"}
    )


def role_of(line: TokenLine, draft: Draft, verb: int | None, tense: str) -> str:
    """What an expression dates, by its preposition, its place in the phrase and its clause."""
    if draft.type in ("DURATION", "SET"):
        return "duration" if draft.type == "DURATION" else "repeated"
    before = line.word(draft.first - 1)
    if _own_line(line, draft) or (before in ("published", "posted", "updated", "©", "copyright")):
        return "published"
    if before == ")" and line.word(draft.first - 2) == "c":
        return "published"  # "(c) 2024"
    parsed = line.parsed
    if before in _UNTIL and tense in ("future", "present"):
        return "deadline"
    if (
        before in _SINCE
        or pluperfect(line, verb)
        or (
            modifies_noun(line, draft)
            and (len(draft.spec.value) == 4 or draft.spec.unit in ("Y", "M", "W"))
        )
    ):
        return "background"
    if parsed is not None and verb is not None:
        if _is_speech(line, verb):
            return "said"
        helpers = _auxiliaries(line, verb)
        if tense == "future" or helpers & _MODAL_PLAN or _is_planned(parsed, verb):
            return "plan"
        if parsed.labels[verb] == "relcl":
            return "background"
    return "happened"


def _is_planned(parsed: Parsed, verb: int) -> bool:
    """ "was set for Monday", but not "set out" or "was set on fire on Monday"."""
    word = parsed.words[verb].lower()
    if word not in _PLANNED:
        return False
    children = parsed.children[verb]
    if word == "set":
        return any(
            parsed.words[t].lower() == "for" or parsed.labels[t] == "xcomp" for t in children
        )
    return all(parsed.labels[child] != "prt" for child in children)


def _own_line(line: TokenLine, draft: Draft) -> bool:
    """Whether a line of the text is a date and little more: a dateline."""
    if line.parsed is None:
        return False
    text, at = line.parsed.text, line.starts[draft.first]
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = len(text) if end < 0 else end
    if end - start > _LONGEST_DATELINE:
        return False
    outside = text[start:at] + " " + text[line.ends[draft.last - 1] : end]
    rest = [word for word in outside.split() if word.isalnum()]
    dated = draft.spec.day is not None or len(draft.spec.value) >= 10
    return (
        dated
        and len(rest) <= 3
        and all(word.lower() in _PUBLISHED or word.isdigit() or not word.islower() for word in rest)
    )


def _is_speech(line: TokenLine, verb: int) -> bool:
    parsed = line.parsed
    if parsed is None or parsed.lemmas[verb].lower() not in _SPEECH:
        return False
    # Something is said: a clause below the verb, or the verb stands inside what is said.
    below = {parsed.labels[t] for t in parsed.children[verb]}
    return bool(below & {"ccomp", "parataxis"}) or parsed.labels[verb] == "parataxis"


def modifies_noun(line: TokenLine, draft: Draft) -> bool:
    """ "the 1991 agreement", "Monday's shooting": whether the time stands before its noun."""
    parsed = line.parsed
    if parsed is None or draft.spec.clock is not None:
        return False
    inside = set(line.parents[draft.first : draft.last])
    heads = {parsed.heads[t] for t in inside} - inside
    return any(parsed.tags[head].startswith("NN") and head > max(inside) for head in heads)


def after_noun(line: TokenLine, draft: Draft) -> bool:
    """ "the site of a battle in 1862": whether the time says which, and not when."""
    parsed = line.parsed
    if parsed is None:
        return False
    head = parsed.heads[line.parents[draft.last - 1]]
    return parsed.labels[head] == "prep" and parsed.tags[parsed.heads[head]].startswith("NN")


_PRESENT = frozenset(("is", "are", "'s", "’s", "'re", "’re", "am", "'m", "’m", "do", "does"))


def verb_form(parsed: Parsed, verb: int) -> str:
    """past, perfect, pluperfect, present, future or infinitive; empty for what is no verb.

    A participle without an auxiliary takes the form of the verb over it.
    """
    for _ in range(8):
        labels = ("aux", "auxpass")
        helpers = {
            parsed.words[t].lower() for t in parsed.children[verb] if parsed.labels[t] in labels
        }
        tag = parsed.tags[verb]
        if helpers & _FUTURE:
            return "future"
        if helpers & {"had", "'d", "’d"} and tag in ("VBN", "VBD"):
            return "pluperfect"
        if helpers & {"was", "were", "did", "got"} or tag == "VBD":
            return "past"
        if helpers & {"has", "have", "'ve", "’ve"}:
            return "perfect"
        if helpers & _MODAL_PLAN:
            return "future"
        if helpers & {"to"}:
            return "infinitive"
        if helpers & _PRESENT or tag in ("VBZ", "VBP"):
            return "present"
        if tag not in ("VBN", "VBG", "VB") or parsed.heads[verb] == verb:
            return ""
        verb = parsed.heads[verb]
    return ""
