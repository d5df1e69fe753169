"""Records of rough data: containers, servings, money, towns of people.

What they come to rests on tables of usual weights, loads, prices and distances, and on how far these
may be off. A bundle holds the outcome and not the tables. Of such a record the amount and the
widening of its interval are taken from the bundle, unless the input gives the amount;
everything that follows is recomputed like that of any other record: factor, mass, gases, scope,
category, the doubts of the row and its fit, and every sum.
"""

from fractions import Fraction

from quantities import FLOOR, GOODS, LEASED, TAKEN, TYPES, WASTE, Part, distance_of_towns, electricity, fuel, ground_transport, prefix, travel

# Goods whose weight or factor per piece is a rough one.
MATERIALS = {
    "pvc_foam_board", "pvc_foam_board_3mm", "pvc_foam_board_10mm", "pvc_banner", "lanyard", "sweatshirt_cotton", "shirt_cotton", "rain_jacket",
    "chair_wood", "table_wood", "sofa", "usb_stick", "tablet", "laptop", "screen", "television", "projector", "smartphone",
}
# Amounts of energy beside which a venue's kind and people estimate nothing.
METERED = {"electricityKWh", "gasKWh", "heatKWh", "annualElectricityKWh", "annualGasKWh"}
# Half of the seats of a coach.
COACH = Fraction(49, 2)


def form(type_, fields):
    """Returns which rough form a record has, or None."""
    if type_ == "venue" and METERED & fields.keys():
        return None
    names = {
        "venue": ("attendees",), "waste": ("container",), "ground-transport": ("volumeLitres", "energyKWh"), "catering": ("servings",),
        "materials": ("sheets",), "energy": ("generatorKVA",), "attendee-travel": ("origins", "originSet"),
    }
    for name in names.get(type_, ()):
        if name in fields:
            return name
    if type_ == "attendee-travel":
        return "origins"
    if distance_of_towns(type_, fields):
        return "distanceKm between towns"
    if type_ == "purchases" and "derived" in fields and "supplier" not in fields:
        return "amount"
    if type_ == "venue" and fields.get("venueType") not in (None, *FLOOR):
        return "venueType"
    if type_ == "waste" and "weightKg" not in fields and "densityKgPerM3" not in fields:
        return "volumeLitres without density"
    if type_ == "ground-transport" and fields["mode"] == "coach" and "passengers" not in fields:
        return "coaches without passengers"
    if type_ == "catering" and fields.get("mealType") in ("breakfast", "snack"):
        return "mealType"
    if type_ == "accommodation" and fields.get("kind") == "rental" and "kgCO2ePerRoomNight" not in fields:
        return "kind rental"
    if type_ == "materials":
        if fields.get("source") == "hired" and "usesOverLife" not in fields:
            return "hired without usesOverLife"
        if fields["material"] in MATERIALS or "areaM2" in fields and fields["material"] == "paper" and "gramsPerM2" not in fields:
            return "material"
    return None


def taken(serves, category, upstream="", amount=TAKEN, figure=None, scope=3):
    """Returns a part whose quality and year are those that the bundle states."""
    return Part(amount, serves, scope, category, upstream or category, at_best=TAKEN, figure=figure, dated=TAKEN, several=True, optional=True)


def roughly(part):
    part.at_best, part.dated, part.several, part.optional = TAKEN, TAKEN, True, True
    return part


def row(*starts):
    return prefix(*starts)


def supplied(of):
    return of is None


def parts(type_, fields):
    """Returns what a record of a rough form states."""
    if distance_of_towns(type_, fields):
        return TYPES[type_](fields, None)
    if type_ == "venue":
        return [roughly(p) for p in electricity(fields, TAKEN) + fuel(fields, TAKEN, 1, "energy.")]
    if type_ == "waste":
        return [taken(row("waste."), WASTE)]
    if type_ == "ground-transport":
        return vehicles(fields)
    if type_ == "catering":
        return [taken(row("food.", "drink.", "snack.", "breakfast.", "catering."), GOODS)]
    if type_ == "materials":
        of = [taken(row("material."), GOODS)]
        return of + ([taken(row("waste."), WASTE)] if fields.get("endOfLife") else [])
    if type_ == "energy":
        weight = fields.get("weightKg")
        by = {"litre": fields.get("volumeLitres", TAKEN), "kWh": fields.get("energyKWh", TAKEN), "m3": fields.get("volumeM3", TAKEN),
              "kg": TAKEN if weight is None else weight, "tonne": TAKEN if weight is None else weight / 1000}
        return [roughly(p) for p in fuel(fields, by, 1, "energy.")]
    if type_ == "accommodation":
        return [taken(row("acc."), travel(fields))]
    if type_ == "purchases":
        return [taken(row("spend."), GOODS)]
    group = fields.setdefault("group", "attendees")
    category = travel({"group": group})
    return [taken(row("desnz-"), category), taken(supplied, category, figure=0)]


def vehicles(fields):
    if "volumeLitres" not in fields and "energyKWh" not in fields:
        part = ground_transport({**fields, "passengers": 1}, None)[0]
        part.amount = part.amount * fields["vehicles"] * COACH
        return [roughly(part)]
    category, upstream, scope = travel(fields), travel(fields), 3
    if fields.get("control") == "own":
        scope, category, upstream = 2 if "energyKWh" in fields else 1, "", "3 Fuel- and energy-related activities"
    elif fields.get("control") == "hired_with_operator":
        category = upstream = GOODS
    if "volumeLitres" in fields:
        return [taken(row("energy."), category, upstream, fields["volumeLitres"], scope=scope)]
    if fields.get("control") in (None, "hired"):
        category = upstream = LEASED  # not as the journey, as litres are
    return [taken(row("elec.", "desnz-"), category, upstream, fields["energyKWh"], scope=scope)]


def travellers(fields, line):
    """Returns how many journeys of one way or of both the line of a leg is of: its people, or the
    cars they come in, and the share of those whose origin is not known."""
    leg, known = line["leg"], fields["originSet"]
    people = leg["people"]
    if line["unit"] == "vehicle.km" and "occupancy" in fields:
        people = -(-people // fields["occupancy"])
    return Fraction(people) * known["people"] / (known["people"] - known["withoutOrigin"])
