"""The words that fill the slots of the English sentences; those of one slot are separated by bars."""

from __future__ import annotations

from typing import Final

from demo.phrases import Banks, banks

BANKS: Final[Banks] = banks(
    {
        "drink": "black coffee|oolong tea|oat milk|hot water|green tea|a flat white|ginger tea|soy milk",
        "allergen": "peanuts|shellfish|sesame|hazelnuts|lactose|kiwi|celery|soy",
        "dish": (
            "ramen|lamb stew|mapo tofu|grilled sea bass|pumpkin risotto|dumplings|lentil curry|"
            "roast chicken|mushroom soup|beef noodles|fried rice|ratatouille"
        ),
        "grocery": "rice noodles|dried mushrooms|chickpeas|spring onions|sourdough|black vinegar|tomatoes",
        "place": "Blue Door|Harbour Kitchen|Café Linde|Old Mill Inn|Green Lantern|Station House|Nine Bowls",
        "date": (
            "14 January|27 January|5 February|19 February|3 March|12 March|26 March|9 April|21 April|"
            "6 May|18 May|2 June|15 June|30 June|8 July|23 July|11 August|28 August|7 September|"
            "16 September|1 October|20 October"
        ),
        "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday",
        "daytime": "morning|afternoon|evening",
        "time": "7:40|8:15|9:30|10:00|13:45|15:20|16:30|18:05",
        "time_early": "9:00|9:30|10:00",
        "month": "January|February|March|April|May|June|September|October|November",
        "year": "2027|2028|2029|2030|2031",
        "months": "two|three|six|nine",
        "hours": "three|four|five|six",
        "seat": "window seats|aisle seats|seats near the exit|seats in the front rows",
        "airline": "Lufthansa|Air China|KLM|Singapore Airlines|Cathay Pacific|Finnair",
        "floor": "second|third|fourth|sixth|seventh",
        "city": "Hamburg|Shanghai|Brno|Singapore|Leeds|Chengdu|Rotterdam|Bangalore|Oslo|Shenzhen",
        "district": "the old town|Riverside|the university quarter|Northgate|the harbour district|Westpark",
        "doctor": "dentist|eye doctor|physiotherapist|dermatologist|cardiologist",
        "sport": "swimming|bouldering|cycling|to yoga|rowing|to badminton",
        "medicine": "vitamin D|magnesium|an antihistamine|iron",
        "dose": "after breakfast|before going to bed|every other day|with plenty of water",
        "km": "5|8|10|12",
        "child": "daughter|son|nephew|niece",
        "lesson": "piano|swimming practice|chess|drawing|football",
        "gift": "a good book|concert tickets|tea from Fujian|a potted plant|a board game|a fountain pen",
        "pet": "grey cat called Momo|border collie called Finn|tortoise|pair of canaries|rescue greyhound",
        "degrees": "180|200|220",
        "degrees_room": "19|20|20.5|21|22",
        "appliance": "washing machine|boiler|dishwasher|heat pump|oven|intercom",
        "vendor": ("Nordlicht Energy|Brightwell & Sons|Kappa Services|Elbe Facility|Marlow Electric|Tanaka Repairs"),
        "budget": "groceries|travel|books|the gym|software licences|hardware|client dinners",
        "price": "80|150|240|320|450|600|1,200",
        "gadget": "headphones|cameras|keyboards|phones|bicycles",
        "media": "The Economist|Nature|a news podcast|a film archive|Caixin",
        "channel": "Slack|Signal|WeChat|a text message|e-mail",
        "role": "product manager|data engineer|site reliability engineer|accountant|designer|team lead",
        "room": "glass room|library|small meeting room|kitchenette|lab|print room",
        "subject": (
            "the pricing model|onboarding|search ranking|data retention|the supplier audit|"
            "cold storage|the mobile login|query latency|battery ageing|translation quality|"
            "the annual report|access rights"
        ),
        "env": "staging|production|the test cluster",
        "port": "5432|6379|8080|8081|8443|9092|9200|3306",
        "days": "7|14|30|60|90",
        "region": "Frankfurt|Singapore|Ireland|Tokyo",
        "tool": "Terraform|Ansible|Prefect|make|Helm|GitHub Actions",
        "gb": "2|4|8|16|32",
        "version": "1.4.2|1.5.0|2.0.1|2.3.0|3.1.4|4.0.0-rc2|0.9.8",
        "lines": "200|300|400|500",
        "lang": "English|German|Chinese|Dutch",
        "contact": "Helen Osei|Martin Brandt|Yuki Tanaka|Rosa Delgado|Peter Lind|Amina Diallo|Grace Kwon",
        "minutes": "6|11|18|25|40|55",
        "alert": ("the disk alarm|the latency alarm|the queue alarm|the certificate warning|the error-rate alarm"),
        "svc2": "the load balancer|the message queue|the name service|the object store|the certificate job",
        "nth": "second|third|fourth",
        "percent": "3|5|12|15|70|80|85|90",
        "book": (
            "Designing Data-Intensive Applications|The Art of Electronics|Thinking in Systems|"
            "Site Reliability Engineering|The Elements of Style|How to Measure Anything"
        ),
    }
)
