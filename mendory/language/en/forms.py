"""The forms of an English word brought to one: inflection, spelling, words of one meaning, prefixes that say no."""

from __future__ import annotations

from functools import lru_cache

import Stemmer

from mendory.language.en.lists import FUNCTION, listed, ordered
from mendory.language.en.wordnet import FORMED, KNOWN

# Stems alone leave these apart. Each line: the form compared, then the forms that are brought to it.
_IRREGULAR = """
be am is are was were been being|have has had|do does did done|go goes went gone|get got gotten|make made
take took taken
come came|see saw seen|know knew known|give gave given|find found|think thought|tell told|become became|leave left
feel felt|bring brought|begin began begun|keep kept|hold held|write wrote written|stand stood|hear heard|mean meant
meet met|run ran|pay paid|sit sat|speak spoke spoken|lead led|grow grew grown|lose lost|fall fell fallen|send sent
build built|understand understood|draw drew drawn|break broke broken|spend spent|rise rose risen|drive drove driven
buy bought|wear wore worn|choose chose chosen|eat ate eaten|drink drank drunk|sleep slept|teach taught|catch caught
fight fought|sell sold|win won|fly flew flown|swim swam swum|sing sang sung|ride rode ridden|throw threw thrown
shoot shot|hide hid hidden|forget forgot forgotten|steal stole stolen|bite bit bitten|blow blew blown
freeze froze frozen
wake woke woken|shake shook shaken|dig dug|hang hung|feed fed|lie lying lies|man men|woman women|child children
person people|foot feet|tooth teeth|mouse mice|goose geese|wife wives|life lives|knife knives|leaf leaves|half halves
say said says|sink sank sunk|swing swung|bind bound|bend bent|lend lent|sweep swept|creep crept|stick stuck|slide slid
good better best|bad worse worst|far farther further
"""
_SPELLING = """
color colour colours colored coloured|favorite favourite favourites favorites|gray grey|center centre|theater theatre
organize organise organised organized organizing organising
travel travelling traveling travelled traveled traveler traveller
realize realise|jewelry jewellery|tire tyre|pajamas pyjamas|program programme|license licence|practice practise
airplane aeroplane plane|neighbor neighbour neighbours neighbors|flavor flavour|aluminum aluminium|mom mum mummy mommy
yogurt yoghurt|donut doughnut|cancel cancelled canceled cancelling|apologize apologise
meter metre meters metres|liter litre liters litres|kilometer kilometre kilometers kilometres
"""
# Words that say the same of nearly anything. A pair of texts that differs in these alone says one thing.
_SYNONYMS = """
mother mom mum mama mommy mummy|father dad daddy papa|grandmother grandma granny|grandfather grandpa
child kid kids|like love enjoy adore fond fan appreciate|big large huge|small little tiny|reply answer respond
response
brief short concise|buy purchase|start begin commence|finish complete|movie film|sofa couch|photo picture photograph
quick fast rapid|car automobile|house home|job occupation profession|doctor physician|lawyer attorney|bike bicycle
phone telephone cellphone|happy glad|ill sick|shut close closed
speak talk|reside live|require need|help assist|shop store
stone rock|woods forest|present gift|road street|near nearby|hard difficult|correct right|sure certain
important significant crucial|true truthful|error mistake|soccer
football
vegetable veggie veggies|maybe perhaps|likely probable|sea ocean|reduce decrease|increase raise|attempt try
tv television
coriander cilantro|aubergine eggplant|holiday vacation|flat apartment|exam test
colleague coworker co-worker|university college|trip journey
"""
# Of each pair the second word is the fold of the first, turned round. Those of form alone are in `wordnet`.
_TURNED = """
dislike like|hate like|detest like|loathe like|despise like|abhor like|disagree agree|distrust trust|mistrust trust
disconnected connected|misunderstand understand|disrespect respect|disbelief believe|disallow allow
immature mature|improper proper|inexpensive expensive|inflexible flexible|disorganized organized|inefficient efficient
disability ability|dissatisfied satisfied|careless careful|fearless afraid|jobless employed|unemployed employed
false true|wrong correct|reject accept|refuse accept|forbid allow|prohibit allow|deny admit|forget remember
ignore notice|uncertain sure|incompetent competent|disregard regard|disapprove approve|disobey obey|disable enable
"""
# What WordNet's texts are too old to know.
_RECENT = """
api app apps backend backup blog browser bug build cache cilantro cluster config configuration cookie cron
database dataset debug
default deploy deployment desktop dev domain download email endpoint frontend git hash http https id json
kernel keyboard
laptop license login logout markdown merge meeting metadata offline online password pipeline plugin port postcode prod
production query queue release repo repository rollback router runtime schema script sdk server smartphone
software spam
spreadsheet sql ssh staging startup sync timeout timezone token ui upload url username video web webhook website wifi
workflow yaml zip okay vegan yoga sushi pizza hike hiking gym selfie podcast playlist euro streaming gluten
keto max min retry retries env regex auth admin macos km kg cm mm ml gb mb lb mph hr yrs
allergic allergy vegetarian asthma diabetic lactose intolerant introvert extrovert freelance jogging spicy concise
"""
_NOT_UN = ordered(
    "under unless until unit unif uniq uniso univ union unic unil unanim uncanny uncover unfold unveil unleash "
    "unlock unpack unwrap"
)
_UNCLE = ("uncle", "uncles")  # and not the beginning of "unclear", "unclean"
_NOT_ABLE = ("inc", "ind", "ine", "ins", "inv", "irr", "ill", "imm", "imp")
_ABLE = ("invaluable", "incredible", "impressionable", "imaginable", "inimitable")
_NOT_NON = ("none", "nonsense", "nonetheless", "nonstop", "nonfiction", "nonprofit")


