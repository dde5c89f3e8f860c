"""The rules of event extraction as named options, and the word lists they use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from fabula.errors import UsageError
from fabula.text.lexicon import words

__all__ = ["ExtractionRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRules:
    """How a parse becomes events. Every rule can be turned off or changed by name.

    ``passive``: ``resolve`` makes the subject of a passive the object and its agent the subject;
    ``keep`` leaves them apart as ``nsubjpass`` and ``agent``, as the nachos data do.
    ``particles``: "set up" is ``set_up``.
    ``negation``: a ``flag`` of the event, a ``prefix`` of the verb (``not_see``), or ``ignore``.
    ``open_complements``: in "Ann wants to leave" Ann leaves.
    ``control``: in "Ann told Bo to leave" Bo leaves (without it, whoever is the subject).
    ``adverbials``: in "having lost, the king fled" the king lost.
    ``conjoined_verbs``: in "he came and saw" he saw.
    ``conjoined_arguments``: in "Ann and Bo left" both left.
    ``shared_objects``: in "they attacked and took the fort" they attacked it.
    ``relatives``: in "the man who fled" the man fled; also "the man seen there".
    ``copula``: keep ``be`` as an event of its own.
    ``semi_auxiliaries``: "have to pay", "used to pay", "going to pay" are one event, ``pay``.
    ``prepositions``: ``label`` gives ``prep_in``, ``bare`` gives ``prep``, ``drop`` gives none.
    ``form``: the verb's ``lemma``, or its ``surface`` form in small letters.
    ``quoted``: keep what happens inside quotation marks.
    ``question_words``: "who" of "who left?" is the subject.
    """

    passive: Literal["resolve", "keep"] = "resolve"
    particles: bool = True
    negation: Literal["flag", "prefix", "ignore"] = "flag"
    open_complements: bool = True
    control: bool = True
    adverbials: bool = True
    conjoined_verbs: bool = True
    conjoined_arguments: bool = True
    shared_objects: bool = True
    relatives: bool = True
    copula: bool = False
    semi_auxiliaries: bool = True
    prepositions: Literal["label", "bare", "drop"] = "label"
    form: Literal["lemma", "surface"] = "lemma"
    quoted: bool = True
    question_words: bool = True

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for each in fields(self):
            value, allowed = getattr(self, each.name), get_args(hints[each.name]) or (True, False)
            if value not in allowed:
                values = ", ".join(map(str, allowed))
                raise UsageError(f"the rule {each.name} is {value!r}; allowed: {values}")

    @classmethod
    def parse(cls, settings: list[str]) -> ExtractionRules:
        """Rules from ``NAME=VALUE`` strings, as the command line takes them.

        >>> ExtractionRules.parse(["passive=keep", "copula=yes"]).copula
        True
        """
        from fabula.errors import UnknownName

        truth = {"yes": True, "true": True, "no": False, "false": False}
        names = [each.name for each in fields(cls)]
        chosen: dict[str, object] = {}
        for setting in settings:
            name, equals, value = setting.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise UsageError(f"{setting!r} is no rule; write NAME=VALUE, such as passive=keep")
            if name not in names:
                raise UnknownName("rule", name, names)
            text = value.strip().lower()
            is_switch = isinstance(getattr(cls(), name), bool)
            if is_switch and text not in truth:
                raise UsageError(f"the rule {name} is yes or no; it is {value!r}")
            chosen[name] = truth[text] if is_switch else text
        return cls(**chosen)  # type: ignore[arg-type]


# Labels under which a verb form is no event: it modifies, or helps another verb.
NOT_EVENTS = words(
    """agent amod aux auxpass case cc compound dative det expl intj mark meta neg nmod npadvmod
    nummod poss preconj predet prep prt punct quantmod advmod"""
)
NOMINAL = words("nsubj nsubjpass dobj pobj attr appos oprd")  # a gerund here may be a noun

# "Ann promised Bo to leave": the subject leaves, though there is an object.
SUBJECT_CONTROL = words(
    """promise threaten vow swear use need spend take require cost pledge build make do open
    raise sacrifice give leave visit join"""
)
# How sure a subject is that the syntax leaves open ("he fled, leaving her": who left?). Some 50 of
# 65 were right when read in training articles, against 19 of 20 of those of conjoined verbs.
UNDERSTOOD = 0.75
# "Ann told Bo to leave": Bo leaves, and is the one told, however the infinitive is attached.
OBJECT_CONTROL = words(
    """advise allow appoint ask assign authorise authorize beg bribe cause challenge coax command
    compel condemn convince dare direct employ enable encourage entice entreat forbid force help
    hire implore incite induce inspire instruct invite lead motivate nominate oblige order permit
    persuade press pressure prompt provoke push recruit remind request send sentence summon teach
    tell tempt train trust urge warn"""
)
# "Ann accused Bo of lying", "... kept Bo from leaving", "... talked Bo into leaving".
PREPOSITION_CONTROL = words(
    """absolve accuse acquit arrest ban bar blame charge coerce convict deter discourage dissuade
    excuse execute fine force forgive hinder keep mislead pardon praise prevent prohibit
    prosecute punish scold stop suspect talk thank trick try"""
)
# "The plan was to attack": it is not the plan that attacks.
NOT_ACTORS = words(
    """aim ambition answer attempt choice decision demand desire dream duty effect function goal
    idea instruction intent intention job mission objective option order plan policy proposal
    purpose reason request response result role step strategy suggestion target task thing way
    wish"""
)
# "He made an attempt to escape": he is to escape.
SHARING = words("attempt find get have lack launch lose make need obtain receive seek take win")
# "easy to read" leaves the object open; "eager to read" the subject.
TOUGH = words(
    "complicated difficult easy hard impossible simple tough tricky expensive cheap dangerous safe"
)
# "They had difficulties provisioning the army": not the difficulties provision it.
TROUBLES = words("difficulty fun problem success time trouble")
# These have no object: "they came and took the town" took it only.
INTRANSITIVE = words(
    """agree appear arise arrive awake be become begin belong collapse come continue cry depart
    die differ disappear emerge erupt escape exist fail fall fight flee fly go grow happen
    hesitate laugh lie live look march occur participate persist proceed rally react remain reply
    resign respond retire retreat return revolt rise run sail seem serve sit sleep smile speak
    stand start stay step sleep surrender survive swim talk travel vanish vote wait wake walk
    withdraw work yield"""
)
CAUSATIVE = words("find get have hear keep leave need see want watch wish")  # + object + VBN
NOT_ARGUMENTS = words("according_to")  # says whose word it is, not who takes part
PREPOSITIONAL = words("follow include regard concern")  # "following the battle"
FOUGHT = words("action battle campaign clash conflict duel engagement skirmish war")
