"""Closed classes of English words, each listed once: numbers, negation, modals, pronouns, speech.

Words and patterns of time stand in ``fabula.text.temporal.lexicon``. Where two readers use
different words, the difference is named here and derived from what they share: models and rules
were fitted on exactly these sets, so a word more or less changes their answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = [
    "ANAPHORS", "APPROXIMATORS", "AUXILIARIES", "CARDINALS", "CLAIM_VERBS", "CONDITIONALS",
    "DEMONSTRATIVES", "DENIAL_VERBS", "ENGLISH_WORDS", "FUNCTION_WORDS", "LIGHT_WORDS",
    "MAGNITUDES", "MODALS",
    "NEGATIONS", "NEGATION_CUES", "NEGATION_PARTICLES", "NEGATIVE_PRONOUNS", "NOT_NAMES",
    "OPENING_ANAPHORS", "ORDINALS", "PERSONAL_PRONOUNS", "QUESTION_OPENERS", "QUOTATION_MARKS",
    "QUOTE_VERBS",
    "RELATIVE_PRONOUNS",
    "REPORTING_VERBS", "SENTENCE_OPENERS", "SPEECH_VERBS", "SUBJECT_PRONOUNS", "VERB_NEGATIONS",
    "Pronoun", "alternation", "words",
]  # fmt: skip


def words(text: str) -> frozenset[str]:
    """The set of words of a string, split at spaces."""
    return frozenset(text.split())


def alternation(choices: Iterable[str]) -> str:
    """A regular expression for any one of some words, the longest first.

    >>> alternation(["may", "march"])
    'march|may'
    """
    return "|".join(sorted(choices, key=lambda word: (-len(word), word)))


# --- Numbers ---------------------------------------------------------------------------------
CARDINALS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
MAGNITUDES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_TO_NINTH = "first second third fourth fifth sixth seventh eighth ninth".split()
# From the first to the thirty-first, the last day of a month.
ORDINALS = (
    *_TO_NINTH,
    *"tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth".split(),
    *"eighteenth nineteenth twentieth".split(),
    *(f"twenty-{ordinal}" for ordinal in _TO_NINTH),
    "thirtieth",
    "thirty-first",
)
# Before a number or a time that is not exact.
APPROXIMATORS = words("about around nearly almost")

# --- Negation and modality -------------------------------------------------------------------
NEGATION_PARTICLES = words("not n't never")  # what parsers label "neg"
NEGATIVE_PRONOUNS = words("nobody nothing none neither")
NEGATIONS = NEGATION_PARTICLES | NEGATIVE_PRONOUNS | words("no nor without")
# Two endings that differ by these alone differ by the negation of a verb (endings' ``lint``).
VERB_NEGATIONS = NEGATION_PARTICLES | words("no cannot")
# What the audit counts: verbs that deny are as much of a give-away.
NEGATION_CUES = NEGATIONS | words("nowhere cannot hardly refused failed")
DENIAL_VERBS = words("deny dispute refute reject")  # of what a clause says
MODALS = words("would could might may should must can will shall")
CONDITIONALS = words("if unless whether")
# Finite auxiliaries, and what tokenisers leave of "can't" and "won't".
AUXILIARIES = words("do does did is was are were has have had will would can could ca wo")


# --- Pronouns --------------------------------------------------------------------------------
class Pronoun(NamedTuple):
    """Agreement features; ``number`` is s, p or ?, ``gender`` m, f, n (a thing) or ?."""

    person: int
    number: str
    gender: str
    reflexive: bool = False


PERSONAL_PRONOUNS: dict[str, Pronoun] = {
    **dict.fromkeys(["i", "me", "my", "mine"], Pronoun(1, "s", "?")),
    **dict.fromkeys(["we", "us", "our", "ours", "'s"], Pronoun(1, "p", "?")),
    **dict.fromkeys(["you", "your", "yours"], Pronoun(2, "?", "?")),
    **dict.fromkeys(["he", "him", "his"], Pronoun(3, "s", "m")),
    **dict.fromkeys(["she", "her", "hers"], Pronoun(3, "s", "f")),
    **dict.fromkeys(["it", "its"], Pronoun(3, "s", "n")),
    **dict.fromkeys(["they", "them", "their", "theirs"], Pronoun(3, "p", "?")),
    "myself": Pronoun(1, "s", "?", True),
    "ourselves": Pronoun(1, "p", "?", True),
    "yourself": Pronoun(2, "s", "?", True),
    "himself": Pronoun(3, "s", "m", True),
    "herself": Pronoun(3, "s", "f", True),
    "itself": Pronoun(3, "s", "n", True),
    "themselves": Pronoun(3, "p", "?", True),
}
_THIRD_PERSON = frozenset(
    word for word, form in PERSONAL_PRONOUNS.items() if form.person == 3 and not form.reflexive
)
SUBJECT_PRONOUNS = words("i you he she it we they")
DEMONSTRATIVES = words("this that these those")
QUOTATION_MARKS = frozenset(('"', "“", "”", "``", "''"))
RELATIVE_PRONOUNS = words("that which who whom")
# What takes up something said before; ordering/linear was trained with these.
ANAPHORS = (_THIRD_PERSON - {"theirs"}) | DEMONSTRATIVES
# The same at the head of a sentence; salads/context was trained with these.
OPENING_ANAPHORS = (
    (ANAPHORS - words("him hers them")) | words("we i") | words("there such who which")
)

# --- Verbs of speech, as lemmas --------------------------------------------------------------
REPORTING_VERBS = words(
    "add admit announce claim declare explain insist note report say state tell warn write"
)
# Take a clause that says what is claimed: "confirmed that".
CLAIM_VERBS = REPORTING_VERBS | words("confirm inform maintain reveal testify")
# Stand beside a quotation.
SPEECH_VERBS = REPORTING_VERBS | words(
    """answer argue ask boast call comment complain concede conclude confess continue cry demand
    deny exclaim joke murmur mutter observe promise recall remark remember repeat reply respond
    scream shout sigh suggest think urge whisper wonder yell"""
)
# In the past tense, after a name and right behind a quotation.
QUOTE_VERBS = words("answered asked called cried demanded exclaimed replied said shouted yelled")

# --- Stop lists ------------------------------------------------------------------------------
# Function words; salads/context was trained with these.
FUNCTION_WORDS = words(
    """the a an of and to in on at by for from with as was were is are be been had has have that
    which who it its he his she her they their them this these those but or not no after before
    when while during into over under between against also would could all one two more most
    other some than then there where both up out about only first"""
)
# Content words that say little of what a sentence is about, as lemmas.
LIGHT_WORDS = words(
    """be have do make take get go come say see give put know think want use let keep tell seem
    begin start become other same such more most many much few several own last next first good
    great new old mr mrs ms dr doctor"""
)
# Frequent in English and rare in its neighbours ("in", "was", "is", "a" are German or Dutch, too).
ENGLISH_WORDS = words(
    """the and of to that for with this from they were have had not but are his her their which
    she he you it its be been by on at as or who would there what when will about into than then
    them we our your my could should did do does how if just like more no only other out over said
    so some time two up us very after before because while through where these those"""
)
# Before a word in small letters they open a sentence, whatever stands before the full stop.
SENTENCE_OPENERS = words(
    """a after all although an and as at but by during for from he her his however i if in it no
    not on she since so some that the their then there these they this thus to we what when while
    with you"""
)
# Capitalised at the head of a sentence and no part of a name; ordering/pairwise was fitted with
# these.
NOT_NAMES = (SENTENCE_OPENERS - words("i thus")) | words(
    """also before both each even every how instead its later many more most now of once one only
    or our over soon still such those three through today two under until where which who without
    yesterday yet"""
)

# Words that open a question in a chat, apostrophes left out as people type them.
QUESTION_OPENERS = (
    "what whats where wheres when who whos why which how hows is are do does did can could "
    "should would will has have any anyone anybody somebody"
)
