"""A client of the Event Carbon Footprint Service, with Python's standard library alone.

    from ecf_client import Client

    client = Client("https://carbon.example.org")
    client.login("manager@example.org", password)
    event = client.create_event({"title": "Team meeting", "country": "GB", "attendees": 12})
    for record in client.iter_records(event["_id"], "flights"):
        print(record["status"], record["footprint"]["kgCO2e"])
"""

from .operations import Operations
from .transport import ApiError, Meta, NoAnswer, NotModified
from .transport import Client as _Transport

__all__ = ["ApiError", "Client", "Meta", "NoAnswer", "NotModified"]


class Client(Operations, _Transport):
    __doc__ = _Transport.__doc__
