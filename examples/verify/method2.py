"""The method of engine 2.0: doubts of the activity, the row and its fit, kept apart.

A line is lognormal with its mass as the expected value. Its doubts are variances of the
logarithm, in billionths. Lines of a record share the activity's, lines of a row and stage the
row's, and those of them with the same use the fit's. A sum has the variance
Σ x·x'·(exp(shared doubts) - 1) over all pairs, and the interval of the lognormal distribution
of the same mean and variance.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt

from method1 import Method1, PEDIGREE, kilograms, surveyed
from quantities import BUSINESS, FREIGHT, FUEL, GOODS, LEASED, OPTIONAL, WASTE

BILLION = 10**9
DIGITS = 60

# Who travels on whose account.
TRAVEL = {"attendees": OPTIONAL, "exhibitors": OPTIONAL, "other": OPTIONAL, "": OPTIONAL,
          "staff": BUSINESS, "speakers": BUSINESS, "suppliers": GOODS}

# The factor of the 95 % interval of a row, where its source publishes none.
BASIC = Decimal("1.05")
BASIC_FLIGHT, BASIC_COMBUSTION = Decimal("1.37"), Decimal("1.10")
BASIC_MEAL, BASIC_TRAIN = Decimal("1.5"), Decimal("1.2")


def billionths(value):
    return int((value * BILLION).to_integral_value())


def variance(factor):
    """Returns the variance of the logarithm for the factor of a 95 % interval, in billionths."""
    with localcontext() as context:
        context.prec = DIGITS
        return billionths(Decimal(factor).ln() ** 2 / Decimal("1.96") ** 2)


def exponential(doubt):
    return (Decimal(int(doubt)) / BILLION).exp()


def lognormal(mass, square):
    """Returns the ends of the interval of a mass in micrograms, for the variance of its
    logarithm: mass × exp(-σ²/2 ± 1.96σ), never without the mass itself; and 1.96σ."""
    half = Decimal("1.96") * square.sqrt()
    low = round(Fraction(mass * (-(half + square / 2)).exp()))
    high = round(Fraction(mass * (half - square / 2).exp())) if half > square / 2 else mass
    return low, high, half


def same_row(a, b):
    return a.factor == b.factor and (a.stage == "upstream") == (b.stage == "upstream")


class Method2(Method1):
    def parts(self, record):
        kind, fields = record["type"], record["fields"]
        group = fields.get("group", "")
        parts = super().parts(record)
        for part in parts:
            if kind in ("flights", "accommodation", "ground-transport"):
                part.category = self.travel(part.category, group)
                part.upstream = self.travel(part.upstream, group)
            elif kind == "purchases":
                bought = fields.get("category")
                part.category = TRAVEL[group] if bought in ("flights", "accommodation", "ground-transport") else \
                    {"freight": FREIGHT, "waste": WASTE}.get(bought, GOODS)
            elif kind == "digital" and group in ("attendees", "exhibitors"):
                part.category = OPTIONAL
            if fields.get("scope3Category") and part.scope == 3 and kind in ("purchases", "custom"):
                part.category = fields["scope3Category"]
            if group == "exhibitors":
                part.category, part.upstream = (OPTIONAL if c not in ("", FUEL, LEASED) else c for c in (part.category, part.upstream))
        return parts

    @staticmethod
    def travel(category, group):
        return TRAVEL[group] if category in (OPTIONAL, BUSINESS) else category

    def survey(self, fields):
        """Returns σ² = ln(1 + CV²/n × (1 - n/N)), with a CV of at least 1 where few answered."""
        n, total, cv = fields["respondents"], fields["population"], Fraction(1)
        if "sampleCV" in fields and (n >= 5 or fields["sampleCV"] > 1):
            cv = fields["sampleCV"]
        r = cv**2 * (total - n) / total / n
        with localcontext() as context:
            context.prec = DIGITS
            return (1 + Decimal(r.numerator) / Decimal(r.denominator)).ln()

    def completeness(self, fields):
        return 1

    def ends(self, at, record, row, column, stated, micrograms):
        said, scores = stated["uncertainty"], [int(s) for s in stated["scores"]]
        activity = variance(PEDIGREE[0][scores[0] - 1]) + variance(PEDIGREE[1][scores[1] - 1]) + billionths(self.extra)
        basic = variance(self.basic(record, row, column))
        fit = sum(variance(PEDIGREE[i][scores[i] - 1]) for i in (2, 3, 4))
        computed = {"activity": activity, "basic": basic, "fit": fit, "use": said["use"]}
        if row is None:
            computed = {"activity": activity + basic + fit, "basic": 0, "fit": 0, "use": ""}
        elif not said["use"].endswith(".%d%d%d" % tuple(scores[2:])):
            self.report.differs(at + ".uncertainty.use", "it is not of the scores")
        self.report.same(at + ".uncertainty", said, computed)
        with localcontext() as context:
            context.prec = DIGITS
            low, high, half = lognormal(micrograms, Decimal(computed["activity"] + computed["basic"] + computed["fit"]) / BILLION)
            self.report.same(at + ".gsd2Millionths", stated["gsd2Millionths"], int((half.exp() * 10**6).to_integral_value()))
        return low, high

    def basic(self, record, row, column):
        if row is None:
            return BASIC
        if record["type"] == "flights" and column == "kgCO2e":
            return BASIC_FLIGHT if self.context["radiativeForcing"] else BASIC_COMBUSTION
        if row["id"].startswith("food.meal."):
            return BASIC_MEAL
        if row["id"].startswith("desnz-") and "-rail-" in row["id"] and "-freight-" not in row["id"]:
            return BASIC_TRAIN
        return BASIC

    def interval(self, records):
        lines = [line for record in records for line in record]
        total = sum(line.mass for line in lines)
        with localcontext() as context:
            context.prec = 2 * DIGITS
            spread, rows, uses = Decimal(0), {}, {}
            for line in lines:
                doubt = line.doubt
                if doubt["basic"] or doubt["fit"]:
                    row = line.factor, line.stage == "upstream"
                    rows[row] = rows.get(row, (0, 0))[0] + line.mass, doubt["basic"]
                    use = row + (doubt["use"],)
                    uses[use] = uses.get(use, (0, 0, 0))[0] + line.mass, doubt["basic"], doubt["fit"]
            for mass, basic in rows.values():
                spread += (exponential(basic) - 1) * mass**2
            for mass, basic, fit in uses.values():
                spread += (exponential(basic + fit) - exponential(basic)) * mass**2
            for record in records:
                for a in record:
                    for b in record:
                        spread += self.own(a, b)
            low = high = total
            if total > 0 and spread > 0:
                low, high, _ = lognormal(total, (1 + spread / Decimal(total) ** 2).ln())
        return {"kgCO2e": kilograms(total), "low": kilograms(low), "high": kilograms(high)}

    @staticmethod
    def own(a, b):
        """Returns what the activity of their record adds to the covariance of two lines."""
        activity = isqrt(int(a.doubt["activity"] * b.doubt["activity"]))
        shared = 0
        if same_row(a, b):
            shared = a.doubt["basic"] + (a.doubt["fit"] if a.doubt["use"] == b.doubt["use"] else 0)
        return (exponential(shared + activity) - exponential(shared)) * a.mass * b.mass
