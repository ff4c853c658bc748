"""What people say of themselves, for examples: values of attributes, and ways to say them. All of it made up here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


def ordered(words: str) -> tuple[str, ...]:
    """Phrases written with commas between, in their order."""
    return tuple(phrase.strip() for phrase in words.replace("\n", " ").split(",") if phrase.strip())


@dataclass(frozen=True, slots=True)
class Slot:
    """A fact with one value at a time, or several: how it is said of oneself, and the values it may have.

    `{v}` stands for a value, `{n}` for a number. A value of `denials` says that there is none.
    """

    name: str
    ways: tuple[str, ...]
    values: tuple[str, ...]
    single: bool = True
    denials: tuple[str, ...] = ()
    was: tuple[str, ...] = ()


JOBS: Final = ordered("""
nurse, teacher, lawyer, plumber, chef, pilot, farmer, dentist, carpenter, librarian, accountant, firefighter, florist,
mechanic, photographer, waiter, waitress, banker, electrician, engineer, barber, baker, butcher, cashier, tailor,
journalist, architect, pharmacist, translator, truck driver, social worker, software developer, police officer,
real estate agent, dog trainer, personal trainer, yoga teacher, music teacher, web designer, bus driver, veterinarian,
painter, singer, soldier, secretary, scientist, security guard, model, surgeon, professor, gardener, hairdresser
""")
CITIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Lisbon": "Portugal",
        "Porto": "Portugal",
        "Madrid": "Spain",
        "Seville": "Spain",
        "Oslo": "Norway",
        "Bergen": "Norway",
        "Kyoto": "Japan",
        "Osaka": "Japan",
        "Munich": "Germany",
        "Hamburg": "Germany",
        "Toronto": "Canada",
        "Montreal": "Canada",
        "Lyon": "France",
        "Marseille": "France",
        "Dallas": "Texas",
        "Austin": "Texas",
        "Miami": "Florida",
        "Orlando": "Florida",
        "San Diego": "California",
        "Los Angeles": "California",
        "Chicago": "Illinois",
        "Boston": "Massachusetts",
        "Seattle": "Washington",
        "Denver": "Colorado",
        "Lima": "Peru",
        "Mumbai": "India",
        "Glasgow": "Scotland",
        "Dublin": "Ireland",
        "Sydney": "Australia",
        "Cairo": "Egypt",
    }
)
FOODS: Final = ordered("""
pizza, sushi, pasta, tacos, ice cream, chocolate, seafood, steak, cheese, mushrooms, salad, burgers, spicy food, curry,
coffee, green tea, beer, wine, bread, eggs, peanut butter, olives, onions, tomatoes, cilantro, noodles, pancakes, fish
""")
DOINGS: Final = ordered("""
hiking, swimming, reading, cooking, dancing, painting, running, gardening, fishing, camping, knitting, singing,
shopping, drawing, traveling, cycling, skiing, surfing, chess, yoga, video games, board games, photography, baking,
horseback riding, playing the guitar, playing the piano, watching movies, going to the gym, playing football
""")
THINGS: Final = ordered("""
jazz, rock music, country music, hip hop, classical music, horror movies, comedies, cats, dogs, horses, snakes, summer,
winter, the beach, the mountains, the city, crowds, rain, snow, flying, trains, football, baseball, basketball, math,
history, school, children, my job, crowded parties, long meetings, phone calls, mornings, dark mode, Python, Java
""")
FAVORITES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "color": ordered("red, blue, green, yellow, purple, orange, black, pink, white, gray"),
        "food": ordered("pizza, sushi, pasta, tacos, steak, ice cream, curry, cheese, chicken, lasagna"),
        "season": ordered("spring, summer, autumn, winter"),
        "sport": ordered("football, baseball, basketball, tennis, hockey, soccer, golf, volleyball"),
        "animal": ordered("the dog, the cat, the horse, the dolphin, the elephant, the owl, the tiger"),
        "music": ordered("jazz, rock, country, hip hop, classical, metal, pop, folk"),
        "subject": ordered("math, history, biology, art, chemistry, English, music, geography"),
        "day": ordered("Monday, Friday, Saturday, Sunday"),
        "drink": ordered("coffee, tea, beer, wine, orange juice, water, lemonade"),
    }
)
CARS: Final = ordered("Ford, Toyota, Honda, BMW, Tesla, Jeep, Volvo, Audi, truck, minivan, motorcycle, old Volkswagen")
COLORS: Final = ordered("red, blue, green, black, brown, blond, gray")
PETS: Final = ordered("dog, cat, parrot, rabbit, hamster, snake, horse, turtle, goldfish, lizard")
KIN: Final = ordered(
    "brother, sister, mother, father, son, daughter, wife, husband, best friend, boss, neighbor, cousin"
)
NAMES: Final = ordered("""
Maria Santos, David Kim, Anna Weber, Omar Haddad, Lucy Brown, Peter Novak, Grace Lee, Tom Baker, Elena Rossi,
Ivan Petrov, Priya Nair, Jack Wilson, Sofia Lund, Carlos Vega, Emma Clark, Noah Fischer, Hana Sato, Paul Martin,
Nina Costa, Ray Diaz
""")
COMPANIES: Final = ordered("""
a bank, a hospital, a school, a restaurant, a law firm, a grocery store, a factory, a bookstore, a hotel, a museum,
Acme, Globex, Initech, Northwind, Contoso, a small startup, the post office, the zoo, a call center, an airline
""")
LIKES: Final = ordered("""
I love {v}, I like {v}, I really enjoy {v}, I am a big fan of {v}, I can't get enough of {v}, I adore {v},
I am fond of {v}, I enjoy {v} a lot
""")
DISLIKES: Final = ordered("""
I hate {v}, I don't like {v}, I can't stand {v}, I dislike {v}, I do not enjoy {v}, I am not a fan of {v}, I avoid {v},
I have never liked {v}, I don't care for {v}
""")
SCENES: Final = ordered("""
at work, on weekends, at home, in the evening, in the morning, at business dinners, on holiday, at parties,
when traveling, at school, in winter, with friends
""")
NUMBERS: Final = ordered("one, two, three, four, five, six, seven, eight, nine, ten")

SLOTS: Final[tuple[Slot, ...]] = (
    Slot(
        "job",
        ordered("""I am a {v}, I work as a {v}, my job is being a {v}, I make my living as a {v}, I am employed as a
        {v}, I have worked as a {v} for years, I earn money as a {v}"""),
        JOBS,
        denials=ordered(
            "I have no job, I am unemployed, I do not work, I am retired, I lost my job and have not found another"
        ),
        was=ordered("I used to be a {v}, I once worked as a {v}, I was a {v} long ago"),
    ),
    Slot(
        "lives_in",
        ordered("""I live in {v}, my home is in {v}, I am living in {v} now, I have settled in {v}, I reside in {v},
        I moved to {v} and live there"""),
        tuple(CITIES),
        was=ordered(
            "I used to live in {v}, I lived in {v} as a child, I visited {v} last year, I would like to visit {v}"
        ),
    ),
    Slot(
        "employer",
        ordered("I work at {v}, I work for {v}, my employer is {v}, I have a job at {v}, I am employed at {v}"),
        COMPANIES,
        denials=ordered("I am unemployed, I do not have a job, I am between jobs"),
        was=ordered("I used to work at {v}, I once applied at {v}"),
    ),
    Slot(
        "children",
        ordered("I have {n} children, I have {n} kids, I am raising {n} children, I am a parent of {n} kids"),
        NUMBERS[1:],
        denials=ordered("I have no children, I don't have any kids, I am childless, I have no kids"),
    ),
    Slot(
        "siblings",
        ordered("I have {n} siblings, I have {n} brothers and sisters, there are {n} other children in my family"),
        NUMBERS[1:],
        denials=ordered("I am an only child, I have no siblings, I don't have brothers or sisters"),
    ),
    Slot(
        "pets",
        ordered("I have {n} pets, I own {n} pets, I live with my {n} pets"),
        NUMBERS[1:],
        denials=ordered("I have no pets, I don't own any pets, I do not keep animals"),
    ),
    Slot(
        "pet",
        ordered("I have a {v}, I own a {v}, my pet is a {v}, I take care of my {v}, I love my pet {v}"),
        PETS,
        single=False,
        denials=ordered("I have no pets, I don't own any pets, I do not have a pet"),
        was=ordered("I used to have a {v}, I would like to get a {v}, I want a {v}"),
    ),
    Slot(
        "age",
        ordered("I am {n} years old, my age is {n}, I just turned {n}, I'm {n}"),
        tuple(str(n) for n in range(16, 80, 3)),
    ),
    Slot(
        "car",
        ordered("I drive a {v}, my car is a {v}, I get around in my {v}, I own a {v}"),
        CARS,
        denials=ordered("I do not own a car, I don't have a car, I can't drive, I have no driver's license"),
        was=ordered("I used to drive a {v}, I want to buy a {v}"),
    ),
    Slot("hair", ordered("my hair is {v}, I have {v} hair, I dyed my hair {v}"), COLORS),
    Slot("eyes", ordered("my eyes are {v}, I have {v} eyes"), ordered("blue, green, brown, gray, hazel")),
    Slot(
        "marital",
        ordered("I am {v}, right now I am {v}, I have been {v} for years"),
        ordered("married, single, divorced, engaged, widowed"),
    ),
    Slot(
        "partner",
        ordered("my husband is a {v}, my husband works as a {v}, I am married to a {v}, my spouse is a {v}"),
        JOBS,
        denials=ordered("I am single, I have never been married, I don't have a husband, I am not married"),
    ),
    Slot(
        "diet",
        ordered("I am a {v}, I have been a {v} for years, I follow the diet of a {v}"),
        ordered("vegan, vegetarian"),
        single=False,
        denials=ordered("""I eat meat every day, I love a good steak, I had a burger for lunch, I eat chicken most days,
        bacon is what I have for breakfast, my favorite food is steak, I enjoy grilling ribs"""),
    ),
    Slot(
        "studies",
        ordered("I study {v}, I am a student of {v}, my major is {v}, I am getting a degree in {v}"),
        ordered("law, medicine, art, biology, history, computer science, nursing, economics, music, engineering"),
        denials=ordered(
            "I never went to college, I am not a student, I dropped out of school, I finished school long ago"
        ),
        was=ordered("I used to study {v}"),
    ),
    Slot(
        "speaks",
        ordered("I speak {v}, I am fluent in {v}, I can speak {v}"),
        ordered("French, Spanish, German, Chinese, Russian, Italian, Arabic"),
        single=False,
        denials=ordered("English is the only language I speak, I speak only English"),
    ),
    Slot(
        "port",
        ordered("the api listens on port {v}, our server runs on port {v}, the service is on port {v}"),
        ordered("8080, 9090, 3000, 5432, 8000, 443, 6379"),
    ),
    Slot(
        "database",
        ordered("the project stores its data in {v}, our main database is {v}, we use {v} as the database"),
        ordered("Postgres, MySQL, SQLite, MongoDB, Redis"),
    ),
    Slot(
        "deadline",
        ordered("the deadline is {v}, the release is due on {v}, it has to be finished by {v}"),
        ordered("March 3, May 9, June 20, October 1, Friday, Monday, the end of July"),
    ),
)
