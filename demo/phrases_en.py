"""The English half: sentences as an assistant stores them, by topic."""

from __future__ import annotations

from typing import Final

from demo.phrases import Phrase, Phrases

_P = Phrase

PHRASES: Final[Phrases] = {
    "food": (
        _P("preference", "breakfast", "{p} drinks {drink} with breakfast, never anything sweet", ("{drink}", "1", "")),
        _P("fact", "dining", "{p} is allergic to {allergen}; warn the restaurant", ("{p}", "allergy", "{allergen}")),
        _P("preference", "dining", "{p} would rather not eat {dish} in the evening", ("{dish}", "-1", "evening")),
        _P("preference", "cooking", "For {dish}, {p} wants half the salt the recipe says", ("salt", "-1", "half")),
        _P("event", "dining", "Dinner with {p} and {q} at {place} on {date}; they shared the {dish}"),
        _P(
            "preference",
            "takeaway",
            "{p} orders {dish} from {place} when it gets late",
            ("{dish}", "1", "late evenings"),
        ),
        _P("ephemeral", "groceries", "{p} asked to put {grocery} on the list for {weekday}"),
        _P(
            "procedure", "cooking", "When {p} cooks {dish}, soak the {grocery} first and start the oven at {degrees} °C"
        ),
    ),
    "travel": (
        _P("preference", "flights", "{p} prefers {seat} on {daytime} flights", ("{seat}", "1", "{daytime} flights")),
        _P("fact", "flights", "{p} collects miles with {airline}", ("{p}", "loyalty_programme", "{airline}")),
        _P(
            "preference",
            "hotels",
            "{p} likes a quiet room away from the lift, ideally above the {floor} floor",
            ("quiet room", "1", "above the {floor} floor"),
        ),
        _P("event", "trips", "{p} flew to {city} on {date} and came back two days later"),
        _P(
            "fact",
            "documents",
            "{p}'s passport is valid until {month} {year}",
            ("{p}", "passport_expiry", "{month} {year}"),
        ),
        _P("ephemeral", "trips", "{p} needs a taxi to the station at {time} on {weekday}"),
        _P("procedure", "bookings", "Book {p}'s trips to {city} through the company portal and add the cost centre"),
        _P(
            "preference",
            "trains",
            "From {city}, {p} takes the train if under {hours} hours",
            ("train", "1", "under {hours} hours"),
        ),
    ),
    "health": (
        _P(
            "fact",
            "doctor",
            "{p} sees the {doctor} every {months} months",
            ("{p}", "sees_{doctor}", "every {months} months"),
        ),
        _P("event", "doctor", "{p} had an appointment with the {doctor} on {date}, nothing serious"),
        _P("preference", "sport", "{p} goes {sport} on {weekday} evenings", ("{sport}", "1", "{weekday} evenings")),
        _P("fact", "medication", "{p} takes {medicine} {dose}", ("{p}", "takes_{medicine}", "{dose}")),
        _P("ephemeral", "sleep", "{p} slept badly before {weekday} and wants short meetings that day"),
        _P(
            "preference",
            "sport",
            "{p} doesn't want running plans longer than {km} km",
            ("long runs", "-1", "over {km} km"),
        ),
        _P("procedure", "doctor", "Before {p} sees the {doctor}, send the last blood results and the insurance number"),
    ),
    "family": (
        _P("fact", "birthdays", "{p}'s birthday is on {date}", ("{p}", "birthday", "{date}")),
        _P(
            "fact",
            "school",
            "{p}'s {child} has {lesson} every {weekday}",
            ("{p}'s {child}", "lesson_day_{lesson}", "{weekday}"),
        ),
        _P("event", "visits", "{p}'s parents visited from {city} on {date}"),
        _P(
            "preference",
            "presents",
            "{p} is happy with {gift} as a present, nothing expensive",
            ("{gift}", "1", "inexpensive"),
        ),
        _P("ephemeral", "school", "Someone has to pick up {p}'s {child} at {time} on {weekday}"),
        _P("fact", "pets", "{p} has a {pet}", ("{p}", "pet", "{pet}")),
        _P("procedure", "visits", "When {p}'s family stays over, book {place} and leave the key with {q}"),
    ),
    "home": (
        _P("fact", "address", "{p} lives in {district}, {city}", ("{p}", "lives_in", "{district}, {city}")),
        _P(
            "preference",
            "heating",
            "{p} wants {degrees_room} °C while working from home",
            ("heating", "1", "{degrees_room} °C"),
        ),
        _P("event", "repairs", "The {appliance} was repaired on {date}; {p} kept the receipt"),
        _P("ephemeral", "deliveries", "A parcel for {p} arrives on {weekday} around {time}"),
        _P("procedure", "repairs", "If the {appliance} fails at {p}'s place, call {vendor} before touching anything"),
        _P(
            "fact",
            "contracts",
            "{p}'s electricity contract is with {vendor}",
            ("{p}", "electricity_supplier", "{vendor}"),
        ),
        _P(
            "preference",
            "cleaning",
            "{p} doesn't want the cleaner to come on {weekday}",
            ("cleaner", "-1", "{weekday}"),
        ),
    ),
    "money": (
        _P(
            "fact",
            "budget",
            "{p} keeps the monthly budget for {budget} at {price} euros",
            ("{p}", "budget_{budget}", "{price} EUR"),
        ),
        _P("preference", "payments", "{p} pays for {budget} by card", ("card", "1", "{budget}")),
        _P("event", "invoices", "{p} paid the invoice from {vendor} on {date}"),
        _P("ephemeral", "invoices", "Remind {p} on {weekday} to send the {budget} receipts"),
        _P("procedure", "expenses", "{p}'s expenses above {price} euros need {q}'s signature before they are filed"),
        _P("preference", "shopping", "{p} doesn't buy {gadget} second-hand", ("second-hand {gadget}", "-1", "")),
        _P(
            "fact",
            "subscriptions",
            "{p} subscribed to {media}, paid yearly in {month}",
            ("{p}", "subscription_{media}", "{month}"),
        ),
    ),
    "workday": (
        _P(
            "preference",
            "focus time",
            "{p} keeps {daytime} free for focused work on {weekday}s",
            ("meetings", "-1", "{daytime}s on {weekday}s"),
        ),
        _P(
            "preference",
            "messages",
            "{p} wants {channel} for anything urgent, not a phone call",
            ("{channel}", "1", "urgent"),
        ),
        _P("fact", "role", "{p} works as {role}", ("{p}", "role", "{role}")),
        _P("fact", "office", "{p} sits on the {floor} floor next to the {room}", ("{p}", "desk", "{floor} floor")),
        _P("event", "office", "{p} gave a talk about {subject} on {date}"),
        _P("ephemeral", "out of office", "{p} is out on {weekday} and {q} covers"),
        _P(
            "preference",
            "documents",
            "{p} wants {subject} summed up in five bullet points",
            ("summaries", "1", "five points"),
        ),
    ),
    "meetings": (
        _P("event", "decisions", "{p} and {q} agreed on {date} to postpone {subject} to {month}"),
        _P(
            "fact",
            "schedule",
            "The {project} weekly is on {weekday} at {time}",
            ("{project}", "weekly_meeting", "{weekday} {time}"),
        ),
        _P("procedure", "minutes", "Minutes about {subject} go to {p} first and to the whole team the next morning"),
        _P(
            "preference",
            "scheduling",
            "{p} doesn't take meetings before {time_early}",
            ("meetings", "-1", "before {time_early}"),
        ),
        _P("ephemeral", "scheduling", "{p} asked to move the talk about {subject} from {weekday} to the week after"),
        _P("event", "decisions", "{p} presented {subject} to {company} on {date}; they want figures by {month}"),
        _P("fact", "rooms", "{p} has booked the {room} for {subject}", ("{subject}", "room", "{room}")),
    ),
    "infrastructure": (
        _P("fact", "services", "{svc} listens on port {port} in {env}", ("{svc}", "port_{env}", "{port}")),
        _P("fact", "ownership", "{p} owns {svc}; ask {q} when {p} is away", ("{svc}", "owner", "{p}")),
        _P("procedure", "backups", "Back up {svc} in {env} before schema changes; keep it {days} days"),
        _P("event", "changes", "{p} moved {svc} to the {region} region on {date}"),
        _P(
            "preference",
            "tooling",
            "{p} prefers {tool} over click-through consoles for {svc}",
            ("{tool}", "1", "{svc}"),
        ),
        _P("ephemeral", "changes", "{svc} in {env} is frozen until {weekday} for {p}'s load test"),
        _P(
            "fact",
            "limits",
            "{svc} may use at most {gb} GB of memory in {env}",
            ("{svc}", "memory_limit_{env}", "{gb} GB"),
        ),
    ),
    "releases": (
        _P("event", "deployments", "Version {version} of {svc} went out on {date}; {p} watched the dashboards"),
        _P("fact", "schedule", "Releases of {svc} are cut on {weekday}s by {p}", ("{svc}", "release_day", "{weekday}")),
        _P("procedure", "deployments", "To roll {svc} back in {env}, run the {tool} job and tell {p} in the channel"),
        _P(
            "preference",
            "reviews",
            "{p} wants changes to {svc} under {lines} lines per review",
            ("large reviews", "-1", "over {lines} lines"),
        ),
        _P("ephemeral", "deployments", "{p} waits for the green build of {svc} before {weekday}"),
        _P("event", "testing", "{p} found the flaky test in {svc} on {date}: it depended on the time zone"),
        _P("fact", "versions", "{svc} in {env} runs on version {version}", ("{svc}", "version_{env}", "{version}")),
    ),
    "customers": (
        _P(
            "fact",
            "contacts",
            "{contact} is the contact for {subject} at {company}",
            ("{company}", "contact_{subject}", "{contact}"),
        ),
        _P(
            "preference",
            "correspondence",
            "{company} wants offers on {subject} in {lang}, tax shown apart",
            ("tax shown apart", "1", "{subject}"),
        ),
        _P("event", "visits", "{p} visited {company} in {city} on {date}"),
        _P(
            "fact",
            "contracts",
            "The contract with {company} for {subject} runs until {month} {year}",
            ("{company}", "contract_end_{subject}", "{month} {year}"),
        ),
        _P("ephemeral", "follow-up", "{p} promised {company} a call about {subject} on {weekday}"),
        _P("procedure", "complaints", "Complaints from {company} about {subject} go to {p}, with the order attached"),
        _P(
            "preference",
            "correspondence",
            "{company} doesn't want newsletters about {subject}",
            ("newsletters", "-1", "{subject}"),
        ),
    ),
    "incidents": (
        _P("event", "outages", "{svc} was down for {minutes} minutes on {date}; {p} restarted it in {env}"),
        _P("procedure", "on call", "When {svc} raises {alert} in {env}, check {svc2} first, then page {p}"),
        _P(
            "fact", "on call", "{p} is on call for {svc} every {nth} week", ("{p}", "on_call_{svc}", "every {nth} week")
        ),
        _P(
            "preference",
            "alerts",
            "{p} doesn't want to be woken for {alert} on {svc}",
            ("{alert} pages", "-1", "night"),
        ),
        _P("ephemeral", "alerts", "{alert} on {svc} is muted until {weekday}, {p} knows"),
        _P("event", "reviews", "In the review on {date} {p} traced {alert} of {svc} to {svc2}"),
        _P(
            "fact",
            "thresholds",
            "{alert} for {svc} fires above {percent} percent",
            ("{svc}", "threshold_{alert}", "{percent} %"),
        ),
    ),
    "research": (
        _P("fact", "reading", "{p} is reading {book} for the part on {subject}", ("{p}", "reads_{subject}", "{book}")),
        _P("event", "experiments", "{p} measured {subject} again on {date}: {percent} percent"),
        _P("procedure", "experiments", "{p} keeps raw files about {subject} for {days} days, named by day"),
        _P(
            "preference",
            "writing",
            "{p} wants {subject} explained with one worked example",
            ("worked example", "1", "{subject}"),
        ),
        _P("ephemeral", "reading", "{p} wants to finish {book} by {weekday}"),
        _P(
            "preference",
            "writing",
            "{p} doesn't like footnotes in texts about {subject}",
            ("footnotes", "-1", "{subject}"),
        ),
        _P(
            "fact",
            "data",
            "The {subject} data came from {company} in {month}",
            ("{subject}", "data_source", "{company}"),
        ),
    ),
}

TOPICS: Final = {topic: topic for topic in PHRASES}  # how a topic is written in metadata
