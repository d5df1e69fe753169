/** Pasted tables, as the answers of the server to them become rows. */
import { describe, expect, it } from 'vitest';
import { asRead, type ReadColumn } from '../src/sheet/choices';
import { columnsOf } from '../src/sheet/columns';
import { heard, rawCells, rawTable, readCells, readTable } from '../src/sheet/reading';
import { type Import, type Options, plain } from '../src/sheet/upload';

const columns = columnsOf({
  properties: {
    treatment: { type: 'string' },
    weightKg: { type: 'number', 'x-unit': 'kg', 'x-units': ['kg', 't'] },
    amount: { type: 'number', 'x-unit': 'in currency' },
    currency: { type: 'string' },
    bins: { type: 'integer' },
    date: { type: 'string', format: 'date' },
  },
});

it.each([
  ['6.200,50', '6200.5'],
  ['1,250.00', '1250'],
  ['1.2500 t', '1.25 t'],
  ['1,5 t', '1.5 t'],
  ['-0,5', '-0.5'],
  ['−3', '-3'],
  ["1'234'567.5 kg", '1234567.5 kg'],
  ['1.234.567', '1234567'],
  // Two readings, ranges and words stay as they are.
  ['1.250 t', '1.250 t'],
  ['10-12', '10-12'],
  // So does what is no number: its digits alone would be another one.
  ['1.2.3', '1.2.3'],
  ['12.05.2026', '12.05.2026'],
  ['12.5,3', '12.5,3'],
  ['20 30', '20 30'],
  ['1,23.456', '1,23.456'],
  ['about 3', 'about 3'],
  ['', ''],
])('a number with one reading, %j, is a cell', (text, cell) => {
  expect(heard(text)).toBe(cell);
});

it('a row that was read is written as the page writes it', () => {
  expect(readCells({ treatment: 'landfill', stated: { weightKg: '1.5 t' } }, columns)).toEqual({
    treatment: 'landfill',
    weightKg: '1.5 t',
  });
  expect(readCells({ amount: 12500, currency: 'EUR' }, columns)).toEqual({ amount: '12500', currency: 'EUR' });
  expect(readCells({ stated: { weightKg: '1.250 t' }, numberFormat: '1.234,5' }, columns)).toEqual({
    weightKg: '1250 t',
  });
});

describe('a row that could not be read', () => {
  const told = (column: string, field: string | undefined, more: Partial<ReadColumn> = {}): ReadColumn => ({
    column,
    ignored: false,
    examples: [],
    ...(field ? { field } : {}),
    ...more,
  });
  const raw = (text: string, c: Partial<ReadColumn>, field: string, form: Partial<Options> = {}): unknown =>
    rawCells(['', text], [told('B', field, c)], { ...plain, ...form }, columns)[field];
  it('has its numbers in the unit of their heading, and in none where nothing says it', () => {
    expect(raw('1.250', { unit: 't' }, 'weightKg')).toBe('1.250 t');
    expect(raw('300 kg', { unit: 't' }, 'weightKg')).toBe('300 kg');
    expect(raw('3', { unit: 'kg' }, 'weightKg')).toBe('3');
    expect(raw('3', { noUnit: true }, 'weightKg')).toBe('3 ?');
    expect(raw('12', { unit: 'T€' }, 'amount')).toBe('12 T€');
    expect(raw('some', { unit: 't' }, 'weightKg')).toBe('some');
  });
  it('has its numbers and days in the form of its file', () => {
    expect(raw('1.250', {}, 'bins', { numberFormat: '1.234,5' })).toBe('1250');
    expect(raw('03/04/2026', {}, 'date', { dateOrder: 'dmy' })).toBe('2026-04-03');
    expect(raw('3/4/2026', {}, 'date')).toBe('3/4/2026');
  });
  it('has the columns by their letters, and those of one field together', () => {
    const line = Array.from({ length: 28 }, (_, n) => `c${n}`);
    expect(
      rawCells(line, [told('A', 'treatment'), told('AB', 'treatment'), told('C', undefined)], plain, columns),
    ).toEqual({
      treatment: 'c0 c27',
    });
    const table = [
      ['x', 'y', 'z'],
      ['1', '2', '3'],
    ];
    const three = [told('A', 'treatment'), told('B', 'bins'), told('C', undefined)];
    expect(rawTable(table, three, ['', asRead, 'treatment'], plain, 'waste', columns)).toEqual([
      { type: 'waste', cells: { bins: '2', treatment: '3' } },
    ]);
  });
});

