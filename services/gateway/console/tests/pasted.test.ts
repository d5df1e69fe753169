/** Odd values of pasted tables: each is the record that the import of a file makes of it, or is left to the server to refuse. */
import { expect, it } from 'vitest';
import { columnsOf, fieldsOf } from '../src/sheet/columns';
import { cellsOfLine } from '../src/sheet/headunits';
import { asHere } from '../src/sheet/notation';
import { fromHeading, matchHeading, parseTable } from '../src/sheet/table';

const columns = columnsOf({
  properties: {
    mode: { type: 'string', enum: ['rail', 'car'], 'x-synonyms': { bahn: 'rail' } },
    passengers: { type: 'integer' },
    distanceKm: { type: 'number', 'x-unit': 'km', 'x-units': ['km', 'mi'] },
    roundTrip: {
      type: 'boolean',
      'x-headings': ['return'],
      'x-synonyms': { oui: 'true', return: 'true', single: 'false', '-': 'false' },
    },
    renewablePercent: { type: 'number', 'x-unit': '%' },
    gramsPerM2: { type: 'number', 'x-unit': 'g/m2' },
    amount: { type: 'number', 'x-headings': ['betrag', 'net amount'] },
    currency: { type: 'string' },
    date: { type: 'string', format: 'date' },
  },
});

/** Returns the fields of the first row of a pasted table of the passengers and one more column, or several. */
function pasted(head: string, line: string): unknown {
  const table = fromHeading(parseTable(`Passengers\t${head}\n2\t${line}`), columns) ?? [];
  const mapping = (table[0] ?? []).map((h) => matchHeading(h, columns) ?? '');
  const [heads = [], cells = []] = asHere(table, mapping, columns);
  const { passengers, ...others } = fieldsOf(columns, cellsOfLine(heads, cells, mapping, columns));
  expect(passengers).toBe(2);
  return others;
}

it.each([
  ['Distance (km)', '1,5', { distanceKm: 1.5 }],
  ['Distance (km)', '1.234,5 km', { stated: { distanceKm: '1234.5 km' } }],
  ['Distance (km)', '10-12', { stated: { distanceKm: '10-12' } }],
  ['Date', '12 mai 2026', { date: '2026-05-12' }],
  ['Date', 'May 12, 2026', { date: '2026-05-12' }],
  ['Date', '2026. május 12.', { date: '2026-05-12' }],
  ['Date', '2026年5月12日', { date: '2026-05-12' }],
  ['Date', '2026. 05. 12.', { date: '2026-05-12' }],
  ['Date', '2026-05-12T23:30', { date: '2026-05-12' }],
  ['Date', '13.05.26', { date: '2026-05-13' }],
  ['Date', '46154', { date: '2026-05-12' }],
  ['Date', '12 listopada 2026', { date: '12 listopada 2026' }],
  ['Date', '12/05/2026', { date: '12/05/2026' }],
  ['Date', 'KW 20', { date: 'KW 20' }],
  ['Return', 'oui', { roundTrip: true }],
  ['Return', 'Single', { roundTrip: false }],
  ['Return', '13/05/2026', { roundTrip: true }],
  ['Return', '', {}],
  ['Mode', 'Bahn', { mode: 'rail' }],
  ['Renewable', '35%', { renewablePercent: 35 }],
  ['Grams per m2', '80 g/m²', { gramsPerM2: 80 }],
  ['Amount (T€)', '12.5', { amount: 12500, currency: 'EUR' }],
  ['Amount (T€)', '12.5 €', { amount: '12.5 €' }],
  ['Amount (T€)\tCurrency', '12.5\tUSD', { amount: '12.5 TEUR', currency: 'USD' }],
  ["Amount (£'000)", '3', { amount: 3000, currency: 'GBP' }],
  ['Betrag\tCurrency', '12,5 k€\tEUR', { amount: 12500, currency: 'EUR' }],
  ['Betrag\tCurrency', '€ 1.250,00\tEUR', { amount: 1250, currency: 'EUR' }],
  ['Betrag\tCurrency', '4.320,-\tEUR', { amount: 4320, currency: 'EUR' }],
  ['Betrag\tCurrency', '€ 1.250,00\tUSD', { amount: '€ 1250', currency: 'USD' }],
  ['Amount (IVA)', '210', {}],
])('%s %s', (head, line, fields) => {
  expect(pasted(head, line)).toEqual(fields);
});
