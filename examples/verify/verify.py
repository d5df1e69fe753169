#!/usr/bin/env python3
"""Recomputes an exported report bundle (ecf-report/1) with Python's standard library alone.

    verify.py BUNDLE.json [--key KID] [--keys report-keys.json] [--require-signature]

It is the second verifier: written from docs/methodology.md and docs/report-bundles.md, not from the server's code, so
that a mistake in one is found by the other. It ends with 0 when every figure it can recompute
is the one stated, with 1 when something differs, and with 2 when the file is no bundle or is
of a method it does not know. It says what it checked and what a bundle gives it no means to
check.
"""

import argparse
import base64
import hashlib
import json
import sys

import bundle
import ed25519
import methods

MAX_BYTES = 256 << 20


def decode(text):
    """Returns the bytes of unpadded base64url text, which must be the only text for them."""
    if not isinstance(text, str):
        raise ValueError("no text")
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(raw).decode().rstrip("=") != text:
        raise ValueError("not base64url")
    return raw


def thumbprint(public):
    """Returns the RFC 7638 thumbprint of an Ed25519 key, which is its kid."""
    x = base64.urlsafe_b64encode(public).decode().rstrip("=")
    text = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % x
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def signer(doc, report):
    """Returns the kid of a valid signature, or None, and reports an invalid one."""
    signature = doc.plain.get("signature")
    if signature is None:
        return None
    try:
        public, value = decode(signature["key"]), decode(signature["value"])
        if signature["alg"] != "EdDSA" or len(public) != 32:
            raise ValueError("it is not by an Ed25519 key")
        if thumbprint(public) != signature["kid"]:
            raise ValueError("its kid is not that of its key")
        signed = doc.plain["format"] + "\n" + doc.unsigned_digest()
        if not ed25519.verify(public, signed.encode(), value):
            raise ValueError("it is not of this content")
    except (ValueError, KeyError, TypeError) as fault:
        report.differs("signature", str(fault))
        return None
    return signature["kid"]


def main():
    parser = argparse.ArgumentParser(description="Recompute a report bundle.")
    parser.add_argument("bundle", help="file of the bundle, - for standard input")
    parser.add_argument("--key", help="kid that must have signed it")
    parser.add_argument("--keys", help="file of the keys the service publishes at /.well-known/report-keys.json")
    parser.add_argument("--require-signature", action="store_true", help="fail if there is no signature")
    args = parser.parse_args()

    report = bundle.Report()
    try:
        source = sys.stdin.buffer if args.bundle == "-" else open(args.bundle, "rb")
        with source:
            text = source.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise bundle.NotABundle("it is larger than %d MiB" % (MAX_BYTES >> 20))
        doc = bundle.Document(text)
        method = methods.of(doc.plain)
        doc.check_hashes(report)
        kid = signer(doc, report)
        method.check(doc.plain, report)
    except (bundle.NotABundle, OSError) as fault:
        print("This is no bundle that can be checked: %s." % fault, file=sys.stderr)
        return 2
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, IndexError) as fault:
        print("The bundle is malformed: %s: %s." % (type(fault).__name__, fault), file=sys.stderr)
        return 2

    accepted = None
    if args.keys:
        with open(args.keys, encoding="utf-8") as file:
            accepted = {k["kid"] for k in json.load(file)["keys"]}
    if (args.key or accepted is not None or args.require_signature) and kid is None:
        report.differs("signature", "there is no valid one")
    elif args.key and kid != args.key:
        report.differs("signature", "it is by the key %s, not %s" % (kid, args.key))
    elif accepted is not None and kid not in accepted:
        report.differs("signature", "its key %s is none that the service publishes" % kid)
    else:
        report.checked("the signature by the key %s" % kid if kid else "that the bundle is not signed: nothing proves who made it")
    return report.show(doc.plain)


if __name__ == "__main__":
    sys.exit(main())
