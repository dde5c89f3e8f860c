"""Pairs by substitution: a sentence and the same sentence with one word changed, labelled by rule.

Words of a kind of which only one can be true (colours, numbers, countries) contradict each other;
synonyms, and a word and its kind, follow from each other; a kind does not tell which of its words.
"""

# Word lists, a kind a line.
# ruff: noqa: E501
from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from fabula.pairs.items import Pair

__all__ = ["substituted"]

# Kind, and the words of it, which exclude each other; "-" has no word for the kind.
_EXCLUSIVE = """
-: red blue green yellow black white brown orange purple pink gray golden silver
-: two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
-: first second third fourth fifth sixth
-: France Germany Italy Spain Japan China India Brazil Mexico Canada Russia Egypt Sweden Kenya Peru Turkey Greece
-: French German Italian Spanish Japanese Chinese Indian Brazilian Mexican Canadian Russian Swedish Greek Turkish
-: London Paris Berlin Chicago Boston Tokyo Madrid Rome Moscow Seattle Dallas Toronto Sydney Houston Denver
-: Monday Tuesday Wednesday Thursday Friday Saturday Sunday
-: January February March April June July August September October November December
-: north south east west
-: morning afternoon evening night
-: spring summer autumn winter
-: hundred thousand million billion
instrument: guitar piano violin drums trumpet flute saxophone cello accordion harp
animal: dog cat horse cow sheep goat pig elephant monkey bird rabbit bear
drink: beer wine coffee tea milk juice water soda lemonade whiskey
fruit: apple banana orange grape pear peach lemon strawberry
vegetable: carrot potato tomato onion cabbage cucumber pepper spinach
food: pizza bread rice soup salad cheese pasta steak sandwich cake
vehicle: car bus truck van motorcycle bicycle train tractor taxi boat
room: kitchen bedroom bathroom office garage basement attic hallway
building: church school hospital library restaurant museum hotel factory
clothing: shirt jacket coat sweater dress skirt hat scarf jeans shorts
material: wooden metal plastic glass leather stone paper concrete
sport: soccer basketball baseball tennis football hockey volleyball golf rugby
-: boy girl man woman
-: boys girls men women
-: son daughter father mother
-: brother sister
-: husband wife
planet: Mars Venus Jupiter Saturn Mercury Neptune
tool: hammer saw shovel broom ladder drill
furniture: table chair sofa bed desk bench
-: doctor teacher farmer lawyer soldier chef nurse pilot painter barber
-: beach mountain desert forest lake street river park
-: always never
-: everyone nobody
-: everything nothing
-: all no
"""
_ANTONYMS = (
    "hot cold;big small;large tiny;tall short;old young;new old;happy sad;open closed;wet dry;"
    "full empty;clean dirty;fast slow;high low;inside outside;indoors outdoors;up down;left right;"
    "front back;near far;day night;asleep awake;standing sitting;standing lying;running sleeping;"
    "walking sitting;buying selling;laughing crying;opening closing;entering leaving;alive dead;"
    "rich poor;loud quiet;light dark;heavy light;strong weak;thick thin;wide narrow;early late;"
    "before after;above below;over under;more less;many few;increase decrease;increased decreased;"
    "rise fall;rose fell;won lost;win lose;accepted rejected;accept reject;allowed forbidden;"
    "guilty innocent;true false;right wrong;easy difficult;cheap expensive;safe dangerous;"
    "remember forget;arrived departed;began ended;start stop;started stopped;love hate;"
    "loved hated;success failure;succeeded failed;friend enemy;single married;public private;"
    "with without;someone nobody;something nothing;in out of;pushing pulling;smiling frowning"
)
_SYNONYMS = (
    "big large;small little;street road;couch sofa;kid child;kids children;man guy;woman lady;"
    "child youngster;photo picture;photograph photo;bike bicycle;car automobile;begin start;"
    "started began;beginning starting;jump leap;jumping leaping;shut close;fast quick;quickly rapidly;"
    "speaking talking;look gaze;looking gazing;near close to;beautiful pretty;happy glad;sad unhappy;"
    "smart clever;angry mad;rock stone;rocks stones;store shop;movie film;trash garbage;shirt top;"
    "taxi cab;airplane plane;ill sick;help assist;helping assisting;buy purchase;bought purchased;"
    "several some;many lots of;correct right;difficult hard;easy simple;rich wealthy;large huge;"
    "mother mom;father dad;autumn fall;lawyer attorney;doctor physician;police cops;cap hat;"
    "happened occurred;maybe perhaps;almost nearly;often frequently;also too;big enormous;"
    "yelling shouting;ocean sea;garment piece of clothing;soccer football;grass lawn;forest woods;"
    "sidewalk pavement;trousers pants;purse handbag;resting relaxing;observe watch;observing watching"
)
_HYPERNYMS = (
    "man person;woman person;boy child;girl child;boy person;girl person;dog animal;cat animal;"
    "men people;women people;boys children;girls children;guitar instrument;piano instrument;"
    "car vehicle;truck vehicle;bus vehicle;pizza food;sandwich food;tennis sport;soccer sport;"
    "roses flowers;doctor professional;soldiers people;running moving;walking moving;shouting talking;"
    "sprinting running;tulip flower;oak tree;salmon fish;hat clothing;jacket clothing;chair furniture"
)
# What the fourth training has besides.
_MORE_EXCLUSIVE = """
-: maroon turquoise beige violet navy tan
-: thirteen fourteen sixteen seventeen eighteen nineteen sixty seventy eighty ninety
-: Poland Norway Portugal Ireland Scotland Thailand Vietnam Australia Argentina Chile Cuba Ethiopia Finland Belgium
-: Polish Norwegian Portuguese Irish Scottish Thai Vietnamese Australian Argentinian Cuban Finnish Belgian Korean
-: Amsterdam Vienna Dublin Lisbon Cairo Mumbai Beijing Seoul Atlanta Miami Philadelphia Detroit Montreal
-: African Asian European American
-: seventh eighth ninth tenth
instrument: clarinet banjo tuba trombone harmonica mandolin ukulele keyboard
animal: lion tiger wolf fox deer duck chicken squirrel camel zebra turtle
drink: champagne vodka cider cocoa rum
fruit: mango pineapple cherry melon plum
vegetable: lettuce broccoli celery pumpkin corn bean pea
food: burger noodles sausage omelette pancake donut
vehicle: scooter ambulance helicopter tram ferry jeep wagon
room: classroom bedroom lobby ballroom cellar gym
building: bank theater warehouse castle cathedral
clothing: blouse vest hoodie apron suit robe tie gloves
material: cotton silk wool rubber brick steel
sport: cricket lacrosse badminton softball wrestling boxing
flower: rose tulip daisy lily sunflower
insect: bee ant butterfly beetle
weapon: gun knife sword bow
toy: doll kite balloon puzzle
-: waiter policeman firefighter musician athlete mechanic tailor sailor clown photographer
-: uncle aunt
-: grandfather grandmother
-: gentleman lady
-: king queen
-: ceiling floor wall roof
-: bridge tunnel pier
-: breakfast lunch dinner
-: sunny rainy snowy cloudy
-: crowded deserted
-: minutes hours days weeks months years
-: arm leg head
"""
_MORE_ANTONYMS = (
    "lies tells the truth;awake sleeping;sitting jumping;swimming flying;climbing descending;"
    "ascending descending;arriving departing;winning losing;pull push;accepting refusing;"
    "agreed disagreed;approved denied;confirmed denied;found lost;caught released;"
    "arrested released;convicted acquitted;survived died;opened closed;lit dark;"
    "crowded empty;together apart;alone together;beautiful ugly;brave cowardly;calm angry;"
    "clear cloudy;deep shallow;healthy sick;polite rude;rough smooth;sharp blunt;soft hard;"
    "sweet sour;tight loose;visible invisible;young elderly;blonde bald;dressed naked;"
    "smiling crying;awake unconscious;silent noisy;standing kneeling;eating fasting;"
    "talking silent;working resting;playing resting;walking running;toward away from;into out of;"
    "uphill downhill;upstairs downstairs;top bottom;beginning end;best worst;better worse;"
    "most least;both neither;minimum maximum;forward backward;outdoor indoor;male female;"
    "adult child;adults children;teenager toddler;daytime nighttime;sunrise sunset;"
    "possible impossible;legal illegal;known unknown;same different;ally enemy;"
    "love despise;likes dislikes;wants refuses;shows hides;remembered forgot"
)
_MORE_SYNONYMS = (
    "cab taxi;infant baby;elderly old;tiny small;gigantic huge;bag sack;toddler young child;"
    "crowd group of people;lots plenty;enjoying having fun with;watching looking at;holding grasping;"
    "riding traveling on;outside outdoors;inside indoors;beside next to;behind in back of;"
    "asleep sleeping;television tv;phone telephone;cellphone phone;"
    "sunglasses shades;sneakers running shoes;spectators onlookers;strolling walking;"
    "jogging running;grinning smiling;chatting talking;conversing talking;consuming eating;"
    "repairing fixing;constructing building;cleaning tidying;gathered assembled;completed finished;"
    "finished ended;finish complete;murdered killed;injured hurt;detained arrested;stated said;"
    "announced declared;agreed consented;required needed;permitted allowed;residence home;"
    "automobile car;vessel ship;crash collision;blaze fire;accident mishap;error mistake;"
    "jail prison;money cash;job occupation;gift present;meal dish;pupils students;"
    "instructor teacher;performer entertainer;males men;females women;"
    "cement concrete;courageous brave;cautious careful;exhausted tired;famished hungry;"
    "entire whole;identical same;rear back;sad sorrowful;silent quiet"
)
_MORE_HYPERNYMS = (
    "rose flower;sparrow bird;eagle bird;hammer tool;sofa furniture;table furniture;"
    "violin instrument;beer drink;coffee drink;apple fruit;banana fruit;carrot vegetable;"
    "teacher adult;father parent;mother parent;son child;daughter child;brother sibling;"
    "sister sibling;dogs animals;cats animals;horses animals;cars vehicles;trucks vehicles;"
    "children people;jogging exercising;swimming exercising;singing performing;dancing moving;"
    "murdered killed;whispering talking;painting artwork;cabin building;hotel building;"
    "Paris a city;London a city;basketball a sport;rifle weapon;knife weapon;ring jewelry"
)
_EACH = 12  # pairs of a rule
_MORE_EACH = 24


