"""The method of engine 1.2: one GSD² for each line, from its pedigree scores (docs/report-bundles.md)."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt

import rough
from bundle import NotABundle
from quantities import ASSUMED, CALCULATED, ESTIMATED, MEASURED, TAKEN, TYPES, assumed, check_journey, days, journeys, named, valid, year
from rough import travellers

QUALITY = ("measured", "calculated", "estimated", "assumed")
GASES = ("co2", "ch4", "n2o", "aviationNonCO2", "unsplit")
STAGES = ("direct", "upstream", "combined")

# Uncertainty factors U of the pedigree matrix (methodology, section 8).
PEDIGREE = (
    ("1", "1.54", "1.61", "1.69", "1.69"),
    ("1", "1.03", "1.04", "1.08", "1.08"),
    ("1", "1.03", "1.1", "1.19", "1.29"),
    ("1", "1.04", "1.08", "1.11", "1.11"),
    ("1", "1.18", "1.65", "2.08", "2.8"),
)
# Conversion of a figure based on AR5 to AR6 (section 5).
AR6 = {"ch4": Fraction("29.8") / 28 - 1, "n2o": Fraction(273, 265) - 1}

# Notices that only records have; all others are in the result as well.
OWN_NOTICES = ("INPUT_NOT_USED", "UNKNOWN_FIELD_IGNORED", "WEIGHT_FROM_VOLUME", "AIRPORT_OF_TOWN", "GWP_NOT_REBASED",
               "LEGS_DOOR_TO_DOOR", "PRICE_YEAR_FALLBACK", "RENTAL_ROOMS", "GROUP_ASSUMED", "SERVINGS_ASSUMED", "USES_ASSUMED",
               "ORIGIN_IS_DESTINATION", "NO_FLIGHT_BETWEEN", "CODE_IS_ALSO_A_PLACE", "PLACE_TAKEN_BY_NAME", "SUPPLIER_FACTOR_WITHDRAWN")


def milligrams(kg):
    """Rounds kilograms once, half to even, to whole milligrams."""
    return round(Fraction(kg) * 10**6)


def kilograms(micrograms):
    """Formats micrograms as kilograms with six decimals, rounded half to even."""
    return Fraction(round(Fraction(micrograms, 1000)), 10**6)


def share(micrograms, of, total):
    """Returns the part of a mass, rounded half to even to whole milligrams."""
    return round(Fraction(micrograms) * of / total / 1000) * 1000


def gsd2(scores, extra=Decimal(0)):
    """Returns GSD² = exp √(Σ ln(U)² + extra) in millionths, rounded half to even."""
    with localcontext() as context:
        context.prec = 60
        total = extra
        for row, score in zip(PEDIGREE, scores):
            total += Decimal(row[score - 1]).ln() ** 2
        return int((total.sqrt().exp() * 10**6).to_integral_value())


def sampling(fields):
    """Returns the ln(U)² of a survey: 4 ln(1 + r²), r² = CV²/n × (N - n)/(N - 1)."""
    n, total, cv = fields["respondents"], fields["population"], fields["sampleCV"]
    r2 = cv**2 / n * (total - n) / (total - 1)
    with localcontext() as context:
        context.prec = 60
        return 4 * (1 + Decimal(r2.numerator) / Decimal(r2.denominator)).ln()


def age(activity, figure):
    """Scores the years between an activity and a figure."""
    if activity <= 0 or figure <= 0:
        return 5
    years = abs(activity - figure)
    return 1 + sum(years >= limit for limit in (3, 6, 10, 15))


def surveyed(fields):
    if fields.get("originSet", {}).get("withoutOrigin"):
        return False  # those without an origin decide
    return 0 < fields.get("respondents", 0) < fields.get("population", 0)


class Line:
    """A line as it was recomputed, in micrograms."""

    def __init__(self, mass, low, high, extrapolated, quality, stated):
        self.mass, self.down, self.up = mass, mass - low, high - mass
        self.extrapolated, self.quality = extrapolated, quality
        self.factor, self.stage, self.group = stated["factorId"], stated["stage"], stated["group"]
        self.scope, self.category = stated["scope"], stated.get("scope3Category", "")
        self.doubt = stated.get("uncertainty")
        self.gases = {}


class Method1:
    # Types whose records of attendees are not in the total without their journeys.
    JOURNEYS = ("flights", "ground-transport")
    # What cannot be checked with a bundle of this method.
    TAKEN = (
        "which row of the factor set fits a record, and its scores for geography and technology (only rows in use are in the bundle)",
        "great-circle distances, the CO2 of flights without radiative forcing, biogenic CO2, and residual mixes",
    )

    def check(self, plain, report):
        self.report, self.plain, self.context = report, plain, plain["event"]["context"]
        series = {row["id"]: row["series"] for row in (plain["factorSet"].get("pack") or {}).get("rows", [])}
        self.rows = {row["id"]: {**row, "series": series.get(row["id"], row["id"])} for row in plain["factors"]}
        if len(self.rows) != len(plain["factors"]):
            report.differs("factors", "a row is there twice")
        used, self.unbased, self.absent, self.rough_forms = set(), 0, set(), set()
        self.records = []
        order = [(list(TYPES).index(r["type"]), r["seq"]) for r in plain["records"]]
        if order != sorted(set(order)):
            report.differs("records", "they are not in the order of types and numbers")
        for i, record in enumerate(plain["records"]):
            lines = self.record("records[%d] (%s %s)" % (i, record["type"], record["_id"]), record)
            used |= {line.factor for line in lines}
            self.records.append((record, lines))
        if used - {"supplied", "zero"} - self.absent != set(self.rows):
            report.differs("factors", "they are not those that the lines use")
        report.checked("%d lines of %d records: amount from the input, figure from the factor row, mass, gases, quality, interval" % (
            sum(len(lines) for _, lines in self.records), len(self.records)))
        self.result(plain["result"])
        report.checked("every sum of the result, its intervals, shares and figures per attendee, to the last digit")
        if self.absent:
            report.taken("figures whose rows are not in the bundle: " + ", ".join(sorted(self.absent)))
        for what in self.TAKEN:
            report.taken(what)
        if self.rough_forms:
            report.taken("amounts and wider intervals of rough data: " + ", ".join("%s of %s" % (form, kind) for kind, form in sorted(self.rough_forms)))
        report.taken("that the rows are those of the set %s with the checksum %s" % (plain["factorSet"]["id"], plain["factorSet"]["version"]))

    # One record

    def record(self, where, record):
        fields = record["fields"]
        parts = self.parts(record)
        form = rough.form(record["type"], fields)
        self.rough = form is not None
        if self.rough:
            self.rough_forms.add((record["type"], form))
        self.extra = self.survey(fields) if surveyed(fields) else Decimal(0)
        self.scale = Fraction(fields["population"], fields["respondents"]) if surveyed(fields) else Fraction(1)
        self.assumed = assumed(record)
        check_journey(record, self.report, where)
        lines, serving = [], {}
        for k, stated in enumerate(record["lines"]):
            at = "%s.lines[%d]" % (where, k)
            row = self.rows.get(stated["factorId"])
            if row is None and stated["factorId"] not in ("supplied", "zero"):
                if stated["stage"] != "upstream" and not self.rough:
                    self.report.differs(at, "its factor %s is not in the bundle" % stated["factorId"])
                    continue
                # A row of another edition, or outside the editions, which engines before 2.1 ignore.
                upstream = stated["stage"] == "upstream"
                row = {"id": stated["factorId"], "unit": stated["unit"], "kgCO2e": None if upstream else stated["kgCO2ePerUnit"],
                       "wellToTank": stated["kgCO2ePerUnit"] if upstream else None, "co2": None, "ch4": None, "n2o": None, "year": None, "fallback": True, "absent": True}
                self.absent.add(row["id"])
            found = [p for p in range(len(parts)) if parts[p].serves(row)]
            if not found:
                self.report.differs(at, "nothing in the input asks for the factor %s" % stated["factorId"])
                continue
            lines.append(self.line(at, record, fields, parts[found[0]], row, stated))
            serving.setdefault(found[0], []).append((stated, row))
        for p, part in enumerate(parts):
            self.complete(where, part, serving.get(p, []))
        self.report.same(where, {n: record[n] for n in ("kgCO2e", "low", "high")}, self.interval([lines]))
        return lines

    def parts(self, record):
        """Returns what a record states (quantities.py, rough.py)."""
        if rough.form(record["type"], record["fields"]):
            return rough.parts(record["type"], record["fields"])
        return TYPES[record["type"]](record["fields"], self.context)

    def survey(self, fields):
        """Returns the ln(U)² that a survey adds."""
        return sampling(fields) if "sampleCV" in fields else Decimal(0)

    def completeness(self, fields):
        if not surveyed(fields) or "sampleCV" in fields:
            return 1
        answered = Fraction(100 * fields["respondents"], fields["population"])
        return 4 - sum(answered >= limit for limit in (40, 60, 80))

    def ends(self, at, record, row, column, stated, micrograms):
        """Returns the bounds of a line in micrograms, after comparing their inputs."""
        with localcontext() as context:
            context.prec = 60
            extra = self.extra + self.stated_doubt(fields=record["fields"], row=row) + sum((Decimal(f.numerator) / Decimal(f.denominator)).ln() ** 2 for f in self.assumed)
        g = gsd2([int(s) for s in stated["scores"]], extra)
        if self.rough:
            g = max(g, int(stated["gsd2Millionths"]))
        self.report.same(at + ".gsd2Millionths", stated["gsd2Millionths"], g)
        return round(Fraction(micrograms * 10**6, g)), round(Fraction(micrograms * g, 10**6))

    @staticmethod
    def stated_doubt(fields, row):
        """Returns the ln(U)² of a supplier's factor whose source states one."""
        uncertain = fields.get("supplier", {}).get("uncertaintyFactor")
        if row is None or not row["id"].startswith("supplier:") or uncertain is None:
            return Decimal(0)
        return (Decimal(uncertain.numerator) / Decimal(uncertain.denominator)).ln() ** 2

    def interval(self, records):
        """Adds up the lines of records, a list for each. Widths of one factor are added, those
        of different ones in quadrature."""
        lines = [line for record in records for line in record]
        total, widths = sum(line.mass for line in lines), {}
        for line in lines:
            down, up = widths.get(line.factor, (0, 0))
            widths[line.factor] = down + line.down, up + line.up
        down, up = (isqrt(sum(w[i]**2 for w in widths.values())) for i in (0, 1))
        return {"kgCO2e": kilograms(total), "low": kilograms(total - down), "high": kilograms(total + up)}

    def complete(self, where, part, serving):
        """Checks that a part has its line, and the upstream line that its row requires."""
        primary = [(s, row) for s, row in serving if self.column(s, row) == "kgCO2e"]
        if not primary and not part.optional:
            self.report.differs(where, "a line for one of its inputs is missing")
        if len(primary) > 1 and not part.several:
            self.report.differs(where, "one of its inputs is counted twice")
        upstream = [s["factorId"] for s, row in serving if self.column(s, row) == "wellToTank"]
        if len(upstream) > len(primary):
            self.report.differs(where, "an upstream part is counted twice")
        for stated, row in primary:
            if row is not None and row["wellToTank"] is not None and stated["stage"] != "combined" and row["id"] not in upstream:
                self.report.differs(where, "the upstream part of %s is missing" % row["id"])

    @staticmethod
    def column(stated, row):
        """Returns which figure of a row a line uses. Losses are upstream by themselves."""
        if row is None or stated["stage"] != "upstream":
            return "kgCO2e"
        if ("loss" in named(row) or ".upstream." in named(row)) and stated["kgCO2ePerUnit"] == row["kgCO2e"]:
            return "kgCO2e"
        return "wellToTank"

    def line(self, at, record, fields, part, row, stated):
        same, column = self.report.same, self.column(stated, row)
        amount = part.amount[stated["unit"]] if isinstance(part.amount, dict) else part.amount
        quantity = Fraction(stated["quantity"])
        if "leg" in stated:
            amount = self.whole_metres(at, quantity, travellers(fields, stated) * self.scale)
        elif amount is TAKEN:
            amount = quantity
        elif amount is None:
            amount = self.whole_metres(at, quantity, journeys(fields, fields["passengers"]) * self.scale)
        else:
            amount = Fraction(amount) * self.scale
            digits = max(12, len(stated["quantity"].partition(".")[2]))
            if abs(amount - quantity) * 2 > Fraction(1, 10**digits):
                self.report.differs(at + ".quantity", "%s is stated, %s was computed" % (stated["quantity"], amount))
        figure = part.figure if row is None else row[column] * (part.ratio if column == "kgCO2e" else 1)
        same(at + ".kgCO2ePerUnit", stated["kgCO2ePerUnit"], Fraction(figure))
        if row is not None and row["unit"].partition(" of ")[0].removesuffix("_gross_cv").replace("viewer_hour", "participant_hour") != stated["unit"].partition(" of ")[0].replace("viewer_hour", "participant_hour"):
            self.report.differs(at + ".unit", "the factor is per %s" % row["unit"])
        scope, category = (3, part.upstream) if stated["stage"] == "upstream" else (part.scope, part.category)
        same(at + ".scope", stated["scope"], scope)
        same(at + ".scope3Category", stated.get("scope3Category", ""), category)
        same(at + ".group", stated["group"], fields.get("group") or "unspecified")
        if stated["stage"] not in STAGES:
            self.report.differs(at + ".stage", "it is no stage")

        mass, gases = self.split(stated, row, column, part, amount, figure)
        if part.amount is TAKEN:
            # The quantity has twelve decimals; the unrounded one may round differently.
            for off in (Fraction(-1, 2 * 10**12), Fraction(1, 2 * 10**12)):
                if Fraction(mass, 10**6) != stated["kgCO2e"] and "." in stated["quantity"]:
                    mass, gases = self.split(stated, row, column, part, quantity + off, figure)
        same(at + ".byGas", {n: Fraction(milligrams(stated["byGas"][n]), 10**6) for n in GASES}, {n: Fraction(v, 10**6) for n, v in gases.items()})
        same(at + ".kgCO2e", stated["kgCO2e"], Fraction(mass, 10**6))
        # The potential of a refrigerant may already be that of AR6.
        if self.context["gwp"] == "AR6" and not self.parted(row, column, part) and not (row is not None and named(row).endswith(".ar6")):
            self.unbased += mass * 1000
        quality, scores = self.scores(record, fields, part, row, column, stated)
        same(at + ".dataQuality", stated["dataQuality"], QUALITY[quality])
        for i, score in enumerate(scores):
            if not 1 <= stated["scores"][i] <= 5:
                raise NotABundle("a score of %s is none" % at)
            if score is not None:
                same("%s.scores[%d]" % (at, i), stated["scores"][i], score)
        micrograms = mass * 1000
        low, high = self.ends(at, record, row, column, stated, micrograms)
        same(at + ".low", stated["low"], kilograms(low))
        same(at + ".high", stated["high"], kilograms(high))
        rest = 0
        if surveyed(fields):
            rest = share(micrograms, fields["population"] - fields["respondents"], fields["population"])
        elif fields.get("originSet", {}).get("withoutOrigin"):
            rest = share(micrograms, fields["originSet"]["withoutOrigin"], fields["originSet"]["people"])
        line = Line(micrograms, low, high, rest, quality, stated)
        line.gases = {name: n * 1000 for name, n in gases.items()}
        return line

    def whole_metres(self, at, quantity, times):
        """Returns the exact amount of journeys whose distance the bundle does not state: whole
        metres, so many times."""
        metres = round(quantity / times * 1000)
        if metres <= 0 or abs(Fraction(metres, 1000) * times - quantity) * 2 > Fraction(1, 10**12):
            self.report.differs(at + ".quantity", "it is no whole number of metres for the journeys of the record")
        return Fraction(metres, 1000) * times

    @staticmethod
    def parted(row, column, part):
        """Reports whether the gases of a line are published."""
        return row is not None and column == "kgCO2e" and part.ratio == 1 and None not in (row["co2"], row["ch4"], row["n2o"])

    def split(self, stated, row, column, part, amount, figure):
        """Returns the mass of a line and its gases in milligrams."""
        mass, by = milligrams(amount * figure), dict.fromkeys(GASES, 0)
        if self.context["radiativeForcing"] and column == "kgCO2e" and row is not None and ("-flight-" in named(row) or "-freight-air-" in named(row)):
            by["aviationNonCO2"] = milligrams(stated["byGas"]["aviationNonCO2"])
        if not self.parted(row, column, part):
            by["unsplit"] = mass - by["aviationNonCO2"]
            return mass, by
        co2, by["ch4"], by["n2o"] = (milligrams(amount * row[g]) for g in ("co2", "ch4", "n2o"))
        by["co2"] = co2 - by["aviationNonCO2"]
        by["unsplit"] = mass - co2 - by["ch4"] - by["n2o"]
        if self.context["gwp"] == "AR6":
            for gas in ("ch4", "n2o"):
                more = milligrams(amount * row[gas] * AR6[gas])
                by[gas], mass = by[gas] + more, mass + more
        return mass, by

    def scores(self, record, fields, part, row, column, stated):
        """Returns the quality and the scores of a line; None for an unknown score."""
        at_best = part.at_best[stated["unit"]] if isinstance(part.at_best, dict) else part.at_best
        if at_best is TAKEN:
            at_best = QUALITY.index(stated["dataQuality"])
        quality = max(QUALITY.index(fields.get("dataQuality") or "estimated"), at_best, CALCULATED if record["defaulted"] else MEASURED)
        reliability = {MEASURED: 1 if fields.get("evidence") else 2, CALCULATED: 3, ESTIMATED: 4, ASSUMED: 5}[quality]
        completeness = self.completeness(fields)
        activity = year(fields.get("date")) or year(self.context["startDate"])
        if row is not None and "absent" in row:
            return quality, (reliability, completeness, None, None, None)
        time = 1 if row is None else age(activity, row["year"] or 0)
        if activity and row is not None and row["id"].startswith("supplier:") and valid(fields["supplier"], fields.get("date") or self.context["startDate"]):
            time = 1
        if part.dated is TAKEN:
            time = max(time, int(stated["scores"][2]))
        elif part.dated:
            time = max(time, age(activity, part.dated))
        other = column == "wellToTank" and self.other_edition(record, row)
        if row is not None and (row["fallback"] or other):
            time = max(time, 2)
        return quality, (reliability, completeness, time, None, None)

    @staticmethod
    def other_edition(record, row):
        """Reports whether the upstream part has another row than its line."""
        return not any(line["factorId"] == row["id"] and line["stage"] != "upstream" or
                       line["factorId"] == row["id"] and line["kgCO2ePerUnit"] == row["kgCO2e"] for line in record["lines"])

    # The result

    def result(self, stated):
        context, lines = self.context, [line for _, lines in self.records for line in lines]
        total = sum(line.mass for line in lines)
        people, length = context["attendees"], days(context)
        computed = {
            "total": self.interval([lines for _, lines in self.records]),
            "perAttendeeKg": kilograms(share(total, 1, people)) if people else None,
            "perAttendeeDayKg": kilograms(share(total, 1, people * length)) if people and length else None,
            "byType": [dict(self.part(t, "type", [r for r in self.records if r[0]["type"] == t])) for t in TYPES
                       if any(r[0]["type"] == t for r in self.records)],
            "byScope": {"scope%d" % n: kilograms(sum(l.mass for l in lines if l.scope == n)) for n in (1, 2, 3)},
            "byGroup": [dict(self.part(g, "group", [r for r in self.records if self.group(r) == g]))
                        for g in sorted({self.group(r) for r in self.records})],
            "byScope3Category": [{"category": c, "kgCO2e": kilograms(sum(l.mass for l in lines if l.category == c))}
                                 for c in sorted({l.category for l in lines} - {""})],
            "byStage": {s: kilograms(sum(l.mass for l in lines if l.stage == s)) for s in STAGES},
            "byGas": {g: kilograms(sum(l.gases[g] for l in lines)) for g in GASES},
            "excludingAttendeeTravelKg": kilograms(total - sum(
                l.mass for r, ls in self.records for l in ls if l.group == "attendees" and r["type"] in self.JOURNEYS)),
            "extrapolatedKg": kilograms(sum(l.extrapolated for l in lines)),
            "dataQuality": self.shares(lines, total),
        }
        self.report.same("result", {name: stated[name] for name in computed}, computed)
        self.market(stated["marketBased"])
        self.notices(stated["notices"], total)
        fuels = [r for r, _ in self.records if r["type"] in ("venue", "energy") or "volumeLitres" in r["fields"]]
        if not fuels:
            self.report.same("result.outsideScopes.biogenicCO2Kg", stated["outsideScopes"]["biogenicCO2Kg"], Fraction(0))

    @staticmethod
    def group(entry):
        return entry[0]["fields"].get("group") or "unspecified"

    def part(self, name, key, entries):
        yield key, name
        yield "records", len(entries)
        yield from self.interval([lines for _, lines in entries]).items()

    @staticmethod
    def shares(lines, total):
        """Returns shares in millionths that add up to 1: the residue goes to the largest."""
        parts = [sum(l.mass - l.extrapolated for l in lines if l.quality == q) for q in range(4)]
        parts.append(sum(l.extrapolated for l in lines))
        out = [0] * 5
        if total > 0:
            out = [round(Fraction(p * 10**6, total)) for p in parts]
            out[out.index(max(out))] += 10**6 - sum(out)
        names = ("measuredShare", "calculatedShare", "estimatedShare", "assumedShare", "extrapolatedShare")
        return {name: Fraction(n, 10**6) for name, n in zip(names, out)}

    def market(self, stated):
        """Checks the energy of the market-based figure, and its mass where only grid averages are in it."""
        covered = residual = mean = mass = 0
        for record, _ in self.records:
            grid = [l for l in record["lines"] if l["factorId"].startswith("elec.") and l["stage"] != "upstream"]
            if not grid:
                continue
            fields, codes = record["fields"], {n["code"] for n in record["notices"]}
            amount = self.amount_of_grid(record, fields, grid[0])
            contract = amount * fields.get("renewablePercent", 0) / 100 if fields.get("evidence") and record["type"] == "venue" else Fraction(0)
            covered += milligrams(contract)
            rest = milligrams(amount) - milligrams(contract)
            if "supplier" in fields:
                # The supplier's rate is a contract for the energy that no certificate covers.
                covered += rest
                mass += milligrams((amount - contract) * fields["supplier"]["kgCO2ePerUnit"])
            elif "NO_RESIDUAL_MIX" in codes:
                mean += rest
                mass += milligrams((amount - contract) * self.rows[grid[0]["factorId"]]["kgCO2e"])
            else:
                residual += rest
        if not (covered or residual or mean or mass):
            if stated is not None:
                self.report.differs("result.marketBased", "there is no electricity to say it of")
            return
        computed = {"coveredKWh": Fraction(covered, 10**6), "residualMixKWh": Fraction(residual, 10**6), "gridAverageKWh": Fraction(mean, 10**6)}
        if not residual:
            computed["kgCO2e"] = Fraction(mass, 10**6)
        self.report.same("result.marketBased", stated, computed)

    def amount_of_grid(self, record, fields, line):
        scale = Fraction(fields["population"], fields["respondents"]) if surveyed(fields) else Fraction(1)
        for part in self.parts(record):
            if part.amount is TAKEN:
                return Fraction(line["quantity"])
            if part.serves(self.rows[line["factorId"]]):
                return Fraction(part.amount) * scale
        return Fraction(0)

    def notices(self, stated, total):
        """Checks that the notices of records are in the result with their number and mass."""
        said = {n["code"]: n["message"] for n in stated}
        about = {}
        for record, lines in self.records:
            for code in {n["code"] for n in record["notices"]} - set(OWN_NOTICES):
                n, mass = about.get(code, (0, 0))
                about[code] = n + 1, mass + sum(l.mass for l in lines)
        endings = {code: "It is about %s%s." % ("1 record of %s kg" % self.text(mass) if n == 1 else "%d records of %s kg" % (n, self.text(mass)),
                                                "" if n == 1 else " together") for code, (n, mass) in about.items()}
        unspecified = sum(l.mass for _, lines in self.records for l in lines if l.group == "unspecified")
        starts = {}
        if unspecified:
            starts["GROUP_UNSPECIFIED"] = self.text(unspecified) + " kg"
        if self.unbased:
            starts["GWP_NOT_REBASED"] = self.text(self.unbased) + " kg"
        if 0 < year(self.context["startDate"]) < self.plain["factorSet"]["year"]:
            starts["FACTOR_SET_NEWER_THAN_EVENT"] = ""
        if set(said) != set(endings) | set(starts):
            self.report.differs("result.notices", "%s are stated, %s were computed" % (sorted(said), sorted(set(endings) | set(starts))))
        for code, message in said.items():
            if not message.endswith(endings.get(code, "")) or not message.startswith(starts.get(code, "")):
                self.report.differs("result.notices", "%s is not of the records it is about" % code)

    @staticmethod
    def text(micrograms):
        n = round(Fraction(micrograms, 1000))
        return "%d.%06d" % divmod(n, 10**6)
