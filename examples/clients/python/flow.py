"""Creates an event and reads its footprint with Python's standard library.

ECF_URL is the address of the server; ECF_EMAIL and ECF_PASSWORD are the login of a
manager.
"""

import json
import os
import time
import urllib.error
import urllib.request
import uuid
from decimal import Decimal

API = os.environ.get("ECF_URL", "http://127.0.0.1:8080") + "/api/v2"


class Refused(Exception):
    """A refusal: branch on code; details name every fault."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error['code']}: {error['message']} {error.get('details', '')} (request {error['requestId']})")
        self.status, self.code, self.details = status, error["code"], error.get("details", [])


class Client:
    def __init__(self):
        self.token = None

    def login(self, email, password):
        self.token = self.call("POST", "/auth/login", {"email": email, "password": password})["accessToken"]

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
            if method == "POST":  # the same key for all attempts makes it safe to try again
                headers["Idempotency-Key"] = str(uuid.uuid4())
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(6):
            request = urllib.request.Request(API + path, data, headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    # Masses have six decimals: as Decimal they stay exact.
                    return json.load(answer, parse_float=Decimal)["data"]
            except urllib.error.HTTPError as failed:
                refused = Refused(failed.code, json.load(failed)["error"])
                if attempt == 5 or refused.code not in ("RATE_LIMITED", "UNAVAILABLE", "IDEMPOTENCY_IN_PROGRESS"):
                    raise refused from None
                time.sleep(float(failed.headers.get("Retry-After", 1)))


def current_result(client, event):
    """Waits until the result counts everything that was approved."""
    for _ in range(100):
        try:
            result = client.call("GET", f"/events/{event}/results")
            if result["status"] == "current":
                return result
        except Refused as refused:
            if refused.code != "RESULT_NOT_FOUND":
                raise
        time.sleep(0.2)
    raise TimeoutError("the result does not become current")


def main():
    client = Client()
    client.login(os.environ["ECF_EMAIL"], os.environ["ECF_PASSWORD"])
    event = client.call("POST", "/events", {"title": "Team meeting", "country": "GB", "attendees": 12})["_id"]
    flight = client.call("POST", f"/events/{event}/flights",
                         {"from": "LHR", "to": "JFK", "class": "economy", "passengers": 2, "roundTrip": True})["_id"]
    client.call("POST", f"/events/{event}/flights/{flight}/submit")
    client.call("POST", f"/events/{event}/flights/{flight}/approve")
    print(current_result(client, event)["total"]["kgCO2e"], "kg CO2e")


main()
