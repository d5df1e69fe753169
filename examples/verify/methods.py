"""The methods by engine version. Each has the arithmetic of docs/methodology.md at its time."""

from bundle import NotABundle
from method1 import Method1
from method2 import Method2
from method21 import Method21
from method22 import Method22
from method23 import Method23
from quantities import beyond

METHODS = {"1.2.0": Method1, "2.0.0": Method2, "2.1.0": Method21, "2.2.0": Method22, "2.3.0": Method23}


def of(plain):
    """Returns the method of a bundle."""
    version = plain.get("engineVersion")
    if version not in METHODS:
        raise NotABundle("its engine %r is none of those this verifier knows: %s" % (version, ", ".join(sorted(METHODS))))
    for record in plain.get("records") or []:
        form = beyond(record["type"], record["fields"])
        if form:
            raise NotABundle("it has records this verifier does not recompute: %s (%s of %s)" % (record.get("_id"), form, record["type"]))
    return METHODS[version]()
