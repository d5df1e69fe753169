"""The form of a bundle: its bytes, its hashes, and the report of a check."""

import hashlib
import re
from fractions import Fraction

FORMATS = ("ecf-report/1", "ecf-report/2")
TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|[{}\[\]:,]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|true|false|null)')
HASHED = ("event", "factors", "records", "result")
ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class NotABundle(Exception):
    """The file cannot be checked."""


def string(token):
    """Returns the value of a JSON string."""
    text = re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))",
                  lambda m: chr(int(m[1], 16)) if m[1] else ESCAPES.get(m[2], m[2]), token[1:-1])
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Reader:
    """Reads JSON exactly. Numbers become fractions, and the text of every value without white
    space is kept, since the hashes are over that text as it stands."""

    def __init__(self, text):
        self.text, self.at, self.out, self.length = text, 0, [], 0
        self.spans = {}
        self.value = self.read(self.next(), ())
        if self.text[self.at:].strip(" \t\r\n"):
            raise NotABundle("something follows its end")
        self.compact = "".join(self.out)

    def next(self):
        found = TOKEN.match(self.text, self.at)
        if not found:
            raise NotABundle("character %d is no JSON" % self.at)
        self.at = found.end()
        self.out.append(found[1])
        self.length += len(found[1])
        return found[1]

    def read(self, token, path):
        if len(path) > 40:
            raise NotABundle("it is nested too deeply")
        start = self.length - len(token)
        if token == "{":
            value = self.members(path)
        elif token == "[":
            value, token = [], self.next()
            while token != "]":
                value.append(self.read(token, path + (len(value),)))
                token = self.separator("]")
        elif token[0] == '"':
            value = string(token)
        elif token in ("true", "false", "null"):
            value = {"true": True, "false": False, "null": None}[token]
        elif token[0] in "-0123456789":
            value = Fraction(token)
        else:
            raise NotABundle("character %d is no JSON" % self.at)
        if len(path) < 2 or path[-1] == "fields" or path == ("event", "context", "place"):
            self.spans[path] = (start, self.length)
        return value

    def members(self, path):
        value, token = {}, self.next()
        while token != "}":
            name = string(token) if token[0] == '"' else ""
            if not name or name in value or self.next() != ":":
                raise NotABundle("a member near character %d is unnamed or given twice" % self.at)
            value[name] = self.read(self.next(), path + (name,))
            token = self.separator("}")
        return value

    def separator(self, end):
        token = self.next()
        if token == end:
            return token
        if token != ",":
            raise NotABundle("character %d is no JSON" % self.at)
        token = self.next()
        if token == end:
            raise NotABundle("character %d is no JSON" % self.at)
        return token


