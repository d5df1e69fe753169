"""Writes the packs of this folder from the published tables in libs/factors/source.

    python3 examples/packs/make.py

They are not signed: `ecf factors sign` does that with the key of an installation.
"""
import csv
import gzip
import json
import pathlib
from decimal import Decimal

HERE = pathlib.Path(__file__).parent
SOURCE = HERE.parent.parent / "libs" / "factors" / "source"


def figure(text):
    """A number as the table writes it, exactly."""
    return json.loads(text, parse_float=lambda s: Exact(s))


class Exact(float):
    """A float that is written with the digits it was read with."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = format(Decimal(text).normalize(), "f")
        return self

    def __repr__(self):
        return self.text


def write(name, document):
    # Floats are written by float.__repr__, which knows nothing of Exact: digits are
    # put in as marked texts and unmarked in the end.
    def mark(value):
        if isinstance(value, Exact):
            return "\0" + value.text + "\0"
        if isinstance(value, dict):
            return {k: mark(v) for k, v in value.items()}
        if isinstance(value, list):
            return [mark(v) for v in value]
        return value

    text = json.dumps(mark(document), ensure_ascii=False, indent=1)
    (HERE / name).write_text(text.replace('"\\u0000', "").replace('\\u0000"', "") + "\n", encoding="utf-8")


def ember(year):
    """The grids of a year by Ember, for countries whose electricity counts with Ember's figure."""
    rows = []
    with gzip.open(SOURCE / "grid_by_year.csv.gz", "rt", encoding="utf-8", newline="") as f:
        for r in csv.DictReader(f):
            code = "KY" if r["iso3"] == "CYM" else r["region"]
            if r["year"] != str(year) or len(code) != 2 or not r["boundary"].startswith("life cycle (Ember)") or Decimal(r["kgco2e_per_kwh"]) == 0:
                continue
            row = {
                "id": f"elec.{code.lower()}.ember.{year}", "series": f"elec.{code.lower()}.ember", "category": "venue",
                "activity": "grid electricity, location-based (life cycle)",
                "detail": f"{r['name']}; generation mix, imports and T&D loss excluded; life cycle incl. upstream, so add no WTT",
                "unit": "kWh", "region": code, "year": year, "kgCO2e": figure(r["kgco2e_per_kwh"]),
            }
            if r["low"] and r["high"] and Decimal(r["low"]) < Decimal(r["high"]):
                row["low"], row["high"] = figure(r["low"]), figure(r["high"])
            rows.append(row | {"source": "ember", "location": f"{r['iso3']}, {year}; read in {r['origin']}"})
    write(f"ember-{year}.json", {
        "format": "ecf-factors/1", "name": f"ember-{year}", "release": 1, "title": f"Grid electricity of {year} by Ember, on the DESNZ edition of 2026",
        "publisher": "Ember", "year": 2026, "base": "desnz-2026", "standIns": [],
        "sources": [{"key": "ember", "source": "Ember, Yearly electricity data, carbon intensity of electricity; processed by Our World in Data", "licence": "CC BY 4.0"}],
        "rows": rows,
    })


def epa():
    """What the US EPA publishes of transport, freight, waste and fuels, in the place of UK rows."""
    rows = []
    with open(HERE / "us-epa-2025.csv", encoding="utf-8", newline="") as f:
        for r in csv.DictReader(f):
            rows.append({
                "id": "us.epa.2025." + r["series"], "series": r["series"], "category": r["category"], "activity": r["item"],
                "detail": f"{r['group']}; {r['boundary']}; {r['gwp']}; published: {r['published_kgco2e']} kg CO2e per {r['published_unit'].split(' (')[0]}",
                "unit": r["unit"], "region": "US", "year": 2025, "kgCO2e": figure(r["kgco2e_per_unit"]),
                "source": "hub", "location": f"Table {r['table']}, {r['group']}, {r['item']}",
            })
    write("us-epa-2025.json", {
        "format": "ecf-factors/1", "name": "us-epa-2025", "release": 1, "title": "Transport, freight, waste and fuels of the United States, on the DESNZ edition of 2026",
        "publisher": "US Environmental Protection Agency", "year": 2026, "base": "desnz-2026", "standIns": [],
        "sources": [{"key": "hub", "source": "US EPA, GHG Emission Factors Hub, last modified 2025-01-15", "licence": "US Government work, public domain"}],
        "rows": rows,
    })


def short_flights():
    """Flights of less than 300 miles outside the UK by the UK's factor for its domestic flights."""
    rows = []
    with open(SOURCE / "flights.csv", encoding="utf-8", newline="") as f:
        for r in csv.DictReader(f):
            if not r["factor_id"].startswith("desnz-2026-flight-domestic-average-"):
                continue
            rows.append({
                "id": r["factor_id"].replace("-domestic-", "-short_outside_uk-"), "series": r["factor_id"].replace("-2026-flight-domestic-", "-flight-short_outside_uk-"),
                "category": "flights", "activity": "Less than 300 miles, outside the UK",
                "detail": "by the factor of domestic flights in the UK, 434 km long on average; " + r["detail"], "unit": r["unit"], "region": "UK", "year": 2026,
                "kgCO2e": figure(r["kgco2e_per_unit"]), "co2": figure(r["co2"]), "ch4": figure(r["ch4"]), "n2o": figure(r["n2o"]),
                "wellToTank": figure(r["wtt_kgco2e_per_unit"]), "source": "desnz", "location": r["source_location"],
            })
    write("short-flights-2026.json", {
        "format": "ecf-factors/1", "name": "short-flights-2026", "release": 1, "title": "The DESNZ edition of 2026, with short flights outside the UK counted apart",
        "publisher": "DESNZ", "year": 2026, "base": "desnz-2026", "standIns": [],
        "sources": [{"key": "desnz", "source": "DESNZ, UK Government GHG conversion factors 2026, full set v1; read in the transcription themisiqco/themisiq",
                     "licence": "Open Government Licence v3.0"}],
        "rows": rows,
    })


if __name__ == "__main__":
    ember(2025)
    epa()
    short_flights()
