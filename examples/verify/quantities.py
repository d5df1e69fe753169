"""What amounts a record states, by type (methodology, section 6).

Each function returns parts. A part is an amount of activity that is multiplied by one factor
and, where published, by its upstream part. An amount of None is one that the inputs alone do
not give.
"""

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import atan2, cos, radians, sin, sqrt

GOODS = "1 Purchased goods and services"
FUEL = "3 Fuel- and energy-related activities"
FREIGHT = "4 Upstream transportation and distribution"
WASTE = "5 Waste generated in operations"
BUSINESS = "6 Business travel"
LEASED = "8 Upstream leased assets"
OPTIONAL = "optional"

MEASURED, CALCULATED, ESTIMATED, ASSUMED = range(4)

# Site energy use per square metre and year, (electricity, fossil, year of the figure).
FLOOR = {
    "convention_centre": ("177", None, None), "entertainment": ("177.3", None, None), "recreation": ("160.3", None, None),
    "cultural": ("70", "200", 2008), "office": ("95", "120", 2008), "dry_sports": ("95", "330", 2008),
    "public_light": ("20", "105", 2008), "school": ("40", "150", 2008), "pool": ("245", "1130", 2008),
}
HOSTEL_RATIO = Fraction("0.25")
UNDATED = -1
# Replaces what the bundle alone states (rough.py).
TAKEN = "taken"


@dataclass
class Part:
    amount: object  # Fraction, one for each unit, or None
    serves: object  # whether a factor row (None for one supplied) may belong to it
    scope: int = 3
    category: str = ""
    upstream: str = ""  # category of its upstream lines
    at_best: int = MEASURED
    ratio: Fraction = Fraction(1)  # of the published figure
    figure: object = None  # supplied with the record
    dated: int = 0  # year of a default behind the amount; -1: undated
    several: bool = False  # may have a line of its own for each haul
    optional: bool = False  # need not be there


def named(row):
    """Returns what a row is of: its series where a pack names it, whose ids may be any; other ids begin with it."""
    return row.get("series", row["id"])


def prefix(*starts):
    return lambda row: row is not None and named(row).startswith(starts)


def supplied(row):
    return row is None


def travel(fields):
    return OPTIONAL if fields.get("group") in ("attendees", "exhibitors") else BUSINESS


def scopes(fields, which):
    """Returns scope, category, and the category of the upstream part, by who is in control."""
    if fields.get("control") == "own":
        return which, "", FUEL
    if fields.get("control") == "hired_with_operator":
        return 3, GOODS, GOODS
    return 3, LEASED, LEASED


def journeys(fields, people):
    return people * fields.get("trips", 1) * (2 if fields.get("roundTrip") else 1)


def flights(fields, context):
    people, km = journeys(fields, fields["passengers"]), fields.get("distanceKm")
    return [Part(None if km is None else km * people, lambda row: row is not None and "-flight-" in named(row),
                 3, travel(fields), travel(fields), at_best=ESTIMATED if "journey" in fields else MEASURED, several=km is None)]


def accommodation(fields, context):
    rooms, guests = fields.get("rooms") or fields.get("guests", 0), fields.get("guests") or fields.get("rooms", 0)
    category = travel(fields)
    if "kgCO2ePerRoomNight" in fields:
        return [Part(rooms * fields["nights"], supplied, 3, category, figure=fields["kgCO2ePerRoomNight"])]
    hostel = fields.get("kind") == "hostel"
    per_guest = fields.get("country") in ("DK", "FI", "NO", "SE")
    return [Part((guests if per_guest else rooms) * fields["nights"], prefix("acc."), 3, category,
                 ratio=HOSTEL_RATIO if hostel else Fraction(1), dated=UNDATED if hostel else 0)]


def grid_kind(row_id):
    """Distinguishes grid losses, and upstream parts that are separate rows, from generation."""
    return "loss" if ".td_loss" in row_id else "upstream" if ".upstream." in row_id else "generation"


def electricity(fields, amount, at_best=MEASURED, dated=0):
    scope, category, upstream = scopes(fields, 2)
    def of(kind):
        return lambda row: row is not None and named(row).startswith("elec.") and grid_kind(named(row)) == kind

    return [Part(amount, of("generation"), scope, category, upstream, at_best, dated=dated)] + \
           [Part(amount, of(kind), 3, upstream, upstream, at_best, dated=dated, optional=True) for kind in ("loss", "upstream")]


def fuel(fields, amount, which, *ids, at_best=MEASURED, dated=0):
    scope, category, upstream = scopes(fields, which)
    return [Part(amount, prefix(*ids), scope, category, upstream, at_best, dated=dated)]


