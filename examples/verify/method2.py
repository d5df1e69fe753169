"""The method of engine 2.0: doubts of the activity, the row and its fit, kept apart.

A line is lognormal with its mass as the expected value. Its doubts are variances of the
logarithm, in billionths. Lines of a record share the activity's, lines of a row and stage the
row's, and those of them with the same use the fit's. A sum has the variance
Σ x·x'·(exp(shared doubts) - 1) over all pairs, a third moment of the same kind, and the interval
of the shifted lognormal distribution of the same mean, variance and skewness.
"""

from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from method1 import Method1, PEDIGREE, kilograms, milligrams, surveyed
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
# Transport services, by passenger or tonne, and what agriculture makes.
BASIC_TRANSPORT = BASIC_AGRICULTURE = Decimal(2)


def billionths(value):
    return int((value * BILLION).to_integral_value())


def variance(factor):
    """Returns the variance of the logarithm for the factor of a 95 % interval, in billionths."""
    with localcontext() as context:
        context.prec = DIGITS
        return billionths(Decimal(factor).ln() ** 2 / Decimal("1.96") ** 2)


@lru_cache(maxsize=100_000)
def power(doubt, digits):
    return (Decimal(doubt) / BILLION).exp()


def exponential(doubt):
    return power(int(doubt), getcontext().prec)


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
        activity += sum(variance(Decimal(f.numerator) / Decimal(f.denominator)) for f in self.assumed)
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
        if row["id"].startswith("drink."):
            return BASIC_AGRICULTURE
        if record["type"] != "flights" and row["unit"] in ("passenger.km", "tonne.km"):
            return BASIC_TRANSPORT
        return BASIC

    def interval(self, records):
        lines = [line for record in records for line in record]
        total = sum(line.mass for line in lines)
        with localcontext() as context:
            context.prec = 2 * DIGITS
            rows = {}
            for line in lines:
                doubt = line.doubt
                if doubt["basic"] or doubt["fit"]:
                    uses = rows.setdefault((line.factor, line.stage == "upstream"), {})
                    mass = uses.get(doubt["use"], (0,))[0] + line.mass
                    uses[doubt["use"]] = mass, int(doubt["basic"]), int(doubt["fit"])
            square = cube = Decimal(0)
            for uses in rows.values():
                moments = row_moments(list(uses.values()))
                square, cube = square + moments[0], cube + moments[1]
            for record in records:
                moments = own_moments(record)
                square, cube = square + moments[0], cube + moments[1]
            low, high = matched(total, square, cube) if total > 0 and square > 0 else (total, total)
        return {"kgCO2e": kilograms(total), "low": kilograms(low), "high": kilograms(high)}

    def market(self, stated):
        """Checks the figures by contract, own apart from hired, each beside the location's."""
        covered = residual = mean = known = 0
        by = {2: [0, 0], 3: [0, 0]}
        upstream, lacking = 0, set()
        for record, _ in self.records:
            at = [i for i, l in enumerate(record["lines"]) if l["factorId"].startswith("elec.") and l["stage"] != "upstream"]
            if not at:
                continue
            line, fields, codes = record["lines"][at[0]], record["fields"], {n["code"] for n in record["notices"]}
            known += 1
            amount = self.amount_of_grid(record, fields, line)
            share = Fraction(fields.get("renewablePercent", 0)) / 100 if fields.get("evidence") else Fraction(0)
            covered += milligrams(amount * share)
            rest = milligrams(amount) - milligrams(amount * share)
            mass = milligrams(line["kgCO2e"])
            by[int(line["scope"])][0] += mass
            upstream += sum(milligrams(l["kgCO2e"]) for l in record["lines"][at[0] + 1:] if l["stage"] == "upstream" and l["factorId"].startswith("elec."))
            if "NO_RESIDUAL_MIX" in codes:
                mean += rest
                by[int(line["scope"])][1] += round(mass * (1 - share))
            else:
                residual += rest
                if share < 1:
                    lacking.add(int(line["scope"]))
        if not known:
            if stated is not None:
                self.report.differs("result.marketBased", "there is no electricity to say it of")
            return
        names = {2: "scope2", 3: "scope3"}
        scope2 = sum(l.mass for _, lines in self.records for l in lines if l.scope == 2) // 1000
        computed = {"coveredKWh": Fraction(covered, 10**6), "residualMixKWh": Fraction(residual, 10**6), "gridAverageKWh": Fraction(mean, 10**6),
                    "upstreamKg": Fraction(upstream, 10**6), "byScope": {}, "scope2": {"locationBasedKg": Fraction(scope2, 10**6)}}
        for scope, (location, market) in by.items():
            own = computed["byScope"][names[scope]] = {"locationBasedKg": Fraction(location, 10**6)}
            if scope not in lacking:
                own["marketBasedKg"] = Fraction(market, 10**6)
                if scope == 2:
                    computed["scope2"]["marketBasedKg"] = Fraction(scope2 - location + market, 10**6)
        if not lacking:
            computed["kgCO2e"] = Fraction(by[2][1] + by[3][1], 10**6)
        self.report.same("result.marketBased", stated, computed)


