import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../src/api/client';
import {
  asRead,
  choicesOf,
  proposeChoices,
  type ReadColumn,
  recallChoices,
  rememberChoices,
  type Told,
  toldBy,
  unsure,
} from '../src/sheet/choices';
import { columnsOf } from '../src/sheet/columns';
import type { Import } from '../src/sheet/upload';

const stays = columnsOf({
  type: 'object',
  properties: {
    rooms: { type: 'integer' },
    nights: { type: 'integer', 'x-unit': 'nights' },
    date: { type: 'string', format: 'date' },
    description: { type: 'string' },
  },
});
const waste = columnsOf({
  type: 'object',
  properties: {
    treatment: { type: 'string', 'x-headings': ['entsorgung'] },
    weightKg: { type: 'number', title: 'Weight', 'x-unit': 'kg', 'x-units': ['kg', 't', 'short ton'] },
  },
});
const purchases = columnsOf({
  type: 'object',
  properties: {
    amount: { type: 'number', title: 'Amount', 'x-unit': 'in currency', 'x-headings': ['net'] },
    currency: { type: 'string' },
  },
});

const read = (heading: string, field?: string, ...examples: string[]): ReadColumn => ({
  column: '',
  ignored: field === undefined,
  examples,
  ...(heading ? { heading } : {}),
  ...(field ? { field } : {}),
});
/** What a rehearsal tells of columns, whose letters are in their order. */
const told = (columns: ReadColumn[], ignoredColumns?: string[]): Told => {
  const lettered = columns.map((c, n) => ({ ...c, column: 'ABCDEFG'[n] ?? '' }));
  const ignored = ignoredColumns ?? lettered.filter((c) => c.ignored).map((c) => c.heading ?? `column ${c.column}`);
  return toldBy({ columns: lettered, ignoredColumns: ignored, rows: 2 } as Import) as Told;
};

beforeEach(() => {
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    localStorage: { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => kept.set(k, v) },
  });
});

