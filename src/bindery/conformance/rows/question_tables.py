"""The two question tables of the specification, and what has to be answered with each value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

YES_NO_UNKNOWN: Final = ("Yes", "No", "Unknown")
NONE: Final = "None of the above"
MANAGED_BY_OTHERS: Final = "Managed 24/7 by a third-party provider (e.g. MSSP or external IT vendor)"
OTHER_EDR: Final = {"Q2304": ["Other/Unknown"], "Q2305": "Endpoint product", "Q2309": "Unknown"}
HAS_VPN: Final = {
    "Q2315": "Yes",
    "Q2316": ["Other"],
    "Q2317": "One appliance",
    "Q2326": "Exclusively Cloud-based (e.g. all VPNs are SaaS)",
}
COMPUTING: Final = (
    "Computing infrastructure (e.g., cloud services, web hosting, data center, or co-location services)"
)
PLANNING: Final = (
    "Enterprise resource planning (ERP), Customer relationship management (CRM), "
    "Supply chain management (SCM)"
)
SERVICES: Final = {"2204": ["Services"], "2224": None, "2209": ["Digital marketing"]}
CONSULTING: Final = "Technology consulting (including value added reseller)"
PEOPLE: Final = "People (e.g., consumers, patients)"
HARDWARE: Final = {"2204": ["Hardware"], "2224": None, "2211": [NONE]}


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question of the tables: its allowed values as the table has them, and what else is then answered."""

    id: str
    kind: str
    words: str
    options: Sequence[str] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    follows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    of_large_firms: bool = False


BOOLEAN: Final = "boolean"
MANY: Final = "multi select"
ONE: Final = "single select"
TEXT: Final = "free text"
NUMBER: Final = "numeric"

