"""The method of engine 2.2: that of 2.1, with records of attendee travel among the journeys of attendees."""

from method21 import Method21


class Method22(Method21):
    JOURNEYS = Method21.JOURNEYS + ("attendee-travel",)
