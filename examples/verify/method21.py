"""The method of engine 2.1: that of 2.0, with corrected rows, upstream parts of grids as rows of
their own, and hostels by the guest."""

from method2 import Method2


class Method21(Method2):
    def parts(self, record):
        parts, fields = super().parts(record), record["fields"]
        if record["type"] == "accommodation" and fields.get("kind") == "hostel" and "kgCO2ePerRoomNight" not in fields:
            parts[0].amount = (fields.get("guests") or fields["rooms"]) * fields["nights"]
        return parts
