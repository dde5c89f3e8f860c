"""Agreement features of nouns and names: gender, animacy and number, by word lists.

Written for this project; small on purpose.
"""

from __future__ import annotations

from fabula.text.lexicon import NEGATIVE_PRONOUNS, words
from fabula.text.temporal.lexicon import TIME_NOUNS

__all__ = [
    "COLLECTIVE",
    "FEMALE",
    "FEMALE_NAMES",
    "GENERIC",
    "GENERIC_NAMES",
    "INDEFINITE",
    "MALE",
    "MALE_NAMES",
    "NAMED_THINGS",
    "NOT_ENTITIES",
    "PERSONS",
    "RELATIVES",
    "TITLES",
    "WEATHER",
    "is_person_noun",
]


MALE = words(
    """actor baron bishop boy boyfriend bridegroom brother chairman cowboy dad duke earl emir
    emperor father fisherman gentleman grandfather grandson groom heir hero husband king knight
    lad lord man monk mr. mr nephew pope priest prince sheikh shah sir son spokesman stepfather
    sultan tsar czar uncle waiter widower"""
)
FEMALE = words(
    """actress aunt baroness bride countess dame daughter duchess empress girl girlfriend
    goddess grandmother granddaughter heiress heroine lady madam miss mother mrs mrs. ms ms. mum
    niece nun princess queen sister spokeswoman stepmother waitress widow wife witch woman"""
)
PERSONS = (
    MALE
    | FEMALE
    | words(
        """admiral adult agent assailant attacker bomber hijacker intruder offender perpetrator
    shooter taker aide ally ambassador amateur ancestor apprentice archbishop architect
    artist assassin assistant astronaut athlete attorney aunt author baby baker banker bandit
    beggar boss builder butcher candidate captain captive caretaker carpenter cardinal cashier
    champion chef chemist chief chieftain child citizen civilian clerk client coach colleague
    colonel colonist commander commodore companion conductor consul convict cook corporal
    councillor courier cousin coroner craftsman critic curator customer dancer dealer defendant
    delegate deputy descendant designer detective dictator diplomat director diver doctor driver
    electrician employee employer enemy engineer envoy executive expert explorer farmer fighter
    firefighter fireman foreman founder friend fugitive gardener general governor grocer guard
    guardian guerrilla guest guide gunman historian host hunter immigrant inhabitant inspector
    intern inventor investigator janitor journalist judge juror kid kidnapper killer landlord
    lawyer leader librarian lieutenant lookout magistrate major manager marshal master mate
    mayor mechanic member merchant messenger midwife minister minor missionary monarch murderer
    musician nationalist navigator neighbor neighbour noble nobleman novelist nurse officer
    official operator opponent orphan owner painter parent participant partner passenger
    patient patron peasant pensioner person philosopher photographer physician pilot pioneer
    pirate plaintiff planter player plumber poet policeman politician porter postman premier
    president prisoner professor protester publisher pupil ranger rebel receptionist recruit
    refugee relative reporter representative rescuer resident rider rival robber ruler sailor
    scholar schoolteacher scientist scout sculptor secretary senator sergeant servant settler
    sheriff shepherd shopkeeper singer skipper slave soldier speaker spokesperson spy stranger
    student successor suffragan surgeon survivor suspect tailor teacher teenager tenant thief
    tourist trader traitor translator traveller treasurer trustee tutor tyrant veteran vicar
    victim victor villager visitor volunteer voter warden warlord warrior watchman winner witness
    worker writer youth"""
    )
)
RELATIVES = words(
    """aunt brother child cousin daughter father grandchild granddaughter grandfather grandmother
    grandson husband mother nephew niece sibling sister son spouse stepfather stepmother twin uncle
    widow widower wife"""
)
# One thing that can also be "they".
COLLECTIVE = words(
    """administration agency alliance army artillery association audience band battalion board
    brigade cabinet cavalry choir clan class club coalition committee community company congress
    corps council couple court crew crowd delegation department division enemy faction family
    firm fleet force garrison gang government group guard infantry jury league legion majority
    militia military ministry minority mob navy opposition pair parliament party patrol people
    platoon police population public regiment resistance squad squadron staff team trio tribe
    troop union unit village"""
)
TITLES = words(
    """admiral archbishop baron baroness bishop brigadier captain cardinal chancellor chief
    constable detective inspector
    colonel commander commodore count countess dame doctor dr dr. duke earl emperor empress
    father general gen. gov. governor judge king lady lieutenant lord madame major marshal mayor
    minister miss mr mr. mrs mrs. ms ms. mother officer pope president prince princess professor
    prof. queen rear rev. reverend saint secretary senator sen. sergeant sheikh sheriff sir sister
    sultan tsar vice viscount adm. ambassador attorney ayatollah capt. cllr cllr. col. comrade
    corporal councillor cpl. deputy director imam insp. justice lt. maj. prime rabbi rep. sgt.
    sheik spokesman spokesperson spokeswoman superintendent supt. surgeon"""
)
# "The ferry Orla Maid": what is named is no person, whatever the name sounds like.
NAMED_THINGS = words(
    """aircraft airliner album barge battleship boat book brig carrier cruiser destroyer
    film flagship frigate ferry hotel horse hurricane lifeboat liner magazine novel opera
    play pub racehorse restaurant schooner ship song steamer storm submarine tanker trawler tug
    typhoon vessel warship yacht"""
)
# Words that fit anybody: they describe somebody, and name nobody.
GENERIC = words(
    """adult authority boy child civilian crew crowd family fellow firefighter gentleman girl guy
    inhabitant islander kid lady local man member men neighbor neighbour officer official other
    passenger people person police public resident somebody someone soldier staff visitor
    volunteer woman women worker"""
)
# Words of names that many have: "the Army", "Northern Province".
GENERIC_NAMES = words(
    """army battle brigade campaign castle city college company corps council county division
    empire fleet force forces front government island kingdom lake league mount north south east
    west party province regiment republic river state states street union university war
    northern southern eastern western new first second third united national royal air armed court
    defence defense guard house marines ministry navy parliament police senate"""
)
# Time and manner: no pronoun refers to them.
NOT_ENTITIES = TIME_NOUNS | words(
    """beginning case century decade end example fact instance kind lot number order part place
    point reason result second side sort spring start summer autumn winter term today tomorrow
    tonight way weekend yesterday"""
)
INDEFINITE = (NEGATIVE_PRONOUNS - {"neither"}) | words(
    "anybody anyone anything everybody everyone everything one"
)
WEATHER = words("rain snow hail thunder freeze drizzle pour dawn")
MALE_NAMES = words(
    """aaron abraham adam adrian ahmed alan albert alexander alfred ali andrew anthony antonio
    arthur august barry ben benjamin bernard bill bob boris brian carl carlos charles charlie
    chris christian christopher daniel dave david dennis dmitri donald douglas edgar edmund edward
    edwin emil eric ernest eugene felix ferdinand francis francisco frank franz fred frederick
    gary geoffrey george gerald gilbert giovanni gordon graham gregory gustav hans harold harry
    hassan heinrich henri henry herbert herman horace howard hubert hugh hugo hussein ian ibrahim
    isaac ivan jack jacob jacques jake james jan jason jean jeff jeremy jerome jim joe john jon
    jonas jonathan jorge jose joseph joshua juan julius karl keith ken kenneth kevin klaus kurt
    larry lars leo leon leonard lewis louis lucas ludwig luke luis manuel marc marco mark martin
    matthew max maximilian maxwell michael miguel mike milton mohammed muhammad nathan ned neil
    nicholas nigel nikolai noah norman oliver omar oscar oskar otto owen patrick paul pavel pedro
    peter phil philip pierre ralph ray raymond richard robert roger roland ron ronald roy rupert
    samuel scott sean sebastian sergei simon stanley stefan stephen steve steven stuart ted
    theodore thomas tim timothy toby tom tony victor vincent vladimir walter wilhelm william
    winston xavier yusuf"""
)
FEMALE_NAMES = words(
    """abigail ada adele agnes alexandra alice alma amanda amelia amy anastasia andrea angela
    anita ann anna anne annie antonia barbara beatrice bertha bess beth betty brenda bridget
    carla carmen carol caroline catherine cecilia charlotte chloe christina christine clara
    clare claudia cleopatra colette cornelia cynthia daisy deborah diana dora doris dorothy
    edith edna eileen elaine eleanor elena elisabeth eliza elizabeth ella ellen elsa emily emma
    erica esther ethel eva eve evelyn fatima fiona flora florence frances freda frieda gertrude
    gina gloria grace greta hanna hannah harriet hazel heather heidi helen helena henrietta hilda
    ida ines ingrid irene iris irma isabel isabella ivy jane janet jean jennifer jenny jessica
    jill joan joanna josephine joyce judith judy julia julie juliet karen kate katharina katherine
    kathleen kitty laura lena leila lily linda lisa lotte louisa louise lucia lucy lydia mabel
    magda maggie margaret margarita maria marian marie marina marion marjorie marta martha mary
    matilda maud maya mia mildred millicent miriam molly monica nadia nancy naomi natalia nora
    olga olive olivia ottilie pamela patricia paula pauline penelope petra phoebe polly priya
    rachel rebecca rita rosa rosalind rose rosemary ruth sally sandra sara sarah sheila silvia
    sofia sonia sophia sophie stella susan susanna sylvia tamara tanya teresa theresa ursula
    valerie vera veronica victoria violet virginia wanda wendy wilhelmina winifred yvonne zoe"""
)
_SUFFIXES = ("ist", "eer", "ian", "woman", "man", "men", "women", "ologist", "ographer", "smith")
_NOT_PERSONS = words("german human roman list mist twist fist wrist chest")


def is_person_noun(lemma: str) -> bool:
    """Whether a common noun names a person.

    >>> is_person_noun("typist"), is_person_noun("bridge")
    (True, False)
    """
    if lemma in PERSONS:
        return True
    return len(lemma) > 4 and lemma.endswith(_SUFFIXES) and lemma not in _NOT_PERSONS
