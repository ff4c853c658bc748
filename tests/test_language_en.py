"""What the English pack reads in a text, and which texts it takes for English."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from mendory.errors import DependencyMissing
from mendory.language import Language, Quantity, Word, choose, language_of
from mendory.language.en import English
from mendory.language.en.forms import folded

ENGLISH = English()


@pytest.fixture
def _fresh_choice() -> Iterator[None]:
    """Languages are looked up once a process; a test that plugs one in looks again, and so do those after it."""
    choose._others.cache_clear()
    yield
    choose._others.cache_clear()


def words(text: str) -> list[tuple[str, bool]]:
    """Folds of the words of content, and whether a negation reaches them."""
    return [(word.fold, word.negated) for word in ENGLISH.read(text).words if word.content]


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("1,000 boxes", ("1000", "")),
        ("twenty-five boxes", ("25", "")),
        ("a dozen boxes", ("12", "")),
        ("two hundred and six boxes", ("206", "")),
        ("three thousand boxes", ("3000", "")),
        ("2k boxes", ("2000", "")),
        ("1.5 million people", ("1500000", "")),
        ("3.5%", ("3.5", "%")),
        ("3.5 per cent", ("3.5", "%")),
        ("4 km", ("4000", "m")),
        ("4km", ("4000", "m")),
        ("a 4-kilometre walk", ("4000", "m")),
        ("two hours", ("7200", "s")),
        ("30s", ("30", "s")),
        ("$4,000", ("4000", "USD")),
        ("US$40", ("40", "USD")),
        ("$3bn", ("3000000000", "USD")),
        ("40 cents", ("0.4", "USD")),
        ("5 kg", ("5000", "g")),
        ("3 years", ("36", "month")),
        ("5 MW", ("5000000", "W")),
        ("5 mW", ("0.005", "W")),
        ("21 °C", ("21", "°C")),
        ("the third time", ("3", "th")),
        ("the 8th time", ("8", "th")),
        ("half a litre", ("0.5", "l")),
    ],
)
def test_a_quantity_has_one_form(text: str, quantity: tuple[str, str]) -> None:
    """Digits, words, short forms and units of one dimension come to one number and one unit."""
    value, unit = quantity
    assert (Quantity(Decimal(value), unit),) == ENGLISH.read(text).quantities


@pytest.mark.parametrize("text", ["one of the boxes", "no one came", "in the 1990s", "her 30s", "this one", "twofold"])
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    """Pronouns, decades and ages of life are no quantities."""
    assert () == ENGLISH.read(text).quantities or ENGLISH.read(text).quantities[0].unit == ""
    assert not [q for q in ENGLISH.read(text).quantities if q.unit]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("due Oct 15", {"month:10", "day:15"}),
        ("due October 15th, 2024", {"month:10", "day:15", "year:2024"}),
        ("due on the 15th of October", {"month:10", "day:15"}),
        ("due 15 October 2024", {"month:10", "day:15", "year:2024"}),
        ("due 2024-10-15", {"month:10", "day:15", "year:2024"}),
        ("due 10/15/2024", {"month:10", "day:15", "year:2024"}),
        ("due 15/10/2024", {"month:10", "day:15", "year:2024"}),
        ("due on Tuesday", {"weekday:2"}),
        ("due Tue", {"weekday:2"}),
        ("due tomorrow", {"relative:1"}),
        ("due tonight", {"relative:0", "part:night"}),
        ("call at 3pm", {"time:15:00"}),
        ("call at 3 p.m.", {"time:15:00"}),
        ("call at 15:30", {"time:15:30"}),
        ("call at 12am", {"time:00:00"}),
        ("call at 9 o'clock", {"time:09:00"}),
        ("since 2019", {"year:2019"}),
        ("next week", {"week:1"}),
        ("in May", {"month:5"}),
        ("every week", {"every:week"}),
        ("it may rain, they march on", set()),
        ("has 2019 sheep", set()),
    ],
)
def test_a_day_has_one_form(text: str, dates: set[str]) -> None:
    """Days, months, years, weekdays and times are read however they are written, "may" and "march" where they are."""
    assert dates == ENGLISH.read(text).dates


@pytest.mark.parametrize(
    ("text", "names", "versions"),
    [
        ("Moved to Oslo", {"oslo"}, set()),
        ("Anna's sister moved", {"anna"}, set()),
        ("Kubernetes runs here", {"kubernetes"}, set()),
        ("Talked to Anna Berg of the Bank of Norway", {"anna berg", "bank norway"}, set()),
        ("PR #260 merged", {"pr 260"}, set()),
        ("Config for app.users in etc/app.toml", {"app.users", "etc/app.toml"}, set()),
        ("The A100 is sold out", {"a100"}, set()),
        ("Write to anna@example.org", {"anna@example.org"}, set()),
        ("Lives in the US and the U.K.", {"usa", "britain"}, set()),
        ("Met 李伟 in May", {"李伟"}, set()),
        ("Uses Python 3.11", {"python"}, {"3.11"}),
        ("Pinned to v1.2 or 1.2.3", set(), {"1.2", "1.2.3"}),
        ("Meeting moved", set(), set()),
        ("Prefers tea. Likes rain.", set(), set()),
        ("Council Votes To Close Old Harbour Road", set(), set()),
    ],
)
def test_names_are_told_from_words(text: str, names: set[str], versions: set[str]) -> None:
    """Capitals inside a sentence, unknown words, codes and paths are names; a beginning and a headline are not."""
    reading = ENGLISH.read(text)
    assert (names, versions) == (reading.names, reading.versions)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("We do not eat meat raw", {"eat", "meat", "raw"}),
        ("I don't eat meat but fish", {"eat", "meat"}),
        ("I dont eat meat", {"eat", "meat"}),
        ("we don t eat meat raw", {"eat", "meat", "raw"}),
        ("I can't eat meat", {"eat", "meat"}),
        ("I cannot eat meat", {"eat", "meat"}),
        ("Tea without sugar, and cake", {"sugar"}),
        ("Not without sugar", set()),
        ("The cook is unhappy", {"happi"}),
        ("The cook is not unhappy", set()),
        ("I hate fish", {"like", "fish"}),
        ("I do not hate fish", set()),
        ("I can't stand fish", {"like", "fish"}),
        ("Prefers tea over coffee", {"coffe"}),
        ("Tea instead of coffee", {"coffe"}),
        ("Refuses to fly", {"accept", "fli"}),
        ("Not only fish but cake", set()),
        ("Not only fish", {"fish"}),
        ("No, I eat fish", set()),
        ("It is cold, isn't it?", set()),
    ],
)
def test_a_negation_reaches_to_the_end_of_its_clause(text: str, negated: set[str]) -> None:
    """What is denied is marked, with words of stance and of form, and denied twice it is not."""
    assert negated == {fold for fold, no in words(text) if no}


@pytest.mark.parametrize(
    ("text", "owners", "of_user"),
    [
        ("My mother lives alone", {"mother"}, False),
        ("His younger brother sings", {"brother"}, False),
        ("Anna's brother sings", {"anna's brother"}, False),
        ("Anna sings", {"anna"}, False),
        ("Anna Berg said it rains", set(), False),
        ("NASA sent a probe", set(), False),
        ("I sing", set(), True),
        ("User sings", set(), True),
        ("The user's car is red", set(), True),
        ("Likes rain", set(), True),
        ("The door is red", set(), False),
        ('"I sing," said Anna', set(), False),
    ],
)
def test_whom_a_statement_is_about(text: str, owners: set[str], of_user: bool) -> None:
    """Somebody else, the user, or nobody knows whom: what somebody says is not about who says it."""
    reading = ENGLISH.read(text)
    assert (owners, of_user) == (reading.owners, reading.of_user)


@pytest.mark.parametrize(
    ("text", "scenes"),
    [
        ("Drinks wine at business dinners", {"busi dinner"}),
        ("Reads on weekends", {"weekend"}),
        ("Sings when driving", {"drive"}),
        ("Sings while driving", {"drive"}),
        ("Runs in winter", {"winter"}),
        ("Lives in Oslo at sea level", set()),
    ],
)
def test_a_scene_is_read(text: str, scenes: set[str]) -> None:
    """When or where a statement holds; a place where something is is no scene."""
    assert scenes == ENGLISH.read(text).scenes


@pytest.mark.parametrize(
    ("text", "ended", "strength"),
    [
        ("Used to smoke", True, None),
        ("No longer smokes", True, None),
        ("Quit smoking", True, None),
        ("Doesn't smoke anymore", True, None),
        ("Is used to smoke", False, None),
        ("Stopped at a shop", False, None),
        ("Never smokes", False, 0),
        ("Hardly smokes", False, 1),
        ("Smokes a little", False, 2),
        ("Often smokes", False, 3),
        ("Smokes every day", False, 4),
        ("Often smokes, never drinks", False, None),
    ],
)
def test_ends_and_strength(text: str, ended: bool, strength: int | None) -> None:
    """Whether something is over, and how often or how much: None where a text says it of two things."""
    reading = ENGLISH.read(text)
    assert (ended, strength) == (reading.ended, reading.strength)


def test_kinds_and_opposites() -> None:
    """Words of one kind are marked, and opposites are found from both sides, of words without content too."""
    assert [("red", "colour")] == [(w.fold, w.kind) for w in ENGLISH.read("The door is red").words if w.kind]
    for one, other in (("open", "closed"), ("buy", "sell"), ("increase", "decrease"), ("hot", "cold")):
        assert folded(other)[0] in ENGLISH.opposites(folded(one)[0])
        assert folded(one)[0] in ENGLISH.opposites(folded(other)[0])
    assert "off" in ENGLISH.opposites("on")
    assert frozenset() == ENGLISH.opposites("table")


@pytest.mark.parametrize(
    ("word", "form"),
    [("went", "go"), ("travelling", "travel"), ("colours", "color"), ("mom", "mother"), ("purchased", "buy")],
)
def test_forms_of_a_word_are_one(word: str, form: str) -> None:
    """Inflection, spelling and words of one meaning come to one form."""
    assert folded(form)[0] == folded(word)[0]


def test_words_keep_what_is_written() -> None:
    """A word holds its text as written beside what is compared; quantities and dates are not among the words."""
    assert (
        Word("Likes", "like"),
        Word("oranges", "orang", kind="colour"),
    ) == ENGLISH.read("Likes 3 oranges, 2024-05-01").words


def test_sentences() -> None:
    """Sentences end where they end: not behind a title, inside a number or at a name; separators part notes too."""
    assert ("Met Dr. Berg at 3.30.", "She likes v1.2!", "Then we left.") == ENGLISH.sentences(
        "Met Dr. Berg at 3.30. She likes v1.2! Then we left."
    )
    assert ("Lives in Oslo", "Lives in Oslo") == ENGLISH.sentences("Lives in Oslo; Lives in Oslo")
    assert ("Likes tea", "Has a cat") == ENGLISH.sentences("Likes tea\n\nHas a cat\n")
    assert () == ENGLISH.sentences("  ")


@pytest.mark.parametrize(
    "text",
    [
        "PR #260 merged",
        "DGX",
        "A100",
        "Oslo",
        "Prefers Vim",
        "Lives in Zürich",
        "Deadline moved",
        "Met 李伟 in Oslo",
        "ok",
    ],
)
def test_english_is_read(text: str) -> None:
    """English texts, and short ones that are names or codes alone, are read as English."""
    assert "en" == getattr(language_of(text), "code", None)


@pytest.mark.parametrize(
    "text",
    [
        *("Ich mag keinen Kaffee", "Mag Kaffee", "Je n'aime pas le thé", "No me gusta el café", "Non mi piace il tè"),
        *("Não gosto de café", "Ze houdt niet van thee", "Jeg liker ikke kaffe", "Tidak suka kopi", "Kahve sevmiyorum"),
        *("Не люблю густой кофе", "コーヒーが好き", "커피를 싫어해요", "", "12:30", "👍"),
    ],
)
def test_no_language_reads_what_none_knows(text: str) -> None:
    """Other languages in Latin letters are not taken for English, whose rules would miss their negations."""
    assert None is language_of(text)


@pytest.mark.usefixtures("_fresh_choice")
def test_a_plugged_in_language_is_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language by entry point reads what those that come with Mendory do not, and only in its scripts."""

    class Esperanto(English):
        code = "eo"

        def speaks(self, text: str) -> bool:
            return True

    class Found:
        name, value = "eo", "somewhere:ESPERANTO"

        def load(self) -> Language:
            return Esperanto()

    monkeypatch.setattr(choose, "entry_points", lambda group: [Found()] if group == choose.GROUP else [])
    got = [getattr(language_of(text), "code", None) for text in ("Mi ne ŝatas kafon", "Likes tea", "コーヒー")]
    assert ["eo", "en", None] == got


@pytest.mark.usefixtures("_fresh_choice")
def test_a_plugged_in_language_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point that names something else is an error that says what it lacks; nothing is judged without it."""

    class Found:
        name, value = "eo", "somewhere:ESPERANTO"

        def load(self) -> object:
            return object()

    monkeypatch.setattr(choose, "entry_points", lambda group: [Found()])
    with pytest.raises(DependencyMissing, match="'eo' \\(somewhere:ESPERANTO\\) lacks code, scripts"):
        language_of("Likes tea")
