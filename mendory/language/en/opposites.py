"""Words that say the opposite of one another, and classes whose members exclude one another.

Curated, beside those of WordNet (`wordnet`): pairs in which one word in place of the other turns a statement round.
Words with a prefix that says no are not here: `forms.folded` reads them as the word without it, turned.
"""

from __future__ import annotations

from collections import defaultdict

from mendory.language.en.forms import folded
from mendory.language.en.lists import FUNCTION
from mendory.language.en.wordnet import OPPOSED

# left side | right side: each word on one side is the opposite of each on the other.
_PAIRS = """
accept | reject refuse decline
add | remove subtract delete
agree | argue
alive living | dead deceased
all every everyone everybody | none nobody
always | never rarely seldom
ancient old | modern new
old elderly aged | young youthful
appear | vanish
approach | retreat
arrive arrival | depart departure leave
ascend climb | descend
asleep sleep | awake
attack | defend
attract | repel
awake | asleep
back rear | front
beautiful pretty handsome attractive | ugly hideous unattractive
begin start | end finish stop
best | worst
better | worse
big large huge enormous great gigantic | small little tiny minor miniature
black dark | white
bless | curse
bold brave courageous | shy timid cowardly
boy man male gentleman guy | girl woman female lady
boyfriend husband | girlfriend wife
brother | sister
son | daughter
father | mother
uncle | aunt
nephew | niece
king | queen
bright brilliant | dark dim dull
build create construct | destroy demolish
buy purchase | sell
calm peaceful | nervous anxious agitated stormy
cheap affordable | expensive costly pricey
clean tidy | dirty filthy messy
clear | cloudy vague obscure
clever smart intelligent | stupid dumb foolish
close shut | open
combine unite | separate divide split
come | go
common usual ordinary | rare unusual exceptional special
complex complicated | simple easy
complete whole | partial
confirm | deny cancel
conservative | liberal progressive
cool cold chilly freezing | warm hot
correct | mistaken
formal | informal casual
cruel | kind gentle
cry weep | laugh smile
damage break | repair fix
danger dangerous risky | safe safety secure
day daytime | night nighttime
deep | shallow
defeat lose loss | win victory triumph
demand | supply
deposit | withdraw
difficult hard tough | easy simple effortless
dress wear | undress
dry | wet damp
early | late
earn | spend
east eastern | west western
emigrate | immigrate
empty vacant | full occupied
enemy foe | friend ally
enter entrance | exit leave
enable | disable
encourage | discourage
even | odd
exclude | include
excited enthusiastic | bored indifferent
expand grow extend | shrink contract
export | import
external outside exterior outdoor outdoors | internal inside interior indoor indoors
fact | fiction
fail failure | succeed success pass
fake false artificial | real genuine true authentic
famous | unknown
far distant | near close nearby
fast quick rapid | slow
fat obese overweight heavy | thin slim slender skinny underweight
few | many
find | lose
first | last
float | sink
follow | lead
forget | remember
forgive | blame
forward | backward
free | busy occupied captive
freeze | melt boil
fresh | stale rotten
frequent | rare infrequent
gain | lose loss
generous | stingy greedy selfish
give | take receive
good excellent great wonderful | bad terrible awful evil poor horrible
guest | host
guilty | innocent
happy glad cheerful joyful | sad unhappy miserable depressed
healthy well | ill sick unhealthy
heaven | hell
heavy | light
high tall | low short
hire employ | fire dismiss
hit | miss
horizontal | vertical
humble modest | proud arrogant
increase rise raise grow gain climb | decrease reduce lower drop fall shrink decline
rise jump leap surge soar | fall slip dip plunge tumble
introvert introverted | extrovert extroverted outgoing
join | leave quit
junior | senior
keep | discard lose
know | guess
knowledge | ignorance
lazy | diligent hardworking industrious
left | right
legal lawful | illegal criminal
lend | borrow
lenient | strict
lock | unlock
long lengthy | short brief
love like | hate dislike
loud noisy | quiet silent
loose | tight
major | minor
married | single unmarried divorced
maximum most max | minimum least min
more | less fewer
morning | evening
natural | artificial
new | used old
noise | silence
normal | strange abnormal
north northern | south southern
obey | rebel
offer | refuse
on | off
online | offline
optimist optimistic | pessimist pessimistic
pack | unpack
parent | child
pass | fail
past | future
patient | impatient
peace | war
permanent | temporary
permit allow let | forbid prohibit ban prevent stop block
support supporter advocate proponent defend favor favour back | oppose opponent critic detractor against criticize
serious | playful joking
manageable | difficult
same alike | unlike
real | imaginary insubstantial
open | covert secret
logical | incoherent
include | omit
put add attach | remove detach
load | unload
fill | empty drain
board mount | alight dismount
lift | drop
catch | drop miss throw
cover hide | uncover show reveal
stand | sit lie kneel
move | rest
zip | unzip
tie | untie
button | unbutton
roll | unroll
freeze | thaw melt
inhale | exhale
light ignite | extinguish
gather collect | scatter disperse
hold grab | release
crawl | run
whisper | shout scream yell
frown | smile grin
win | lose
fold | unfold
wrap | unwrap
dress | undress
onto on into | off
in into | out
up | down
with | without
for | against
inside | outside
plus | minus
polite | rude
poor | rich wealthy
positive | negative
possess have own | lack
praise | criticize blame
present | absent
private | public
profit | loss
progress | regress
promote | demote
protect | harm attack
pull | push
question ask | answer reply
raise lift | lower drop
receive | send
rough | smooth
rural | urban
safe | dangerous
same | different other
save | spend waste
security | insecurity
sharp | blunt dull
sink | float
sit | stand
soft | hard
solid | liquid
sour | sweet
speak talk | listen silent
stay remain | leave go move
strong powerful | weak powerless
student pupil | teacher
sunny | rainy cloudy
superior | inferior
sunrise dawn | sunset dusk
teach | learn
thick | thin
tiny | giant huge
together | apart alone separately
top | bottom
trust | doubt suspect
truth | lie
up upward upstairs | down downward downstairs
upper | lower
urgent | unimportant
vegan vegetarian | carnivore omnivore
victory | defeat
visible | hidden
wake | sleep
walk | run
wide broad | narrow
wild | tame
winner | loser
wise | foolish
with | without
work employed | unemployed
adult | child kid
before | after
ahead | behind
front | behind
above over | below under beneath
approve | veto
active | passive idle
advance | delay postpone
admit | deny conceal
aggressive | peaceful gentle
enough sufficient | lacking
eager willing | reluctant unwilling
bullish | bearish
import | export
upgrade | downgrade
upload | download
online | offline
login | logout
sync synchronous | async asynchronous
local | remote international global foreign
manual manually | automatic automatically
dark | light
horizontal | vertical
stop cease halt | continue resume start
plug | unplug
mute | unmute
optional | mandatory required compulsory
ascending | descending
client | server
absolute | relative
bore boring dull | interesting exciting fun
delicious tasty | disgusting
crowded | deserted empty
curly | straight
lively | dull
occupied | vacant
raw | cooked
single | multiple
"""
# Each line a kind: its name, then its members.
_KINDS = """
colour: red blue green yellow orange purple pink brown black white gray beige turquoise silver gold violet maroon teal
direction: north south east west northeast northwest southeast southwest
kin: mother father brother sister uncle aunt cousin grandmother grandfather nephew niece wife husband son daughter
drink: tea coffee beer wine water milk juice coke cola soda lemonade whiskey vodka rum cocoa kombucha espresso latte
meat: beef pork chicken lamb fish turkey bacon ham tofu shrimp salmon tuna duck sausage crab lobster
fruit: apple banana grape mango pear peach strawberry cherry lemon lime pineapple watermelon kiwi plum blueberry
vegetable: potato tomato carrot onion cucumber broccoli spinach cabbage lettuce eggplant zucchini celery pumpkin garlic
dish: pizza pasta sushi burger hamburger taco burrito sandwich salad soup steak noodle curry ramen lasagna waffle rice
pet: dog cat horse rabbit hamster parrot goldfish turtle snake bird cow pig sheep goat monkey tiger lion elephant panda
plant: orchid fern rose tulip daisy lily cactus bamboo oak pine maple ivy moss sunflower lavender
sport: football basketball baseball tennis golf hockey swimming volleyball rugby cricket badminton skiing boxing
sport: surfing snowboarding fencing archery judo karate gymnastics rowing sailing cycling
instrument: guitar piano violin drum flute trumpet cello saxophone harp clarinet keyboard accordion ukulele banjo
voice: soprano alto tenor baritone bass
job: doctor nurse teacher lawyer engineer chef cook waiter plumber electrician carpenter accountant artist
job: actor singer dancer writer musician pilot farmer soldier dentist pharmacist librarian barber mechanic pianist
job: violinist guitarist drummer cellist
job: programmer developer designer architect journalist photographer cashier banker janitor secretary receptionist
job: firefighter veterinarian barista bartender baker butcher tailor student professor scientist paralegal
job: biologist chemist physicist economist historian psychologist geologist astronomer novelist poet sculptor painter
faith: christian muslim buddhist jewish hindu atheist catholic
season: winter summer spring autumn
size: small medium large
metal: iron copper steel aluminum brass bronze titanium
vehicle: car truck bus train plane boat bicycle motorcycle ship subway van taxi scooter helicopter
shape: circle square triangle rectangle
music: jazz rock pop classical country rap blues punk techno reggae folk opera
dance: ballet tango salsa waltz flamenco hip-hop tap
genre: fantasy thriller romance horror mystery biography memoir poetry comedy drama documentary
picture: landscape portrait wildlife macro
subject: math physics chemistry biology history geography economics literature philosophy psychology sociology
subject: astronomy geology linguistics law medicine nursing engineering architecture accounting marketing cybersecurity
degree: bachelor master doctorate phd diploma
room: kitchen bedroom bathroom garage basement attic
dwelling: house apartment cottage studio dormitory houseboat
seat: window aisle middle
clothing: shirt dress skirt jacket coat hat pants jeans shoe sock scarf sweater glove
limb: arm leg hand foot head knee ankle wrist shoulder elbow finger toe neck
level: low medium high
place: park beach forest desert mountain lake river restaurant hotel office museum library hospital airport
diet: vegan keto paleo pescatarian carnivore
illness: asthma diabetes epilepsy migraine arthritis eczema anemia
language: python java rust javascript typescript ruby kotlin perl scala php haskell
store: redis postgres postgresql mysql mongodb sqlite cassandra elasticsearch dynamodb memcached kafka rabbitmq
tool: vim emacs vscode pycharm notepad sublime
system: linux windows macos android ios ubuntu debian
cloud: aws azure gcp heroku
chat: slack teams zoom discord whatsapp telegram signal email sms
mode: dark light
payment: cash card cheque paypal
"""


def _opposites() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    sides = [[side.split() for side in line.split("|")] for line in _PAIRS.strip().splitlines()]
    pairs = [(a, b) for left, right in sides for a in left for b in right]
    for a, b in (*pairs, *OPPOSED):
        (one, turned), (other, other_turned) = ((word, False) if word in FUNCTION else folded(word) for word in (a, b))
        if one != other and turned == other_turned:
            found[one].add(other)
            found[other].add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _kinds() -> dict[str, str]:
    kinds: dict[str, str] = {}
    for line in _KINDS.strip().splitlines():
        kind, members = line.split(":")
        for member in members.split():
            kinds.setdefault(folded(member)[0], kind)
    return kinds


OPPOSITES = _opposites()
"""By fold: folds that say the opposite."""
KINDS = _kinds()
"""By fold: the class whose other members it excludes; a word of several classes has the first."""
