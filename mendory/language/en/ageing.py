"""What lasts and what is soon over, in English."""

from __future__ import annotations

import re

_ALLERGY = (
    r"\ballergic\b|\ballerg(?:y|ies)\s+(?:to|are|is)\b|\ballergies:|\banaphyla"
    r"|\b(?:lactose|gluten|fructose|histamine)[ -]intoleran|\bintoleran(?:t of|t to|ce to)\b"
    r"|\b(?:has|have|had|with|no|known|food|severe|drug|nut|peanut|pollen)\s+(?:\w+\s+){0,2}allerg(?:y|ies)\b"
)
_BODY = (
    r"\bblood (?:type|group)\b|\bpace-?maker\b|\bwheelchair|\bhard of hearing\b|\bcolou?r[ -]?blind"
    r"|\bdisabilit(?:y|ies)\b|\b(?:is|am|are|was born|legally|i'm|he's|she's)\s+(?:\w+\s+)?"
    r"(?:deaf|blind|paraplegic|autistic|dyslexic|diabetic|epileptic|asthmatic|ha?emophiliac|hiv[ -]positive)\b"
)
_ILLNESS = (
    r"\b(?:diabetes|asthma|epilepsy|hypertension|high blood pressure|co?eliac|chronic|haemophilia|hemophilia"
    r"|multiple sclerosis|parkinson|crohn|cystic fibrosis|sickle[ -]cell|thyroid|arthritis"
    r"|heart (?:condition|disease)|kidney disease|autism|dyslexia)"
)
_FAITH = (
    r"\breligio(?:n|us)\b|\bhalal\b|\bkosher\b"
    r"|\b(?:is|am|are|i'm|he's|she's|devout|practi[sc]ing)\s+(?:an?\s+)?(?:\w+\s+)?"
    r"(?:muslim|christian|catholic|protestant|orthodox jew|jewish|jew|hindu|buddhist|sikh|atheist|mormon)\b"
)
_ORIGIN = (
    r"\bbirthday(?:\s+(?:is|falls)|:|'s)|\bdate of birth\b|\b(?:was|were|is) born\b|^born\b"
    r"|\b(?:full|maiden|first|last|legal|given|real|family|sur)[ -]?name\b|\bname is\b|\bname:|\bis called\b"
    r"|\bnative language\b|\bmother tongue\b|\b(?:gender|zodiac|star sign|ethnicity)\b"
)
_LASTING = re.compile("|".join((_ALLERGY, _BODY, _ILLNESS, _FAITH, _ORIGIN)), re.IGNORECASE)

_SHORT = (
    r"(?:(?:fix|debugg|deploy|migrat|refactor|investigat|test|review|install|upgrad|patch|troubleshoot|merg|rebas|"
    r"reproduc|bisect|restor|releas)ing|rolling (?:back|out)|looking into|tracking down|setting up|"
    r"wrapping up|cleaning up|waiting for)\b(?!\s+(?:is|are|takes|as an?)\b)"
)
_LONG = r"(?:work|build|writ|implement|prepar|draft|updat|port|rewrit|optimi[sz]|configur|plann|cod|develop)ing\b"
_TODAY = (
    r"\b(?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening|week|sprint)|as we speak|just now)\b"
)
_NOW = r"\b(?:currently|now|still|presently|busy)\b"
_DOING = r"\b(?:is|am|are|i'm|we're|they're|he's|she's|user's)\s+(?:\w+ly\s+|now\s+|still\s+|busy\s+)?"
_UNDER_WAY = re.compile(
    rf"(?:{_TODAY}.*\b(?:{_SHORT}|{_LONG})|\b(?:{_SHORT}|{_LONG}).*{_TODAY}|{_NOW}\s+(?:\w+ly\s+)?{_SHORT}|{_DOING}{_SHORT}"
    r"|^(?:fix|debugg|deploy|migrat|investigat|troubleshoot)ing\b|\b(?:is|are|work|still) (?:in progress|under ?way)\b"
    r"|\bin progress\b|\bwip\b|\bin the middle of (?:\w+\s+)?\w+ing\b)",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"\b(?:every|each|usually|always|often|generally|regularly|daily|weekly|monthly|never|likes?|loves?|hates?|enjoys?|"
    r"prefers?|preferred|job|career|hobby|living|responsible|good at|experienced|interested|was|were|had been|used to|"
    r"should|must|don't|do not|if|when|whenever|before|after|while|would|could|plans?|policy|how to)\b",
    re.IGNORECASE,
)
_HINTS = (
    *(
        "allerg",
        "anaphyla",
        "intoleran",
        "blood",
        "pacemaker",
        "pace-maker",
        "wheelchair",
        "hearing",
        "blind",
        "disabilit",
    ),
    *("deaf", "plegic", "autis", "dyslex", "diabet", "epilep", "asthma", "emophilia", "hiv", "hypertension", "eliac"),
    *("chronic", "sclerosis", "parkinson", "crohn", "fibrosis", "sickle", "thyroid", "arthritis", "heart", "kidney"),
    *(
        "religio",
        "halal",
        "kosher",
        "muslim",
        "christian",
        "catholic",
        "protestant",
        "jew",
        "hindu",
        "buddhist",
        "sikh",
    ),
    *("atheist", "mormon", "birth", "born", "name", "called", "native", "tongue", "gender", "zodiac", "sign", "ethnic"),
)
"""One of them is in whatever lasts: most texts have none, and need no expression."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


def lasting(text: str) -> bool:
    """Whether the text says what holds for life or nearly so."""
    low = text.lower()
    return any(hint in low for hint in _HINTS) and _LASTING.search(text.replace("’", "'")) is not None


def under_way(text: str) -> bool:
    """Whether a sentence says that a task is being done; one of a habit, a rule, a plan or the past does not."""
    return any(
        _UNDER_WAY.search(sentence) is not None and _HABIT.search(sentence) is None
        for sentence in _SENTENCE.split(text.replace("’", "'").strip())
    )