CYBER_QUESTIONS: Final = (
    TableQuestion("Q2134", BOOLEAN, "Has a website or domain"),
    TableQuestion("Q2314", NUMBER, "Number of employees: whole number > 0"),
    TableQuestion(
        "Q2244",
        MANY,
        "Engaged in listed business activities",
        (
            "Adult Content",
            "Cannabis",
            "Cryptocurrency or Blockchain",
            "Debt collection agency",
            "Gambling",
            "Managed IT service provider (MSP or MSSP)",
            NONE,
        ),
    ),
    TableQuestion("Q2159", BOOLEAN, "Stores or processes information of more than 500,000 individuals"),
    TableQuestion("Q2142", BOOLEAN, "Keeps offline backups or backups with a cloud provider"),
    TableQuestion("Q2311", MANY, "How backups are stored", ("Unknown",), of_large_firms=True),
    TableQuestion("Q2313", ONE, "All critical backups immutable", YES_NO_UNKNOWN, of_large_firms=True),
    TableQuestion("Q2300", BOOLEAN, "MFA enforced on all e-mail access"),
    TableQuestion("Q2301", BOOLEAN, "MFA enforced on all remote access including VPN"),
    TableQuestion(
        "Q2307",
        ONE,
        "Uses a managed service provider",
        YES_NO_UNKNOWN,
        follows={"Yes": {"Q2308": "Rowbyrow Services"}},
        of_large_firms=True,
    ),
    TableQuestion("Q2308", TEXT, "Name(s) of the MSP", given={"Q2307": "Yes"}, of_large_firms=True),
    TableQuestion(
        "Q2302",
        MANY,
        "Inbound e-mail security products in use",
        ("No SEG in Place", "Other/Unknown"),
        follows={"Other/Unknown": {"Q2303": "Another product"}},
        of_large_firms=True,
    ),
    TableQuestion("Q2303", TEXT, "Specify if other", given={"Q2302": ["Other/Unknown"]}, of_large_firms=True),
    TableQuestion(
        "Q2304",
        MANY,
        "Endpoint detection and response products in use",
        ("No EDR in Place", "Other/Unknown"),
        follows={"Other/Unknown": OTHER_EDR},
        of_large_firms=True,
    ),
    TableQuestion("Q2305", TEXT, "Specify if other", given=OTHER_EDR, of_large_firms=True),
    TableQuestion(
        "Q2309",
        ONE,
        "How EDR is managed",
        (
            MANAGED_BY_OTHERS,
            "Managed 24/7 by in-house security team",
            "Managed within business hours by in-house security team",
            "Deployed but not actively monitored",
            "Unknown",
        ),
        given=OTHER_EDR,
        follows={MANAGED_BY_OTHERS: {"Q2310": "Rowbyrow Watch"}},
        of_large_firms=True,
    ),
    TableQuestion(
        "Q2310",
        TEXT,
        "Name of the third-party provider managing EDR",
        given={**OTHER_EDR, "Q2309": MANAGED_BY_OTHERS},
        of_large_firms=True,
    ),
    TableQuestion(
        "Q2315",
        ONE,
        "Uses a VPN for remote connection",
        YES_NO_UNKNOWN,
        follows={"Yes": HAS_VPN},
        of_large_firms=True,
    ),
    TableQuestion("Q2316", MANY, "VPN products in use", ("Other",), given=HAS_VPN, of_large_firms=True),
    TableQuestion(
        "Q2317", TEXT, "Vendor, makes and models of appliances", given=HAS_VPN, of_large_firms=True
    ),
    TableQuestion(
        "Q2326",
        ONE,
        "VPN infrastructure hosting",
        (
            "Exclusively Cloud-based (e.g. all VPNs are SaaS)",
            "Exclusively Non Cloud-based (e.g. all VPNs are hosted On-Prem)",
            "Hybrid (some VPN infrastructure hosted in the Cloud, some hosted On-Prem)",
        ),
        given=HAS_VPN,
        of_large_firms=True,
    ),
    TableQuestion(
        "Q2146", BOOLEAN, "A cyber event, loss or claim above 10,000", follows={"true": {"Q2124": "A theft"}}
    ),
    TableQuestion("Q2124", TEXT, "Details for Q2146", given={"Q2146": True}),
    TableQuestion("Q2147", BOOLEAN, "Aware of circumstance", follows={"true": {"Q2119": "A letter"}}),
    TableQuestion("Q2119", TEXT, "Details for Q2147", given={"Q2147": True}),
)
TECHNOLOGY_QUESTIONS: Final = (
    TableQuestion(
        "2246",
        BOOLEAN,
        "Revenue derives primarily from technology services or products",
        follows={"false": {"2204": None, "2210": None, "2224": None}},
    ),
    TableQuestion(
        "2204",
        MANY,
        "Primary technology business operations",
        ("Software", "Hardware", "Services"),
        follows={"Hardware": HARDWARE, "Services": SERVICES},
    ),
    TableQuestion(
        "2210",
        MANY,
        "Type of clients primarily targeted",
        (PEOPLE, "Organizations (e.g., businesses, non-profits, government)"),
        follows={PEOPLE: {"2208": [NONE]}},
    ),
    TableQuestion(
        "2209",
        MANY,
        "Significant technology services in revenue",
        (
            "Custom computer programming or software development",
            "Technology training or education",
            CONSULTING,
            "IT staffing or project management",
            "Managed IT services (MSP or MSSP)",
            "Digital marketing",
            COMPUTING,
            "Telecommunications or Internet Service Provider (ISP)",
            "Domain name services (DNS)",
            "Quality control / assurance (i.e., software or hardware testing)",
            "Business process outsourcing / data processing",
            "E-recycling / data destruction",
        ),
        given=SERVICES,
        follows={CONSULTING: {"2227": [NONE]}},
    ),
    TableQuestion(
        "2211",
        MANY,
        "Hardware activities addressed",
        (
            "Healthcare / medical hardware",
            "Finance / payments hardware",
            "Electrical components (e.g., semiconductors)",
            NONE,
        ),
        given=HARDWARE,
    ),
    TableQuestion(
        "2224",
        MANY,
        "Software activities addressed",
        (
            "Custom computer programming or software development",
            "IT security",
            "Finance / banking (including payments and POS systems)",
            "Medical / healthcare (including electronic medical records)",
            PLANNING,
            "Emergency notification",
            "E-commerce",
            "Media broadcasting or streaming",
            NONE,
        ),
    ),
    TableQuestion(
        "2208",
        MANY,
        "Needs addressed by the technology",
        (
            "Financial (e.g., payments, exchanges, portfolio management, financial reports)",
            "Health (e.g., trackers, monitors, caregiving)",
            "Cyber security or identity protection services",
            "Social media",
            "E-commerce",
            "Media broadcasting or streaming",
            "Hardware repair or installation",
            "Hardware design or manufacturing",
            "Training",
            NONE,
        ),
        given={"2210": [PEOPLE]},
    ),
    TableQuestion(
        "2227",
        MANY,
        "Technology consulting activities",
        (
            "ERP software implementation",
            "Payment systems implementation",
            "PCI/HIPAA compliance certification",
            NONE,
        ),
        given={**SERVICES, "2209": [CONSULTING]},
    ),
    TableQuestion(
        "2226",
        MANY,
        "Engaged in listed activities",
        (
            "Financial trading, investment advice, or crowdfunding applications",
            "Payment processing or money transfer systems",
            "Adult entertainment, cannabis, relationship/dating apps, video games, or gambling",
            "Flight control systems, 911 paging systems, or military warfare applications",
            "Mechanical process control technology (e.g., industrial control, machinery)",
            "Medical diagnostic applications, biometric technology, or health information exchanges (HIE)",
            "Consumer data mining/broker, consumer VPN, or domain name registry services",
            "Sharing economy platforms",
            NONE,
        ),
    ),
    TableQuestion(
        "2248",
        BOOLEAN,
        "Uses written contracts with customers",
        follows={"false": {"2207": None, "2249": None}},
    ),
    TableQuestion("2229", BOOLEAN, "Formal process to avoid infringing others' IP rights"),
    TableQuestion("2207", TEXT, "Largest active customer contract value: a number"),
    TableQuestion("2249", BOOLEAN, "Contracts typically include terms favorable to the applicant"),
    TableQuestion("2205", BOOLEAN, "Formal process for customer complaints"),
    TableQuestion("2146", BOOLEAN, "A cyber event, loss or claim", follows={"true": {"2124": "A theft"}}),
    TableQuestion("2124", TEXT, "Details for 2146", given={"2146": True}),
    TableQuestion("2147", BOOLEAN, "Aware of circumstance", follows={"true": {"2119": "A letter"}}),
    TableQuestion("2119", TEXT, "Details for 2147", given={"2147": True}),
)
