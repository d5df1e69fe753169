import { describe, expect, it } from 'vitest';
import { type Column, columnsOf } from '../src/sheet/columns';
import { firstRows, tableOf, withHead } from '../src/sheet/headings';
import { cellsOfLine } from '../src/sheet/headunits';

const flights = columnsOf({
  type: 'object',
  properties: {
    from: { type: 'string', 'x-headings': ['abflug'] },
    to: { type: 'string', 'x-headings': ['ziel'] },
    passengers: { type: 'integer', 'x-headings': ['pax'] },
  },
});

const waste = columnsOf({
  type: 'object',
  properties: {
    weightKg: { type: 'number', title: 'Weight', 'x-unit': 'kg', 'x-units': ['kg', 't', 'short ton'] },
    fillPercent: { type: 'number', title: 'How full', 'x-unit': '%' },
  },
});
const purchases = columnsOf({
  type: 'object',
  properties: {
    amount: { type: 'number', title: 'Amount', 'x-unit': 'in currency', 'x-headings': ['net'] },
    currency: { type: 'string' },
  },
});

describe('the headings of a file', () => {
  it('are its first row with something in it', () => {
    expect(tableOf('from,to\nLHR,JFK\n', flights)).toEqual({ text: 'from,to\nLHR,JFK\n', above: 0, separator: ',' });
    expect(tableOf('\ufeff\n\nfrom;x\nfrom;to\n', flights)).toEqual({
      text: 'from;x\nfrom;to\n',
      above: 2,
      separator: ';',
    });
    expect(tableOf('', flights)).toEqual({ text: '', above: 0, separator: ',' });
  });
  it('are below titles where a row names several fields', () => {
    const file = 'Expenses, London, 2026\r\n"of\r\nJ. Doe"\r\n\r\nfrom;to\r\nLHR;JFK\r\n';
    expect(tableOf(file, flights)).toEqual({ text: 'from;to\r\nLHR;JFK\r\n', above: 3, separator: ';' });
    expect(tableOf('from,2026\nto,from,pax\n', flights).above).toBe(1);
    expect(tableOf('x\nfrom,from\n', flights).above).toBe(0);
    expect(tableOf('Trips, 2026\n\nWhere,from\nLHR,JFK\n', flights).above).toBe(0);
    expect(tableOf('Trips of 2026\n\nWhere,from\nLHR,JFK\n', flights).above).toBe(2);
    expect(tableOf(`${'x\n'.repeat(10)}from,to\n`, flights).above).toBe(0);
  });
  it('come with the separator that the first line declares, which is no row', () => {
    expect(tableOf('sep=;\r\nfrom;to,x\r\n', flights)).toEqual({ text: 'from;to,x\r\n', above: 0, separator: ';' });
    expect(firstRows('"sep=|"\nfrom|to').map((r) => r.cells)).toEqual([['from', 'to']]);
  });
});

describe('a file with other headings', () => {
  const sent = (file: string, fields: string[]): string => withHead(tableOf(file, flights), fields, flights);
  it('keeps its rows where they are, and their line ends', () => {
    expect(sent('Title\r\rto,pax,"a,b"\rJFK,2,x\r', ['to', 'passengers', ''])).toBe('\r\rto,pax,"a,b"\rJFK,2,x\r');
    expect(sent('sep=|\nStart|to\nLHR|JFK\n', ['from', 'to'])).toBe('sep=|\nfrom|to\nLHR|JFK\n');
    expect(sent('\nStart;to', ['from', 'to'])).toBe('\nfrom;to');
  });
  it('keeps headings that the server knows, of one column for each field', () => {
    expect(sent('Abflug;Ziel;Wer\nLHR;JFK;2\n', ['from', 'to', 'passengers'])).toBe(
      'Abflug;Ziel;passengers\nLHR;JFK;2\n',
    );
    expect(sent('Abflug;from\nLHR;JFK\n', ['from', ''])).toBe('from;from\nLHR;JFK\n');
  });
  it('keeps the units that headings name, and the currency', () => {
    const as = (head: string, field: string, of: Column[]): string =>
      withHead(tableOf(`${head};x\n1;2\n`, of), [field, ''], of).split(';')[0] ?? '';
    expect(as('Weight (t)', 'weightKg', waste)).toBe('Weight (t)');
    expect(as('Weight [t]', 'weightKg', waste)).toBe('Weight [t]');
    expect(as('Load (Tonnen)', 'weightKg', waste)).toBe('Weight (Tonnen)');
    expect(as('Weight (kg)', 'weightKg', waste)).toBe('weightKg');
    expect(as('Weight (net)', 'weightKg', waste)).toBe('weightKg');
    expect(as('Net (EUR)', 'amount', purchases)).toBe('Net (EUR)');
    expect(as('Rechnung (EUR)', 'amount', purchases)).toBe('Amount (EUR)');
  });
});

describe('a pasted table', () => {
  const weighed = (head: string, text: string): unknown => cellsOfLine([head], [text], ['weightKg'], waste).weightKg;
  it('has its numbers in the unit of the heading', () => {
    expect(weighed('Weight (t)', '1.2')).toBe('1.2 t');
    expect(weighed('Weight [in t]', '1.200,5')).toBe('1.200,5 t');
    expect(weighed('Load in t', '1.2')).toBe('1.2 t');
    expect(weighed('Gut in Tonnen', '1,2')).toBe('1,2 Tonnen');
    expect(weighed('Weight (short ton)', '1')).toBe('1 short ton');
    // Not known here: the server says what it is, or that it is not known.
    expect(weighed('Weight (cwt)', '3')).toBe('3 cwt');
    expect(weighed('weight_tonnes', '3')).toBe('3 tonnes');
  });
  it('keeps cells that have a unit, and numbers below any other heading', () => {
    expect(weighed('Weight (t)', '300 kg')).toBe('300 kg');
    expect(weighed('Weight (t)', 'about 3')).toBe('about 3');
    for (const head of ['Weight', 'Weight (kg)', 'Weight (net)', 'Weight (est.)', 'Weight (as on the bill)', 'Load'])
      expect(weighed(head, '3')).toBe('3');
    expect(cellsOfLine(['How full (of 1)'], ['0.5'], ['fillPercent'], waste)).toEqual({ fillPercent: '0.5' });
  });
  it('has the currency of its amounts from the cell or the heading, unless a column says it', () => {
    const paid = (head: string, text: string): unknown => cellsOfLine([head], [text], ['amount'], purchases);
    expect(paid('Net (EUR)', '8.400,00')).toEqual({ amount: '8.400,00', currency: 'EUR' });
    expect(paid('Net', '8.400,00 €')).toEqual({ amount: '8.400,00', currency: 'EUR' });
    expect(paid('Net (EUR)', '£1,200.50')).toEqual({ amount: '1,200.50', currency: 'GBP' });
    expect(paid('Net (VAT)', '5')).toEqual({ amount: '5' });
    expect(paid('Net', '$5')).toEqual({ amount: '$5' });
    expect(cellsOfLine(['Net (EUR)', ''], ['5', 'USD'], ['amount', 'currency'], purchases)).toEqual({
      amount: '5',
      currency: 'USD',
    });
  });
});