def skew(a, b, c):
    return exponential(a + b + c) - exponential(a) - exponential(b) - exponential(c) + 2


def row_moments(uses):
    """Returns the second and third central moment that a row and its uses have, for the mass,
    basic doubt and fit of each use."""
    row, basic = sum(mass for mass, _, _ in uses), uses[0][1]
    square, cube, apart = (exponential(basic) - 1) * row**2, Decimal(0), row**3
    for mass, _, fit in uses:
        square += (exponential(basic + fit) - exponential(basic)) * mass**2
        alike, pairs = mass**3, 3 * mass**2 * (row - mass)
        apart -= alike + pairs
        cube += skew(basic + fit, basic + fit, basic + fit) * alike + skew(basic + fit, basic, basic) * pairs
    return square, cube + skew(basic, basic, basic) * apart


def own_moments(lines):
    """Returns what the activity of a record adds to both moments."""
    def pair(a, b):
        row = 0
        if same_row(a, b):
            row = int(a.doubt["basic"] + (a.doubt["fit"] if a.doubt["use"] == b.doubt["use"] else 0))
        return row, row + isqrt(int(a.doubt["activity"] * b.doubt["activity"]))

    shared = [[pair(a, b) for b in lines] for a in lines]
    square = cube = Decimal(0)
    for i, a in enumerate(lines):
        for k, b in enumerate(lines):
            without, full = shared[i][k]
            square += (exponential(full) - exponential(without)) * a.mass * b.mass
            for j, c in enumerate(lines):
                cube += (skew(full, shared[i][j][1], shared[k][j][1]) - skew(without, shared[i][j][0], shared[k][j][0])) * a.mass * b.mass * c.mass
    return square, max(cube, Decimal(0))


def matched(total, square, cube):
    """Returns the ends of the interval of the shifted lognormal distribution with these moments."""
    if cube <= 0:
        return lognormal(total, (1 + square / Decimal(total) ** 2).ln())[:2]
    gamma = cube / square ** Decimal("1.5")
    eta = gamma / 3
    for _ in range(400):  # Newton's method for η³ + 3η = γ, from above
        following = (2 * eta**3 + gamma) / (3 * eta**2 + 3)
        if following >= eta:
            break
        eta = following
    variance, scale = (1 + eta**2).ln(), square.sqrt() / eta
    half, moved = Decimal("1.96") * variance.sqrt(), Decimal(total) - scale
    low = round(Fraction(max(moved + scale * (-(half + variance / 2)).exp(), 0)))
    high = round(Fraction(moved + scale * (half - variance / 2).exp())) if half > variance / 2 else total
    return min(low, total), max(high, total)