def _table(lines: str) -> dict[str, str]:
    groups = (group.split() for line in lines.strip().splitlines() for group in line.split("|"))
    return {form: group[0] for group in groups for form in group}


_FORMS = _table(_IRREGULAR)
_SPELLINGS = _table(_SPELLING)
_stem = Stemmer.Stemmer("english").stemWord
SYNONYMS = {
    word: group[0] if word != group[0] else group[1]
    for group in (group.split() for line in _SYNONYMS.strip().splitlines() for group in line.split("|"))
    if len(group) > 1
    for word in group
}
"""A listed word with another of its meaning."""
_SYNONYM = {_stem(form): _stem(word) for form, word in _table(_SYNONYMS).items()}
# Of forms with one stem the shortest says what it is of: insane, sane; not insanity, sanity.
_TURN = {_stem(form): _stem(base) for base, form in sorted(FORMED, key=lambda pair: -len(pair[1]))} | {
    _stem(form): _stem(base)
    for form, base in (pair.split() for line in _TURNED.split("\n") if line for pair in line.split("|"))
}


_KNOWN = {_stem(word) for word in (*KNOWN, *FUNCTION, *_FORMS, *_SPELLINGS, *listed(_RECENT))} | _SYNONYM.keys()
_ENDINGS = ("ing", "ed", "tion", "tions", "ment", "ness", "ly", "ers", "able", "ful", "less", "ship")


@lru_cache(maxsize=1 << 15)
def known(word: str) -> bool:
    """Whether a lower-case word is one of English, in any of its forms, as far as a list and endings tell."""
    return _stem(word) in _KNOWN or (len(word) > 4 and word.endswith(_ENDINGS))


@lru_cache(maxsize=1 << 15)
def folded(word: str) -> tuple[str, bool]:
    """The one form of a lower-case word, and whether the word says the opposite of that form.

    >>> folded("travelling"), folded("unhappy"), folded("hates")
    (('travel', False), ('happi', True), ('like', True))
    """
    word = _SPELLINGS.get(word, word)
    word = _FORMS.get(word, word)
    if word.endswith("ly") and len(word) > 5 and _stem(word[:-2]) in _KNOWN:
        word = word[:-2]  # what Snowball leaves: slowly
    stem: str = _stem(word)
    if stem in _TURN:
        turned = _TURN[stem]
        return _SYNONYM.get(turned, turned), True
    base = _unprefixed(word)
    if base is not None:
        stem = _stem(base)
        return _SYNONYM.get(stem, stem), True
    return _SYNONYM.get(stem, stem), False


def _unprefixed(word: str) -> str | None:
    """What is behind a prefix that says no; None without one. A wrong cut harms no pair: both texts are cut alike."""
    if word.startswith("un") and len(word) > 5 and not word.startswith(_NOT_UN) and word not in _UNCLE:
        return word[2:]
    if word.startswith(_NOT_ABLE) and word.endswith(("able", "ible")) and len(word) > 9 and word not in _ABLE:
        return word[2:]
    if word.startswith("non") and len(word) > 6 and not word.startswith(_NOT_NON):
        return word[3:]
    return None
