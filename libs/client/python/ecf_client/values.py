"""Values in JSON."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import Any, Mapping


def encode(value: Any) -> str:
    """Returns JSON in which a Decimal is written as the number it is, digit by digit, and a date as YYYY-MM-DD."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a finite number")
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone; for a day, send its date()")
        utc = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return json.dumps(utc.isoformat(timespec="milliseconds") + "Z")
    if isinstance(value, datetime.date):
        return json.dumps(value.isoformat())
    if isinstance(value, Mapping):
        return "{" + ",".join(json.dumps(str(k)) + ":" + encode(v) for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(encode(v) for v in value) + "]"
    return json.dumps(value, allow_nan=False)


def decode(text: bytes) -> Any:
    """Returns the value of JSON; masses have six decimals, and as Decimal they stay exact."""
    return json.loads(text, parse_float=Decimal)