def venue(fields, context):
    share = fields.get("spaceSharePercent", 0) * fields.get("days", 0) / Fraction(36500)

    def metered(name, annual):
        if name in fields:
            return fields[name], MEASURED
        if annual in fields:
            return fields[annual] * share, CALCULATED
        return None, MEASURED

    power, gas = metered("electricityKWh", "annualElectricityKWh"), metered("gasKWh", "annualGasKWh")
    dated = 0
    if power[0] is None and gas[0] is None and "heatKWh" not in fields:
        use = FLOOR[fields.get("venueType") or "convention_centre"]
        area = fields["floorAreaM2"] * fields["days"] / Fraction(365)
        power = area * Fraction(use[0]), ESTIMATED
        gas = (None if use[1] is None else area * Fraction(use[1])), ESTIMATED
        dated = use[2] or UNDATED
    parts = []
    if power[0] is not None:
        parts += electricity(fields, *power, dated=dated)
    if gas[0] is not None:
        parts += fuel(fields, gas[0], 1, "energy.natural_gas.", at_best=gas[1], dated=dated)
    if "heatKWh" in fields:
        parts += fuel(fields, fields["heatKWh"], 2, "energy.district_heat.")
        category = scopes(fields, 2)[2]
        parts.append(Part(fields["heatKWh"], prefix("energy.district_heat_distribution_loss."), 3, category, category, optional=True))
    return parts


def waste(fields, context):
    if "weightKg" in fields:
        return [Part(fields["weightKg"] / 1000, prefix("waste."), 3, WASTE)]
    return [Part(fields["volumeLitres"] * fields["densityKgPerM3"] / 10**6, prefix("waste."), 3, WASTE, at_best=CALCULATED)]


