"""The methods by engine version. Each knows the arithmetic of docs/methodology.md as it was then."""

from bundle import NotABundle
from method1 import Method1
from method2 import Method2

METHODS = {"1.2.0": Method1, "2.0.0": Method2}


def of(plain):
    """Returns the method of a bundle."""
    version = plain.get("engineVersion")
    if version not in METHODS:
        raise NotABundle("its engine %r is none of those this verifier knows: %s" % (version, ", ".join(sorted(METHODS))))
    return METHODS[version]()
