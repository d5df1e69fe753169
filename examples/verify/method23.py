"""The method of engine 2.3: that of 2.2, with the widest records of a sum apart.

Where records are in great doubt by their activity, a sum is that of independent parts: up to six
of those records, and all else with the moments that they leave. Each is a shifted lognormal
distribution. The widest part is a table of its values, the others are points with weights, which
are added two at a time in whole numbers."""

from bisect import bisect_left
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from method1 import STAGES
from method2 import DIGITS, kilograms, matched, own_moments, row_moments
from method22 import Method22

WIDEST, SHARE = 6, Fraction(35, 100)
UNIT_BITS, MOST, ONE = 42, 2**59, 2**30
POINTS, POINTS_PER, TABLE, TABLE_PER = 16, 4, 160, 32
LEAST_SKEWNESS = Decimal("0.001")


@lru_cache(maxsize=1)
def gaussian():
    """Returns the weights of points and the probabilities of the table, both in parts of 2^30."""
    with localcontext() as context:
        context.prec = DIGITS
        densities = [(-(Decimal(n) / POINTS_PER) ** 2 / 2).exp() for n in range(-POINTS, POINTS + 1)]
        weights = [round(Fraction(d * ONE / sum(densities))) for d in densities]
        weights[POINTS] += ONE - sum(weights)
        root, table = (2 * Decimal("3.14159265358979323846264338327950288")).sqrt(), []
        for n in range(-TABLE, TABLE + 1):
            z = Decimal(n) / TABLE_PER
            term, series, k = z, Decimal(0), 1
            while abs(term) > Decimal("1e-40"):
                series, k = series + term, k + 2
                term *= z * z / k
            table.append(round(Fraction((Decimal("0.5") + (-z * z / 2).exp() * series / root) * ONE)))
    return weights, table


class Method23(Method22):
    def interval(self, records):
        lines = [line for record in records for line in record]
        total = sum(line.mass for line in lines)
        with localcontext() as context:
            context.prec = 2 * DIGITS
            square, cube = moments_of_rows(lines)
            wide = []
            for record in records:
                own = self.__dict__.setdefault("widest", {})
                variance, third, apart = own.get(id(record)) or own.setdefault(id(record), widened(record))
                square, cube = square + variance, cube + third
                wide += [apart] if apart else []
            wide = sorted(wide, key=lambda w: (w[2], w[1], w[0]), reverse=True)[:WIDEST]
            low, high = ends(total, square, cube, wide)
        return {"kgCO2e": kilograms(total), "low": kilograms(low), "high": kilograms(high)}

    def result(self, stated):
        super().result(stated)
        self.report.same("result.byScopeIntervals", stated.get("byScopeIntervals"),
                         {"scope%d" % n: self.bounds(lambda line, n=n: line.scope == n) for n in (1, 2, 3)})
        self.report.same("result.byStageIntervals", stated.get("byStageIntervals"),
                         {s: self.bounds(lambda line, s=s: line.stage == s) for s in STAGES})

    def bounds(self, of):
        """Returns the ends of the interval of some lines of all records."""
        records = [[line for line in lines if of(line)] for _, lines in self.records]
        # The lists are kept, because the cache of a record is keyed by identity.
        self.__dict__.setdefault("kept", []).append(records)
        interval = self.interval([lines for lines in records if lines])
        return {"low": interval["low"], "high": interval["high"]}


def moments_of_rows(lines):
    rows = {}
    for line in lines:
        doubt = line.doubt
        if doubt["basic"] or doubt["fit"]:
            uses = rows.setdefault((line.factor, line.stage == "upstream"), {})
            uses[doubt["use"]] = uses.get(doubt["use"], (0,))[0] + line.mass, int(doubt["basic"]), int(doubt["fit"])
    square = cube = Decimal(0)
    for uses in rows.values():
        moments = row_moments(list(uses.values()))
        square, cube = square + moments[0], cube + moments[1]
    return square, cube


def widened(lines):
    """Returns what the activity of a record adds to both moments, and the mass and moments of the
    record where that is more than a third of the square of its mass."""
    square, cube = own_moments(lines)
    mass = sum(line.mass for line in lines)
    if Fraction(square) <= SHARE * mass**2:
        return square, cube, None
    row = moments_of_rows(lines)
    return square, cube, (mass, square + row[0], cube + row[1]) if cube + row[1] > 0 else None


def ends(total, square, cube, wide):
    rest = [total - sum(w[0] for w in wide), square - sum(w[1] for w in wide), cube - sum(w[2] for w in wide)]
    if total <= 0 or square <= 0:
        return total, total
    if not wide or len(wide) == 1 and rest[0] == 0:
        return matched(total, square, cube)
    parts, constant = list(wide), rest[0]
    if rest[1] * 10**9 > square:
        parts, constant = [rest] + parts, 0
    unit = Fraction(2) ** (UNIT_BITS - total.bit_length())
    widest = max(range(len(parts)), key=lambda i: parts[i][1])
    points = [(round(constant * unit), ONE)]
    for i, part in enumerate(parts):
        if i != widest:
            points = join(points, values(part, unit, POINTS, POINTS_PER))
    table = values(parts[widest], unit, TABLE, TABLE_PER)
    tail = ONE * ONE // 40
    low, high = (round(quantile(points, table, p) / unit) for p in (tail, ONE * ONE - tail))
    return min(low, total), max(high, total)


def values(part, unit, to, per):
    """Returns the values of a part from -to to to, per to a standard deviation of its logarithm."""
    mean, square, cube = Decimal(part[0]), part[1], part[2]
    gamma = max(cube / square ** Decimal("1.5"), LEAST_SKEWNESS)
    eta = gamma / 3
    for _ in range(400):  # Newton's method for η³ + 3η = γ, from above
        following = (2 * eta**3 + gamma) / (3 * eta**2 + 3)
        if following >= eta:
            break
        eta = following
    variance, scale = (1 + eta**2).ln(), square.sqrt() / eta
    step, first = (variance.sqrt() / per).exp(), scale * (-variance / 2).exp()
    factor = Decimal(unit.numerator) / Decimal(unit.denominator)
    of = lambda n: max(-MOST, min(MOST, round((mean - scale + first * step**n) * factor)))
    return [of(n) for n in range(-to, to + 1)]


def join(points, parts):
    weights = gaussian()[0]
    if len(points) == 1:
        return [(points[0][0] + v, w) for v, w in zip(parts, weights)]
    sums = sorted((x + v, p * w) for x, p in points for v, w in zip(parts, weights))
    out, at, left = [], 0, sums[0][1]
    for w in weights:
        first, want, mean = sums[at][0], w * ONE, 0
        while want:
            take = min(want, left)
            mean += take * (sums[at][0] - first)
            want, left = want - take, left - take
            if not left and at + 1 < len(sums):
                at += 1
                left = sums[at][1]
        out.append((first + mean // (w * ONE), w))
    return out


def quantile(points, table, p):
    """Returns the smallest value, at least 0, whose probability is at least p."""
    probabilities = gaussian()[1]

    def continuous(at):
        n = bisect_left(table, at)
        if n == len(table):
            return ONE
        if table[n] == at:
            return probabilities[n]
        if n == 0:
            return 0
        return probabilities[n - 1] + (probabilities[n] - probabilities[n - 1]) * (at - table[n - 1]) // (table[n] - table[n - 1])

    low, high = 0, 2**61
    while low < high:
        middle = (low + high) // 2
        if sum(w * continuous(middle - x) for x, w in points) >= p:
            high = middle
        else:
            low = middle + 1
    return low