def substituted(sentences: Iterable[str], *, more: bool = False) -> list[Pair]:
    """Labelled pairs made from sentences, in a fixed order; each rule gives about as many.

    With ``more`` from longer word lists, and twice as many of a rule.
    """
    rng = random.Random(0)
    found: dict[str, list[Pair]] = {}
    texts = sorted(set(sentences))
    rng.shuffle(texts)
    rules, each = list(_rules(more=more)), _MORE_EACH if more else _EACH
    by_word: dict[str, list[tuple[str, str, tuple[str, ...], str]]] = {}
    for name, word, others, label in rules:
        by_word.setdefault(word.split()[0], []).append((name, word, others, label))
    for text in texts:
        words = set(re.findall(r"[A-Za-z]+", text))
        for key in sorted(words & by_word.keys()):
            for name, word, others, label in by_word[key]:
                full = found.setdefault(name, [])
                hits = list(re.finditer(rf"\b{word}\b", text))
                if len(full) >= each or len(hits) != 1:
                    continue
                other = rng.choice(others)
                if re.search(rf"\b{other}\b", text, re.IGNORECASE):
                    continue
                full.append(Pair("", text, _swap(text, hits[0], other), label))
    return [pair for pairs in found.values() for pair in pairs]


def _swap(text: str, hit: re.Match[str], other: str) -> str:
    before = text[: hit.start()]
    if re.search(r"\b[Aa]n? $", before):  # the article of the new word
        article = "an " if other[0].lower() in "aeiou" else "a "
        upper = before.rstrip().split()[-1][0].isupper()
        before = re.sub(r"[Aa]n? $", article.capitalize() if upper else article, before)
    return before + other + text[hit.end() :]


def _rules(*, more: bool) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Name, the word to replace, what may replace it, and the label of the pair."""
    lines = _EXCLUSIVE + _MORE_EXCLUSIVE.lstrip() if more else _EXCLUSIVE
    for line in lines.strip().splitlines():
        kind, _, rest = line.partition(": ")
        words = tuple(rest.split())
        for word in words:
            others = tuple(w for w in words if w != word)
            yield f"{words[0]} {word}", word, others, "contradiction"
            if kind != "-":
                yield f"is {kind}", word, (kind,), "entailment"
                yield f"which {kind}", kind, (word,), "neutral"
    for pairs, labels in (
        ((_ANTONYMS, _MORE_ANTONYMS), ("contradiction", "contradiction")),
        ((_SYNONYMS, _MORE_SYNONYMS), ("entailment", "entailment")),
        ((_HYPERNYMS, _MORE_HYPERNYMS), ("entailment", "neutral")),
    ):
        for both in (both for some in (pairs if more else pairs[:1]) for both in some.split(";")):
            first, second = _two(both)
            yield f"{both} 1", first, (second,), labels[0]
            yield f"{both} 2", second, (first,), labels[1]


def _two(both: str) -> tuple[str, str]:
    first, _, second = both.partition(" ")
    return first, second