describe('the columns of a file', () => {
  it('are proposed as the server reads them, and nothing is asked where it reads them all', () => {
    const all = told([read('Check-in', 'nights'), read('Check-out', 'nights'), read('Zimmer', 'rooms', '2')]);
    const proposed = proposeChoices(all, stays);
    expect(proposed).toEqual([asRead, asRead, 'rooms']);
    expect(unsure(all, proposed, stays, false)).toBe(false);
    expect(choicesOf(all, proposed, stays)).toEqual([]);
  });
  it('are asked about where one is left out, but for those of people', () => {
    const one = told([read('Anreise'), read('rooms', 'rooms'), read('', undefined, 'x')]);
    expect(one.left).toEqual([true, false, true]);
    const proposed = proposeChoices(one, stays);
    expect(proposed).toEqual(['', 'rooms', '']);
    expect(unsure(one, proposed, stays, false)).toBe(true);
    expect(unsure(one, proposed, stays, true)).toBe(false);
    // What the server adds to an export is left out silently.
    const exported = told([read('_id'), read('rooms', 'rooms')], []);
    expect(unsure(exported, proposeChoices(exported, stays), stays, false)).toBe(false);
  });
  it('are sent where they were chosen otherwise than the server reads them', () => {
    const some = told([read('Anreise'), read('Zi', 'rooms'), read('Number', 'nights'), read('Note', 'description')]);
    expect(choicesOf(some, ['date', 'rooms', '', asRead], stays)).toEqual(['A:date', 'C:']);
    expect(choicesOf(some, ['', 'nights', 'rooms', 'description'], stays)).toEqual(['B:nights', 'C:rooms']);
  });
  it('keep the units and the currency that the server found in headings', () => {
    const as = (heading: string, unit: string | undefined, field: string, of = waste): string[] =>
      choicesOf(told([{ ...read(heading), ...(unit ? { unit } : {}) }]), [field], of);
    expect(as('Weight (t)', 't', 'weightKg')).toEqual(['A:Weight (t)']);
    expect(as('Load (Tonnen)', 'Tonnen', 'weightKg')).toEqual(['A:Weight (Tonnen)']);
    expect(as('Weight (kg)', 'kg', 'weightKg')).toEqual(['A:weightKg']);
    expect(as('Weight (net)', undefined, 'weightKg')).toEqual(['A:weightKg']);
    expect(as('Rechnung (EUR)', 'EUR', 'amount', purchases)).toEqual(['A:Amount (EUR)']);
    expect(as('How long (nights)', 'nights', 'rooms', stays)).toEqual(['A:rooms']);
  });
  it('are proposed as the server says that headings may be meant', () => {
    const net = told([read('Art', 'treatment'), { ...read('Weight (net)'), may: 'weightKg' }, read('Hall')]);
    expect(proposeChoices(net, waste)).toEqual(['treatment', 'weightKg', '']);
    expect(choicesOf(net, ['treatment', 'weightKg', ''], waste)).toEqual(['B:weightKg']);
    const twice = told([read('weightKg', 'weightKg'), { ...read('Weight (net)'), may: 'weightKg' }]);
    expect(proposeChoices(twice, waste)).toEqual(['weightKg', '']);
  });
  it('are asked about where neither heading nor cells say the unit, and then are in that of the field', () => {
    const weight = (...cells: string[]): ReadColumn => ({ ...read('Weight', 'weightKg', ...cells), noUnit: true });
    const sure = (column: ReadColumn): boolean => {
      const one = told([column]);
      return !unsure(one, proposeChoices(one, waste), waste, false);
    };
    expect(sure(weight('1'))).toBe(false);
    expect(sure(weight('1 t', '1.5'))).toBe(false);
    expect(sure(weight('1 t', '', 'n/a'))).toBe(true);
    expect(sure(read('Weight (kg)', 'weightKg', '1'))).toBe(true);
    const left = told([weight('1')], ['Weight']);
    const proposed = proposeChoices(left, waste);
    expect(proposed).toEqual(['weightKg']);
    expect(choicesOf(left, proposed, waste)).toEqual(['A:weightKg']);
    expect(choicesOf(told([weight('1')]), ['weightKg'], waste)).toEqual(['A:weightKg']);
  });
  it('are remembered for files with the same headings', () => {
    const file = told([read('Anreise'), read('rooms', 'rooms'), read('')]);
    expect(recallChoices('o:u', 'accommodation', file, stays)).toBeUndefined();
    rememberChoices('o:u', 'accommodation', file, ['date', asRead, '']);
    expect(recallChoices('o:u', 'accommodation', file, stays)).toEqual(['date', asRead, '']);
    expect(recallChoices('o:other', 'accommodation', file, stays)).toBeUndefined();
    expect(
      recallChoices('o:u', 'accommodation', told([read('Abreise'), ...file.columns.slice(1)]), stays),
    ).toBeUndefined();
    rememberChoices('o:u', 'accommodation', file, ['gone', '', '']);
    expect(recallChoices('o:u', 'accommodation', file, stays)).toBeUndefined();
  });
});

describe('a file whose headings are refused', () => {
  const refused = (code: string, columns: ReadColumn[]): ApiError =>
    new ApiError(400, 'VALIDATION_ERROR', '', '', [{ field: 'row 1', code, message: '' }], 0, columns);
  it('is asked about where a choice of its columns helps', () => {
    const two = [read('date', 'date'), read('Date', 'date'), read('Zi')];
    const twice = toldBy(refused('DUPLICATE_KEY', two)) as Told;
    expect(twice.refused).toBe(true);
    expect(unsure(twice, [], stays, true)).toBe(true);
    expect(proposeChoices(twice, stays)).toEqual(['date', '', '']);
    expect(toldBy(refused('REQUIRED', two))?.rows).toBeUndefined();
    expect(toldBy(refused('BAD_FORMAT', two))).toBeUndefined();
    expect(toldBy(refused('REQUIRED', []))).toBeUndefined();
    expect(toldBy(new Error('away'))).toBeUndefined();
  });
});