describe('a table', () => {
  const weights = [
    { column: 'A', field: 'treatment', ignored: false, examples: [] },
    { column: 'B', field: 'bins', ignored: false, examples: [] },
  ];
  type Told = NonNullable<Import['records']>[number];
  const row = (n: number, fields: object, more: Partial<Told> = {}): Told => ({
    row: n,
    type: 'waste',
    fields: fields as Told['fields'],
    errors: [],
    read: true,
    ...more,
  });
  const fault = (n: number, code: string): Told['errors'] => [{ row: n, code, message: '' }];
  /** Reads a table by answers that depend on what is sent. */
  const reading = async (table: string[][], answer: (part: string[][], o: Options) => Partial<Import>) => {
    const sent: { part: string[][]; o: Options }[] = [];
    const read = await readTable(
      async (part, o) => {
        sent.push({ part, o });
        return { columns: weights, ...answer(part, o) } as Import;
      },
      table,
      plain,
      'waste',
      columns,
    );
    return { ...read, sent };
  };
  const head = ['Treatment', 'Bins'];
  it('has the rows that were read, what could not be read as it is, and no totals', async () => {
    const { lines, left, sent } = await reading([head, ['landfill', '2'], ['glass', 'x'], ['Total', '3']], () => ({
      records: [
        row(2, { treatment: 'landfill', bins: 2 }),
        row(3, { treatment: 'recycling' }, { read: false, errors: fault(3, 'WRONG_TYPE') }),
        row(4, {}, { read: false, errors: fault(4, 'TOTALS_ROW') }),
      ],
    }));
    expect(lines.map((l) => l.cells)).toEqual([
      { treatment: 'landfill', bins: '2' },
      { treatment: 'recycling', bins: 'x' },
    ]);
    expect([left.map((e) => e.code), sent.length]).toEqual([['TOTALS_ROW'], 1]);
  });
  it('keeps numbers of which nothing says the unit, as what is still to be said', async () => {
    const weight = { column: 'B', field: 'weightKg', noUnit: true, ignored: false, examples: [] };
    const { lines } = await reading([head, ['landfill', '3'], ['landfill', '2 t']], () => ({
      columns: [weights[0] as ReadColumn, weight],
      records: [row(2, { treatment: 'landfill' }), row(3, { treatment: 'landfill', stated: { weightKg: '2 t' } })],
    }));
    expect(lines.map((l) => l.cells.weightKg)).toEqual(['3 ?', '2 t']);
  });
  it('has numbers with two readings as the page writes them, unless others settle it', async () => {
    const table = [head, ['landfill', '1,250']];
    const asked = await reading(table, () => ({ records: [] }));
    expect(asked.sent.map((s) => s.o.numberFormat)).toEqual(['', '1,234.5']);
    const settled = await reading(table, () => ({ records: [], numberFormat: '1.234,5' }));
    expect(settled.sent.map((s) => s.o.numberFormat)).toEqual(['']);
  });
  it('is read to its end where it has more rows than a rehearsal tells, as its beginning is written', async () => {
    const all = 4500;
    const units = ['', '(pieces)'];
    const lines = Array.from({ length: all }, (_, n) => ['landfill', String(n)]);
    const read = await reading([head, units, ...lines], (part) => ({
      dateOrder: 'dmy',
      records: part.slice(2, 2002).map(([, n], at) => row(at + 3, { bins: Number(n) })),
    }));
    expect(read.lines.map((l) => Number(l.cells.bins))).toEqual(Array.from({ length: all }, (_, n) => n));
    expect(read.sent.map((s) => s.part[1])).toEqual([units, units, units]);
    expect(read.sent.map((s) => s.o.dateOrder)).toEqual(['', 'dmy', 'dmy']);
  });
});
