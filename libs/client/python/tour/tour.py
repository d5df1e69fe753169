"""Walks through the client against a running service: ECF_URL, ECF_EMAIL and ECF_PASSWORD name it and a manager.

Prints the total of an event of 30 flights, and fails when anything is not as the README says.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from ecf_client import ApiError, Client, Meta, NotModified  # noqa: E402

FLIGHT = {"from": "LHR", "to": "JFK", "class": "economy", "passengers": 1}


def expect(condition, message):
    if not condition:
        raise SystemExit(f"not as promised: {message}")


def main():
    with Client(os.environ["ECF_URL"]) as client:
        client.login(os.environ["ECF_EMAIL"], os.environ["ECF_PASSWORD"])
        rehearsed = client.create_event({"title": "Rehearsal"}, dry_run=True)
        event = client.create_event({"title": "Tour of the Python client", "country": "GB", "attendees": 12})["_id"]
        try:
            client.get_event(rehearsed["_id"])
            expect(False, "a rehearsal stores nothing")
        except ApiError as error:
            expect(error.code == "EVENT_NOT_FOUND", f"the code of an unknown event; got {error}")

        # The same key twice has one effect.
        first, second = (client.create_record(event, "flights", FLIGHT, idempotency_key=f"tour-{event}") for _ in range(2))
        expect(first["_id"] == second["_id"], "one key has one effect")
        batch = client.create_records(event, "flights", {"items": [{**FLIGHT, "passengers": n} for n in range(1, 20)] + [{**FLIGHT, "to": "JKF"}]})
        outcomes = batch["results"] if "results" in batch else batch["items"]
        expect([("error" in o) for o in outcomes] == [False] * 19 + [True], "a batch answers for each record")

        rows = "from,to,class,passengers\n" + "LHR,JFK,economy,1\n" * 10
        started = client.import_records(event, "flights", rows.encode())
        expect(client.wait_for_import(event, started["_id"])["status"] == "completed", "an import completes")

        records = list(client.iter_records(event, "flights"))
        expect(len(records) == 30, f"1 + 19 + 10 records; got {len(records)}")
        meta = Meta()
        client.list_records(event, "flights", meta=meta)
        try:
            client.list_records(event, "flights", if_none_match=meta.etag)
            expect(False, "an unchanged list is not modified")
        except NotModified:
            pass

        ids = [r["_id"] for r in records]
        client.submit_records(event, "flights", {"ids": ids})
        client.approve_records(event, {"ids": ids})
        result = client.wait_for_result(event)
        expect(result["total"]["kgCO2e"] == sum(r["footprint"]["kgCO2e"] for r in records), "the total is the sum of the previews, exactly")
        expect(client.export_records(event).startswith(b"\xef\xbb\xbf") or b"LHR" in client.export_records(event), "the export is CSV")
        expect(client.get_report(event, accept="text/csv"), "the report has a CSV form")
        client.logout()
        print(f"{result['total']['kgCO2e']} kg CO2e")


main()
