"""Word lists of English: which words carry no meaning of their own, and which tell its neighbours apart from it."""

from __future__ import annotations

from mendory.language.en.wordnet import KNOWN


def ordered(words: str) -> tuple[str, ...]:
    """Words written with spaces between, in their order."""
    return tuple(words.split())


def listed(words: str) -> frozenset[str]:
    """Words written with spaces between."""
    return frozenset(words.split())


FUNCTION = listed(
    """
a an the this that these those there here it its it's itself i me my mine myself we us our ours ourselves you your
yours yourself he him his himself she her hers herself they them their theirs themselves who whom whose which what
and or but nor so yet if then than as of at by for with about into onto through to from up down in out on off over
under again further am is are was were be been being have has had having do does did doing will would shall should can
could may might must ought let lets because while although though whereas however both either each other such own
just also too very much many more most some any all no not never only even still already quite rather really s t d ll m
re ve don didn doesn isn aren wasn weren won wouldn shouldn couldn hasn haven hadn cannot im ive id youre thats
dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt hasnt havent hadnt cant n't ain aint
well yes yeah ok okay oh hey please like's when where why how whether upon per via within without toward towards
around between among during before after above below since until till across along behind beside besides near
one ones something anything everything someone anyone everyone somebody anybody everybody nobody none nothing neither
get got gets getting user user's users mr mrs ms dr
"""
)
"""Words that carry no content when two texts are compared. Prepositions are read where they matter, as roles."""

_EVIDENCE = listed(
    """
the a an and or but of to in on at for with from by about is are was were be been has have had do does did will would
can could should not no never i my me you your he his she her it its we our they their this that these those who what
when where which user likes like loves love prefers prefer wants want uses use works work lives live moved hates
dislikes enjoys drinks eats does don't doesn't isn't every always often sometimes than more most there
"""
)
_OTHERS = listed(
    """
nein der die das und oder ist sind nicht kein keine keinen ein eine einen dem den des ich du er wir ihr mag
mögen liebt mit
für auf von zu auch nach wenn trinkt isst hat haben wohnt arbeitet nie immer kaffee tee benutzer bevorzugt gern le
la les un une et ou est sont ne pas aux je tu il elle nous vous mon ma mes son sa ses que qui dans pour avec sur aime
j'aime préfère déteste boit mange habite travaille jamais toujours café thé utilisateur c'est l'utilisateur el los las
una es no del al yo tú él ella mi mis su sus en para con por gusta prefiere odia bebe come vive trabaja nunca siempre
usuario me lo gli uno sono non della di io lui lei mio mia suo sua che per preferisce beve mangia abita lavora mai
sempre utente piace os as um uma são não do da dos eu ele ela meu minha seu em com gosta prefere mora het een of is
niet geen ik jij hij zij mijn zijn haar van voor met op houdt drinkt eet woont werkt nooit altijd och eller är inte
jag han hon min sin som på med för gillar dricker bor aldrig alltid det ett jeg ikke og kan lide hader elsker hun af
tycker kaffe saya tidak suka dan yang untuk dari minum bukan aku kopi teh değil seviyorum çok bir ve kahve içmem
içerim tôi không thích và là của hän ei juo pidän kahvia nem szeretem és egy kávét ja jest lubi lubię się na że pije
mieszka nigdy zawsze nemám rád nu îmi place și
"""
)
_BOTH = (_EVIDENCE | FUNCTION) & _OTHERS
ENGLISH = (_EVIDENCE | {word for word in FUNCTION if len(word) > 1}) - _BOTH
"""Words that say that a text is English; those that another language has too say nothing."""
OTHERS = _OTHERS - _BOTH - KNOWN
"""Words that say that a text in Latin letters is in another language."""

ENDS = listed("but however although though because since so while whereas unless if when whenever until then")
"""Words behind which a negation before them no longer holds."""

STRENGTH = {
    "never": 0,
    "hardly": 1,
    "barely": 1,
    "scarcely": 1,
    "rarely": 1,
    "seldom": 1,
    "infrequently": 1,
    "sometimes": 2,
    "occasionally": 2,
    "slightly": 2,
    "often": 3,
    "frequently": 3,
    "usually": 3,
    "regularly": 3,
    "generally": 3,
    "mostly": 3,
    "weekly": 3,
    "always": 4,
    "constantly": 4,
    "daily": 4,
    "everyday": 4,
    "nightly": 4,
}
"""How often or how much a word says: `Reading.strength`."""

STRENGTH_PHRASES = {
    ("a", "little"): 2,
    ("a", "bit"): 2,
    ("a", "lot"): 3,
    ("every", "day"): 4,
    ("each", "day"): 4,
    ("every", "time"): 4,
    ("every", "night"): 4,
    ("every", "morning"): 4,
    ("every", "evening"): 4,
    ("every", "week"): 3,
    ("most", "days"): 3,
    ("at", "times"): 2,
    ("now", "and"): 2,
    ("once", "in"): 2,
    ("from", "time"): 2,
    ("very", "much"): 3,
    ("almost", "never"): 1,
}
"""The same of two words in a row."""
