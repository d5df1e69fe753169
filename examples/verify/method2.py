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
from operator import mul

from method1 import Method1, PEDIGREE, kilograms, milligrams, surveyed
from quantities import BUSINESS, FREIGHT, FUEL, GOODS, LEASED, OPTIONAL, WASTE, named

BILLION = 10**9
DIGITS = 60

# Who travels on whose account.
TRAVEL = {"attendees": OPTIONAL, "exhibitors": OPTIONAL, "other": OPTIONAL, "": OPTIONAL,
          "staff": BUSINESS, "speakers": BUSINESS, "suppliers": GOODS}

# The factor of the 95 % interval of a row whose source publishes none.
BASIC = Decimal("1.05")
BASIC_FLIGHT, BASIC_COMBUSTION = Decimal("1.37"), Decimal("1.10")
BASIC_MEAL, BASIC_TRAIN = Decimal("1.5"), Decimal("1.2")
# Transport services, by passenger or tonne, and what agriculture makes.
BASIC_TRANSPORT = BASIC_AGRICULTURE = Decimal(2)


def billionths(value):
    return int((value * BILLION).to_integral_value())


@lru_cache(maxsize=1000)
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


class Method2(Method1):
    def parts(self, record):
        kind, fields = record["type"], record["fields"]
        group = fields.get("group", "")
        parts = super().parts(record)
        for part in parts:
            if kind in ("flights", "accommodation", "ground-transport", "attendee-travel") or fields.get("activity") == "home_heating":
                part.category = self.travel(part.category, group)
                part.upstream = self.travel(part.upstream, group)
            elif kind == "purchases":
                bought = fields.get("category")
                part.category = fields["supplier"]["scope3Category"] if fields.get("supplier", {}).get("scope3Category") else \
                    TRAVEL[group] if bought in ("flights", "accommodation", "ground-transport") else \
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
        basic = variance(self.basic(record, row, column, stated))
        if self.rough:
            activity = max(activity, int(said["activity"]))
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

    def basic(self, record, row, column, stated):
        if row is None:
            return BASIC
        if row["id"].startswith("supplier:"):
            uncertain = record["fields"]["supplier"].get("uncertaintyFactor")
            return BASIC if uncertain is None else Decimal(uncertain.numerator) / Decimal(uncertain.denominator)
        flown = record["type"] == "flights" or stated.get("leg", {}).get("mode") == "plane"
        if flown and column == "kgCO2e":
            return BASIC_FLIGHT if self.context["radiativeForcing"] else BASIC_COMBUSTION
        if named(row).startswith("food.meal."):
            return BASIC_MEAL
        if named(row).startswith("desnz-") and "-rail-" in named(row) and "-freight-" not in named(row):
            return BASIC_TRAIN
        if named(row).startswith("drink."):
            return BASIC_AGRICULTURE
        if not flown and row["unit"] in ("passenger.km", "tonne.km"):
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
                # The lines of a record contribute to several sums.
                own = self.__dict__.setdefault("own", {})
                moments = own.get(id(record)) or own.setdefault(id(record), own_moments(record))
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
            contract = fields.get("supplier")
            by[int(line["scope"])][0] += mass
            upstream += sum(milligrams(l["kgCO2e"]) for l in record["lines"][at[0] + 1:] if l["stage"] == "upstream" and l["factorId"].startswith("elec."))
            if contract:
                # The supplier's rate is a contract for the energy that no certificate covers.
                covered += rest
                by[int(line["scope"])][1] += milligrams(amount * (1 - share) * contract["kgCO2ePerUnit"])
            elif "NO_RESIDUAL_MIX" in codes:
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
    """Returns what the activity of a record adds to both moments.

    Lines with the same doubts of the same row count as one. With E the matrix of exp(c) for all
    pairs, the sum of x·x'·x"·exp(c + c' + c") over all triples is the trace of the third power of
    the matrix of x·E, and each of the other parts of the third moment is a sum over pairs."""
    alike = {}
    for line in lines:
        doubt = line.doubt
        key = (line.factor, line.stage == "upstream", doubt["use"], int(doubt["activity"]), int(doubt["basic"]), int(doubt["fit"]))
        alike[key] = alike.get(key, 0) + line.mass
    keys, masses = list(alike), list(alike.values())
    without = [[row_doubt(a, b) for b in keys] for a in keys]
    full = [[shared + isqrt(a[3] * b[3]) for shared, b in zip(row, keys)] for row, a in zip(without, keys)]
    pairs, triples = zip(moments(masses, full), moments(masses, without))
    return pairs[0] - pairs[1], max(triples[0] - triples[1], Decimal(0))


def row_doubt(a, b):
    """Returns what two kinds of lines of a record share beside its activity."""
    if a[:2] != b[:2]:
        return 0
    return a[4] + (a[5] if a[2] == b[2] else 0)


def moments(masses, shared):
    """Returns the second and third central moment of lines that share these doubts."""
    scale, total = 10**DIGITS, sum(masses)
    powers = [[int(exponential(c) * scale) for c in row] for row in shared]
    weighed = [[e * mass for e, mass in zip(row, masses)] for row in powers]
    square = sum(mass * sum(row) for mass, row in zip(masses, weighed))
    cube = 0
    for i, row in enumerate(weighed):
        for k in range(i + 1):
            cube += (1 if k == i else 2) * masses[i] * row[k] * sum(map(mul, row, powers[k]))
    square, cube, total = Decimal(square) / scale, Decimal(cube) / scale**3, Decimal(total)
    return square - total**2, cube - 3 * square * total + 2 * total**3


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
