"""Names in English texts: capitals inside a sentence, acronyms, and whatever holds more than letters."""

from __future__ import annotations

from mendory.language.en.forms import folded, known
from mendory.language.en.lists import FUNCTION, listed
from mendory.language.en.tokens import Token

_TITLES = listed("mr mrs ms dr prof sir president chief judge sen rep gov lt gen col sgt st")
SAME = {
    "us": "usa", "united states": "usa", "usa": "usa", "american": "usa", "americans": "usa",
    "america": "usa",
    "uk": "britain", "united kingdom": "britain", "united nations": "un", "british": "britain",
    "britain": "britain", "england": "britain",
    "nyc": "new york", "french": "france", "spanish": "spain", "dutch": "netherlands",
    "holland": "netherlands", "german": "germany", "chinese": "china", "swiss": "switzerland",
}  # fmt: skip
_NO_NAME = listed("i ok tv am pm id faq asap fyi diy a.m. p.m. e.g. i.e. dr mr mrs ms")
# What a sentence begins with that is no name though followed by a verb; further ones are known by their endings.
_VERBS = listed("""
is was are were has had have likes like loves love prefers prefer hates hate works work lives live wants want uses use
said says moved owns drinks eats plays studies knows thinks enjoys dislikes refuses speaks reads writes runs needs takes
went got bought sold met can will would should could does did doesn't started stopped quit joined left became teaches
""")
_BEHIND_A_QUALITY = listed("to of for in with about at against on by from")
GIVEN = listed("""
james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark donald
steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric
jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry
tyler aaron jose adam nathan henry douglas zachary peter kyle walter ethan jeremy harold keith christian roger noah
gerald carl terry sean austin arthur lawrence jesse dylan bryan joe jordan billy bruce albert willie gabriel logan alan
juan wayne roy ralph randy eugene vincent russell elijah louis bobby philip johnny liam oliver lucas mason leo max tom
mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret sandra ashley
kimberly emily donna michelle carol amanda dorothy melissa deborah stephanie rebecca sharon laura cynthia kathleen amy
angela shirley anna brenda pamela emma nicole helen samantha katherine christine debra rachel carolyn janet catherine
maria heather diane ruth julie olivia joyce virginia victoria kelly lauren christina joan evelyn judith megan andrea
cheryl hannah jacqueline martha gloria teresa ann sara madison frances kathryn janice jean abigail alice julia judy
sophia grace denise amber doris marilyn danielle beverly isabella theresa diana natalie brittany charlotte marie kayla
alexis lori mike dave steve bob bill jim tim ben sam dan matt chris nick tony alex andy greg ken ron rob ted ed fred
kate kathy jenny liz sue beth ella mia zoe chloe lily eva ava nora ivy clara lucy jane rose caroline melanie joanna nate
""")


def titled(found: list[Token]) -> bool:
    """Whether a text is written like a headline or shouts, so that its capitals tell nothing."""
    words = [token for token in found if token.kind == "word" and token.low not in FUNCTION and len(token.low) > 3]
    common = sum(known(token.low) for token in words[1:])
    articles = any(token.text in ("the", "a", "an") for token in found)
    return common > 1 and not articles and all(token.text[0].isupper() for token in words)


def names(found: list[Token], used: set[int]) -> tuple[frozenset[str], frozenset[int]]:
    """The names of a text, and the tokens they are made of."""
    headline = titled(found)
    shouted = headline and sum(t.text.isupper() for t in found if t.kind == "word") > 0.6 * len(found)
    read: set[str] = set()
    places: set[int] = set()
    run: list[int] = []
    begins = True
    for at, token in enumerate(found):
        named = at not in used and _named(found, at, begins, headline, shouted)
        if named:
            run.append(at)
        elif not (run and token.text in ("-", "of", "&") and _capital(found, at + 1) and at - 1 == run[-1]):
            _close(found, run, read, places)
            run = []
        begins = (token.kind == "mark" and token.text in ".!?:;") or (begins and token.text in ("-", '"', "("))
    _close(found, run, read, places)
    return frozenset(read), frozenset(places)


def _capital(found: list[Token], at: int) -> bool:
    return at < len(found) and found[at].kind == "word" and found[at].text[0].isupper()


def _named(found: list[Token], at: int, begins: bool, headline: bool, shouted: bool) -> bool:
    token = found[at]
    if token.kind in ("name", "coded"):
        return token.low not in _NO_NAME
    if token.kind != "word" or token.low in _NO_NAME:
        return False
    text = token.text
    if token.low not in FUNCTION and [t.text for t in (*found[max(at - 1, 0) : at], *found[at + 1 : at + 2])] == [
        '"',
        '"',
    ]:
        return True  # task 'backup'
    if not text[0].isupper():
        return not text.islower() and not text.isupper()  # macOS, 李伟
    if text.isupper() and len(text) == 1:
        return not begins and not headline  # vitamin C, plan B; an article in capitals begins a sentence
    if text.isupper() and len(text) > 1:
        return not shouted and not (token.low in FUNCTION and token.low != "us")
    if token.low in FUNCTION or token.low in _TITLES:
        return False
    if not text[1:].islower() and len(text) > 1:
        return True
    if headline:
        return token.low in GIVEN
    return not begins or _begins_named(found, at)


def _begins_named(found: list[Token], at: int) -> bool:
    """Whether the word that begins a sentence, and so has a capital anyway, is a name."""
    token = found[at]
    if token.low in GIVEN or (len(token.low) > 2 and token.text.isascii() and not known(token.low)):
        return token.low in GIVEN or at + 1 == len(found) or found[at + 1].low not in _BEHIND_A_QUALITY
    following = found[at + 1] if at + 1 < len(found) else None
    if following is None:
        return False
    if following.low == "'s" and at + 2 < len(found):
        return folded(token.low)[0] not in ("let", "what", "who", "there", "here") and found[at + 2].low not in (
            "a",
            "the",
            "been",
            "not",
        )
    if (
        _capital(found, at + 1)
        and following.low not in FUNCTION
        and len(following.text) > 1
        and following.text[1:].islower()
    ):
        return token.low not in _VERBS
    return any(
        other.text == token.text and i and found[i - 1].kind == "word" for i, other in enumerate(found) if i != at
    )


def _close(found: list[Token], run: list[int], read: set[str], places: set[int]) -> None:
    if not run:
        return
    parts = [found[at].low.strip("#") if found[at].kind == "name" else found[at].low for at in run]
    whole = " ".join(parts)
    read.add(SAME.get(whole) or " ".join(SAME.get(part, part) for part in parts))
    places.update(run)
