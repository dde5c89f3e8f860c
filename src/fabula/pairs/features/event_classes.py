"""Event classes: verbs and nouns by which different sources report the same kind of event.

A small thesaurus of news reports. A word may be of several classes; two clauses that share a class
may report the same event in other words.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["kinds_of"]

# Two words joined by "_" are a verb with its particle, one of those that ``claims`` looks for.
_KINDS = {
    "arrive": (
        "arrive reach come come_up turn_up appear land enter arrival spot scene site deploy show_up"
    ),
    "leave": (
        "leave depart set_off set_out go_off pull_out sail take_off start_out departure "
        "walk_out drive_off drive_away move_off cast_off quit"
    ),
    "begin": "begin start open commence launch kick_off come_on set_in opening kick-off",
    "end": "end finish stop cease conclude close complete over conclusion call_off expire",
    "resume": (
        "resume reopen restore restart return continue come_back go_back again re-open re- "
        "establish lift resumption"
    ),
    "shut": "close shut seal block lock bar cordon plug stop turn_off switch_off closure",
    "open": "open unlock unseal open_up",
    "rescue": (
        "rescue save free release recover bring_out get_out pull_out take_off lead_out haul "
        "lift evacuate extricate winch pull fish_out dig_out bring_up evacuation rescuer "
        "lower ashore pick_up set_free carry_out bring_down bring_ashore"
    ),
    "find": (
        "find discover locate spot come_across come_upon turn_up trace uncover see sight "
        "unearth dig_up surface discovery find_out reach notice"
    ),
    "catch": (
        "catch capture secure arrest detain hold seize apprehend recapture trap net pen "
        "corner custody round_up pick_up take_away"
    ),
    "escape": (
        "escape flee run_away get_away break_out break_free slip_away abscond bolt get_out "
        "loose break_away leave run_off drive_off"
    ),
    "tell": (
        "tell inform notify warn alert call ring phone telephone report announce message "
        "advise contact radio signal alarm warning call_out ring_up notice"
    ),
    "write": (
        "write sign enter record minute log register date letter note minutes complain "
        "complaint protest submit lodge file"
    ),
    "sell": "sell auction knock_down fetch hammer buy bid purchase sale auctioneer acquire",
    "pay": (
        "pay cost charge refund price bill damages amount sum estimate put value worth "
        "hand_over count_out compensation loss expense fine reward fee"
    ),
    "give": (
        "give hand hand_over present donate lend loan deliver hand_in return bequeath gift "
        "supply offer distribute"
    ),
    "steal": (
        "steal take rob loot remove snatch burgle theft burglary thief pinch missing disappear"
    ),
    "die": "die kill drown perish dead death body drowned victim fatal lose",
    "hurt": (
        "hurt injure wound break bruise burn fracture sting cut harm sprain injury treat "
        "hospital ambulance hypothermia casualty bite scald patient treatment examine admit "
        "discharge ward collarbone concussion"
    ),
    "fall": (
        "fall collapse come_down drop sink settle crash crumble subside topple "
        "cave_in tumble fall_in"
    ),
    "wreck": (
        "wreck damage destroy smash break crack tear ruin dent scratch flood demolish damaged "
        "undamaged intact whole torn"
    ),
    "fire": "burn fire blaze flame smoke ignite ash arson glow",
    "blast": (
        "explode blast explosion detonate blow_up bang discharge trigger set_off go_off "
        "grenade detonation fire"
    ),
    "spill": (
        "spill leak escape release run_out flow pour discharge enter leakage overflow litre valve"
    ),
    "strike": "strike hit collide struck crash ram bump collision impact jolt touch ground",
    "count": (
        "count number total register tally counting roll headcount consist contain counted "
        "record list"
    ),
    "aboard": "aboard board passenger occupant crew carry onboard ride load seat cabin",
    "attend": (
        "attend present join participate turn_out turn_up gather march meeting "
        "crowd visitor demonstrator participant audience demonstrate strike walk_out walkout"
    ),
    "vote": "vote elect ballot poll election count majority unanimous carry reject votes",
    "win": (
        "win beat victory defeat lead champion score winner finish place second fourth goal "
        "draw lose come_in"
    ),
    "decide": (
        "decide rule declare convict acquit sentence verdict find judge uphold dismiss "
        "approve reject court appeal jury"
    ),
    "admit": "admit confess deny denial confession claim dispute plead",
    "light": "light power electricity supply dark lamp current blackout outage restore go_out",
    "water": "flood water rise crest level gauge depth river wet",
    "move": "drive run roll drift carry travel pass cross go move turn steer head swim fly",
    "rest": "rest land come_down settle end_up stop stick lie wedge ground",
    "keep": "keep hold store hide put leave place bury tape lay park",
    "tested": "test check inspect examine inspection maintenance exercise drill siren",
    "armed": "armed gun pistol knife weapon shot rifle shoot",
    "born": "birth bear baby born child newborn deliver cry",
    "wait": "wait delay queue pause interruption sit stay stand last interrupt interval break",
    "speak": "speech speak say answer shout scream sing swear address",
    "build": "build erect plant put_up construct install",
    "measure": "measure tall height long wide deep depth length grow stand metre high",
}
_BY_WORD: dict[str, frozenset[str]] = {}
for _kind, _words in _KINDS.items():
    for _word in _words.split():
        _BY_WORD[_word] = _BY_WORD.get(_word, frozenset()) | {_kind}


def kinds_of(words: Iterable[str]) -> frozenset[str]:
    """The event classes of some lemmas; a verb with its particle is written ``get_out``.

    >>> sorted(kinds_of(["shut", "valve"]))
    ['shut', 'spill']
    """
    return frozenset(kind for word in words for kind in _BY_WORD.get(word, ()))