def ground_transport(fields, context):
    mode, people = fields["mode"], fields.get("passengers", 0)
    if mode in ("car", "motorbike", "van") or mode == "taxi" and fields.get("vehicles"):
        if fields.get("vehicles"):
            people = fields["vehicles"]
        elif "occupancy" in fields:
            people = -(-people // fields["occupancy"])
    amount = fields["distanceKm"] * journeys(fields, people)
    scope, category, upstream = 3, travel(fields), travel(fields)
    if mode in ("bicycle", "walk"):
        return [Part(amount, supplied, 3, category, at_best=ESTIMATED if "journey" in fields else MEASURED, figure=0)]
    if fields.get("control") == "own":
        scope, category, upstream = (2 if fields.get("fuel") == "battery_electric" else 1), "", FUEL
    elif fields.get("control") == "hired_with_operator":
        category = upstream = GOODS
    return [Part(amount, prefix("desnz-"), scope, category, upstream, at_best=ESTIMATED if "journey" in fields else MEASURED)]


def freight(fields, context):
    amount = fields["weightKg"] / 1000 * fields["distanceKm"] * (2 if fields.get("roundTrip") else 1)
    category = OPTIONAL if fields.get("group") == "exhibitors" else FREIGHT
    return [Part(amount, prefix("desnz-"), 3, category, category, at_best=ESTIMATED if "journey" in fields else MEASURED)]


def catering(fields, context):
    parts = [] if "meals" in fields.get("derived", {}) else [Part(fields["meals"], prefix("food."), 3, GOODS)]
    for name, litres in fields.get("drinks", {}).items():
        ending = ".%s.litre" % name
        parts.append(Part(litres, lambda row, ending=ending: row is not None and named(row).endswith(ending), 3, GOODS))
    return parts


def materials(fields, context):
    weight = fields.get("weightKg")
    if weight is None and "areaM2" in fields and "gramsPerM2" in fields:
        weight = fields["areaM2"] * fields["gramsPerM2"] / 1000
    by = {"item": fields.get("items"), "m2": fields.get("areaM2"), "kg": weight, "tonne": None if weight is None else weight / 1000}
    uses = fields["usesOverLife"] if fields.get("source") == "hired" else 1
    weighed = MEASURED if "weightKg" in fields else CALCULATED
    parts = [Part({unit: None if n is None else n / Fraction(uses) for unit, n in by.items()}, prefix("material."), 3, GOODS,
                  at_best={"item": MEASURED, "m2": MEASURED, "kg": weighed, "tonne": weighed})]
    if fields.get("endOfLife"):
        parts.append(Part(weight / 1000, prefix("waste."), 3, WASTE))
    return parts


def energy(fields, context):
    source = fields["source"]
    if source == "grid":
        return electricity(fields, fields["energyKWh"])
    weight = fields.get("weightKg")
    by = {"litre": fields.get("volumeLitres"), "kWh": fields.get("energyKWh"), "m3": fields.get("volumeM3"),
          "kg": weight, "tonne": None if weight is None else weight / 1000}
    return fuel(fields, by, 1, "refr." if source == "refrigerant" else "energy.")


def water(fields, context):
    parts = [Part(fields["supplyM3"], prefix("water.water_supply."), 3, GOODS)]
    if fields.get("treated", True):
        parts.append(Part(fields["supplyM3"], prefix("water.water_treatment."), 3, WASTE))
    return parts


def digital(fields, context):
    if fields["activity"] == "home_heating":
        category = "7 Employee commuting" if fields.get("group") == "staff" else travel(fields)
        return [Part(fields["hours"] * fields["participants"], prefix("digital.remote_attendee_home.heating."), 3, category, category)]
    return [Part(fields["hours"] * fields["participants"], prefix("digital."), 3, GOODS)]


def supplier(fields, amount, scope=3):
    """Returns the part of an amount by the version of a supplier's factor that the record keeps."""
    of = fields["supplier"]
    own = "supplier:" + fields["supplierFactor"]
    category = of.get("scope3Category") or GOODS
    return [Part(amount, lambda row: row is not None and row["id"] == own and row["kgCO2e"] == of["kgCO2ePerUnit"], scope, category if scope == 3 else "")]


def valid(of, day):
    """Reports whether a supplier's factor is valid on a day; on an unknown day it is."""
    return not day or (of.get("validFrom") or day) <= day <= (of.get("validTo") or day)


def purchases(fields, context):
    if "supplier" in fields:
        return supplier(fields, fields["amount"])
    return [Part(fields["amount"], supplied, 3, GOODS, figure=fields["kgCO2ePerUnit"])]


def custom(fields, context):
    scope = fields.get("scope", 3)
    if "supplier" in fields:
        return supplier(fields, fields["quantity"], scope)
    return [Part(fields["kgCO2e"], supplied, scope, GOODS if scope == 3 else "", figure=1)]


EARTH = 6371008.8  # metres


def great_circle(a, b):
    """Returns the great-circle distance of two places in metres, by the haversine formula."""
    la, lb = radians(float(a["latitude"])), radians(float(b["latitude"]))
    h = sin((lb - la) / 2) ** 2 + cos(la) * cos(lb) * sin(radians(float(b["longitude"]) - float(a["longitude"])) / 2) ** 2
    return 2 * EARTH * atan2(sqrt(h), sqrt(1 - h))


def assumed(record):
    """Returns the factors of the 95 % intervals of what a record of places does not say: its
    distance, or the airports that people of its towns use."""
    fields = record["fields"]
    journey = fields.get("journey")
    if not journey:
        return []
    if flown(record):
        if distance_of_towns(record["type"], fields):
            return []
        metres = flown_metres(record)
        away = sum(max(Fraction(50), Fraction(s.get("airportKm", 0))) for s in journey["stops"] if s.get("geonameId"))
        return [1 + min(away * 1000 / metres, Fraction(1))] if metres else []
    distance, low, high = (Fraction(journey[n]) for n in ("distanceKm", "lowKm", "highKm"))
    if low <= 0:
        return [Fraction(3)]
    return [max(distance / low, high / distance, Fraction(1))]


def flown(record):
    """Reports whether the places of a record are airports, or towns by their airports."""
    return record["type"] == "flights" or record["fields"].get("mode") == "air"


def distance_of_towns(type_, fields):
    """Reports whether the distance flown between towns is a stated one. How far apart their airports
    are, on which the widening of the interval depends, is then not in the bundle."""
    journey = fields.get("journey", {})
    return (type_ == "flights" or fields.get("mode") == "air") and "distanceKm" in fields and "greatCircleKm" not in journey \
        and any(s.get("geonameId") for s in journey.get("stops", []))


def flown_metres(record):
    fields = record["fields"]
    if record["type"] == "flights":
        return sum(line_metres(fields, line) for line in record["lines"] if line["stage"] != "upstream")
    return Fraction(fields["distanceKm"]) * 1000


def line_metres(fields, line):
    scale = Fraction(fields["population"], fields["respondents"]) if 0 < fields.get("respondents", 0) < fields.get("population", 0) else 1
    return round(Fraction(line["quantity"]) * 1000 / journeys(fields, fields["passengers"]) / scale)


def check_journey(record, report, where):
    """Compares the distance of places with their great circles; the detour factor itself is taken."""
    journey = record["fields"].get("journey") or {}
    if "greatCircleKm" not in journey:
        return
    stops = journey["stops"]
    # The great circle of a flight is between the airports, and of a town the bundle has the town's place only.
    if not (flown(record) and any(s.get("geonameId") for s in stops)):
        metres = sum(great_circle(a, b) for a, b in zip(stops, stops[1:]))
        if abs(metres / 1000 - float(journey["greatCircleKm"])) > 0.001 * len(stops):
            report.differs(where + ".fields.journey", "its places are %.3f km apart" % (metres / 1000))
    if not flown(record) and not journey["lowKm"] <= journey["distanceKm"] <= journey["highKm"]:
        report.differs(where + ".fields.journey", "the distance is not within its range")
    if record["fields"]["distanceKm"] != journey["distanceKm"]:
        report.differs(where + ".fields.distanceKm", "it is not that of the places")


def beyond(type_, fields):
    """Returns what a record states in a form that this verifier does not know, or None."""
    return None if type_ in TYPES else "its type"


TYPES = {
    "flights": flights, "accommodation": accommodation, "venue": venue, "waste": waste, "ground-transport": ground_transport,
    "freight": freight, "catering": catering, "materials": materials, "energy": energy, "water": water, "digital": digital,
    "purchases": purchases, "custom": custom, "attendee-travel": None,
}


def days(context):
    """Returns the days of an event, the last one included, or 0 where they are not known."""
    try:
        start, end = date.fromisoformat(context["startDate"]), date.fromisoformat(context["endDate"])
    except ValueError:
        return 0
    return (end - start).days + 1 if end >= start else 0


def year(text):
    return int(text[:4]) if text and text[:4].isdigit() else 0