def sha256(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def listed(*values):
    """Returns values, each preceded by its length in bytes and a colon."""
    return "".join("%d:%s" % (len(v.encode("utf-8")), v) for v in values)


class Document:
    """A bundle as it was read: plain holds its values."""

    def __init__(self, text):
        try:
            reader = Reader(text.decode("utf-8"))
        except UnicodeDecodeError as fault:
            raise NotABundle("it is no UTF-8") from fault
        self.plain, self.spans, self.compact = reader.value, reader.spans, reader.compact
        if not isinstance(self.plain, dict) or self.plain.get("format") not in FORMATS:
            raise NotABundle("its format is none of " + ", ".join(FORMATS))

        # Names of people are parts of inputs; without them the hashes cannot be recomputed.
        self.whole = self.plain.get("names", "full") == "full"

    def text(self, *path):
        start, end = self.spans[path]
        return self.compact[start:end]

    def without(self, *names, hashes=True):
        """Returns the text without some members and, if requested, with empty hashes."""
        parts = []
        for name in self.plain:
            if name in names:
                continue
            text = self.text(name)
            if name == "hashes" and not hashes:
                text = "{%s}" % ",".join('"%s":""' % n for n in HASHED + ("content",))
            parts.append('"%s":%s' % (name, text))
        return "{%s}" % ",".join(parts)

    def unsigned_digest(self):
        return sha256(self.without("signature"))

    def check_hashes(self, report):
        stated = self.plain["hashes"]
        for part in HASHED + (("provenance",) if "provenance" in self.plain else ()):
            report.same("hashes." + part, stated.get(part), sha256(self.text(part)))
        report.same("hashes.content", stated["content"], sha256(self.without("signature", hashes=False)))
        seen = set()
        for i, record in enumerate(self.plain["records"]):
            if record["_id"] in seen:
                report.differs("records[%d]" % i, "the record %s is there twice" % record["_id"])
            seen.add(record["_id"])
            if self.whole:
                report.same("records[%d].inputHash" % i, record["inputHash"], sha256(self.input(i)))
        if self.whole:
            report.same("result.inputsHash", self.plain["result"]["inputsHash"], self.root())
            report.checked("the hashes of all parts, of %d inputs, and the root of the hash tree over them" % len(seen))
        else:
            report.checked("the hashes of all parts")
            report.taken("the hashes of inputs: the names of people are left out of them")
        if "provenance" in self.plain:
            report.taken("who entered, approved and signed off, and the chains of the records' histories")

    def input(self, i):
        record = self.plain["records"][i]
        return listed(record["_id"], record["type"], self.text("records", i, "fields"))

    def root(self):
        """Returns the root of the tree over context and inputs (docs/report-bundles.md)."""
        event, tree = self.plain["event"]["context"], self.plain["result"]["inputsTree"]
        fanout, levels = int(tree["fanout"]), int(tree["levels"])
        if fanout < 1 or not 1 <= levels <= 8:
            raise NotABundle("its hash tree cannot be")
        context = '{"Country":"%s","StartDate":"%s","EndDate":"%s","Attendees":%d,"RadiativeForcing":%s,"GWP":"%s","FactorSet":"%s"%s%s}' % (
            event["country"], event["startDate"], event["endDate"], event["attendees"],
            "true" if event["radiativeForcing"] else "false", event["gwp"], self.plain["factorSet"]["id"],
            # An event without a place has none in its context.
            ',"Place":' + self.text("event", "context", "place") if "place" in event else "",
            # The first engine is the one of events that name none.
            "" if self.plain["engineVersion"] == "1.2.0" else ',"Engine":"%s"' % self.plain["engineVersion"])
        nodes = sorted((r["type"].encode(), int(r["seq"]) - 1, self.input(i)) for i, r in enumerate(self.plain["records"]))
        for level in range(levels):
            groups = {}
            for kind, index, text in nodes:
                part = text if level == 0 else listed(kind.decode(), str(index), text)
                groups.setdefault((kind, index // fanout), []).append(part)
            nodes = [(kind, index, sha256("".join(parts))) for (kind, index), parts in sorted(groups.items())]
        return sha256(listed(context) + "".join(listed(kind.decode(), str(index), text) for kind, index, text in nodes))


class Report:
    """What was checked, what differs, and what could not be checked."""

    LIMIT = 50

    def __init__(self):
        self.differences, self.more, self.done, self.given = [], 0, [], []

    def differs(self, where, how):
        if len(self.differences) < self.LIMIT:
            self.differences.append("%s: %s" % (where, how))
        else:
            self.more += 1

    def same(self, where, stated, computed):
        """Compares a stated value with the computed one, member by member."""
        if isinstance(computed, dict) and isinstance(stated, dict):
            for name in computed:
                self.same("%s.%s" % (where, name), stated.get(name), computed[name])
        elif isinstance(computed, list) and isinstance(stated, list) and len(stated) == len(computed):
            for i, value in enumerate(computed):
                self.same("%s[%d]" % (where, i), stated[i], value)
        elif stated != computed or isinstance(stated, bool) != isinstance(computed, bool):
            self.differs(where, "%s is stated, %s was computed" % (show(stated), show(computed)))

    def checked(self, what):
        self.done.append(what)

    def taken(self, what):
        """Records what was taken from the bundle because it cannot be recomputed from it."""
        self.given.append(what)

    def show(self, plain):
        for line in self.differences:
            print(line)
        if self.more:
            print("and %d more" % self.more)
        event, result = plain["event"], plain["result"]
        print("%s: %r, %s to %s, set %s, engine %s, revision %d, calculated at %s, %d records, %s kg CO2e" % (
            "DIFFERS" if self.differences else "RIGHT", event["title"], event["context"]["startDate"] or "?",
            event["context"]["endDate"] or "?", plain["factorSet"]["id"], plain["engineVersion"], result["revision"],
            result["calculatedAt"], len(plain["records"]), show(result["total"]["kgCO2e"])))
        for line in self.done:
            print("checked: " + line)
        for line in self.given:
            print("NOT checked, taken from the bundle: " + line)
        return 1 if self.differences else 0


def show(value):
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else "%.6f" % float(value) if value.denominator <= 10**6 else str(float(value))
    return repr(value) if isinstance(value, str) else str(value)
