import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countriesIn } from '../src/countries';
import { describe as describeRecord } from '../src/footprint/summary';
import { parseNumber } from '../src/format';
import {
  amountsOf,
  type Column,
  cellsOf,
  cellValue,
  codesIn,
  columnsOf,
  fieldsOf,
  patchOf,
  shown,
  textOf,
} from '../src/sheet/columns';
import { isoDate } from '../src/sheet/days';
import { countryOptions } from '../src/sheet/Editor';
import { isDocument } from '../src/sheet/evidence';
import { originsOf } from '../src/sheet/origins';

const column = (kind: Column['kind'], field = 'x'): Column => ({
  field,
  label: field,
  unit: '',
  units: [],
  kind,
  required: false,
  options: [],
  labels: {},
  place: false,
  description: '',
  fallback: '',
  headings: [],
  synonyms: {},
});

describe('numbers as people write them', () => {
  it.each([
    ['1200', 'en', 1200],
    ['1,200', 'en', 1200],
    ['1,200.5', 'en', 1200.5],
    ['1.5', 'en', 1.5],
    ['1,5', 'en', undefined],
    ['1.200', 'de', 1200],
    ['1.200,5', 'de', 1200.5],
    ['1,5', 'de', 1.5],
    ['1.5', 'de', 1.5],
    ['1 200', 'en', 1200],
    ['112 miles', 'en', undefined],
    ['-3', 'en', undefined],
    ['', 'en', undefined],
  ])('%s in %s is %s', (text, lang, value) => {
    expect(parseNumber(text, lang)).toBe(value);
  });
});

describe('cells', () => {
  it('says what an empty one stands for as a cell would', () => {
    const properties = { returns: { type: 'boolean', default: false }, trips: { type: 'number', default: 1 } };
    const [returns, trips] = columnsOf({ type: 'object', properties });
    expect([returns?.fallback, trips?.fallback]).toEqual(['no', '1']);
  });
  it('sends what it cannot read as it is, for the server to say what is right', () => {
    expect(cellValue(column('integer'), 'two')).toBe('two');
    expect(cellValue(column('boolean'), 'maybe')).toBe('maybe');
  });
  it('understands yes and no', () => {
    expect(['yes', 'Ja', 'x', 'TRUE'].map((t) => cellValue(column('boolean'), t))).toEqual([true, true, true, true]);
    expect(['no', 'nein', '0'].map((t) => cellValue(column('boolean'), t))).toEqual([false, false, false]);
  });
  it('never guesses between day and month', () => {
    expect(isoDate('2026-05-03')).toBe('2026-05-03');
    expect(isoDate('31/05/2026')).toBe('2026-05-31');
    expect(isoDate('05/31/2026')).toBe('2026-05-31');
    expect(isoDate('3.5.2026')).toBe('2026-05-03');
    expect(isoDate('03/05/2026')).toBeUndefined();
  });
  it('reads evidence as names and addresses', () => {
    expect(cellValue(column('evidence'), 'Invoice 7; https://a.example/x.pdf')).toEqual([
      { name: 'Invoice 7' },
      { url: 'https://a.example/x.pdf' },
    ]);
    expect(cellValue(column('evidence'), 'Invoice [copy]; 0aF9'.concat('; ', '0aF9'.repeat(16)))).toEqual([
      { name: 'Invoice [copy]' },
      { name: '0aF9' },
      { sha256: '0aF9'.repeat(16) },
    ]);
  });
  it.each([
    [[{ name: 'a.pdf', url: 'https://a.example/a.pdf', sha256: 'a'.repeat(64) }, { name: 'b.pdf' }]],
    [[{ url: 'https://a.example/a.pdf', sha256: 'a'.repeat(64) }]],
    [[{ name: 'a.pdf', sha256: 'a'.repeat(64) }, { sha256: 'b'.repeat(64) }, { url: 'https://a.example/' }]],
    [[{ name: 'Invoice 1; Invoice 2' }, { name: 'https://a.example/b' }, { name: 'a [https://a.example/b]' }]],
  ])('changes nothing of evidence by showing it: %j', (documents) => {
    expect(cellValue(column('evidence'), textOf(column('evidence'), documents))).toEqual(documents);
  });
  it('keeps the checksum of a document where another one is added', () => {
    const sealed = { name: 'a.pdf', sha256: 'a'.repeat(64) };
    const text = `${textOf(column('evidence'), [sealed])}; b.pdf`;
    expect(cellValue(column('evidence'), text)).toEqual([sealed, { name: 'b.pdf' }]);
  });
  it('names documents as evidence, and imports tables', () => {
    for (const name of ['Rechnung.pdf', 'IMG_0001.HEIC', 'offer.docx', 'caterer.eml'])
      expect(isDocument(name), name).toBe(true);
    for (const name of ['a.csv', 'a.xlsx', 'a.xls', 'export', 'a.dat']) expect(isDocument(name), name).toBe(false);
  });
  it('shows numbers without groups, so that they read back the same', () => {
    for (const n of [0.1, 1234567, 12.345678, 3])
      expect(cellValue(column('number'), textOf(column('number'), n))).toBe(n);
  });
});

describe('rows', () => {
  const columns = columnsOf({
    required: ['b'],
    properties: {
      a: { type: 'number', 'x-unit': 'km' },
      b: { type: 'string' },
      metadata: { type: 'object' },
      date: { type: ['string', 'null'], format: 'date' },
    },
  });
  it('puts required fields first and what all types share last', () => {
    expect(columns.map((c) => c.field)).toEqual(['b', 'a', 'date']);
  });
  it('leaves empty cells out', () => {
    expect(fieldsOf(columns, { b: 'x', a: ' ', date: '' })).toEqual({ b: 'x' });
  });
  it('patches what changed, and nulls what was emptied', () => {
    expect(patchOf(columns, { b: 'y', a: '' }, { b: 'x', a: '3', date: '2026-01-01' })).toEqual({
      b: 'y',
      a: null,
      date: null,
    });
    expect(patchOf(columns, { b: 'x ' }, { b: 'x' })).toEqual({});
  });
  it('makes the same fields of a record as it came from', () => {
    const record = { b: 'x', a: 3.5, date: '2026-01-02' };
    expect(fieldsOf(columns, cellsOf(columns, record))).toEqual(record);
  });
});

describe('numbers with units', () => {
  const columns = columnsOf({
    properties: {
      distanceKm: { type: ['number', 'null'], 'x-unit': 'km' },
      passengers: { type: 'integer' },
      stated: { type: ['object', 'null'] },
      numberFormat: { type: ['string', 'null'], enum: ['1234.5', null] },
    },
  });
  it('are stated as they are written, and plain numbers are not', () => {
    expect(columns.map((c) => c.field)).toEqual(['distanceKm', 'passengers']);
    expect(fieldsOf(columns, { distanceKm: '112 miles', passengers: '2' })).toEqual({
      passengers: 2,
      stated: { distanceKm: '112 miles' },
    });
    expect(fieldsOf(columns, { distanceKm: '1,200 mi' })).toEqual({
      stated: { distanceKm: '1,200 mi' },
      numberFormat: '1,234.5',
    });
    expect(fieldsOf(columns, { distanceKm: '112' })).toEqual({ distanceKm: 112 });
    expect(fieldsOf(columns, { distanceKm: 'far' })).toEqual({ distanceKm: 'far' });
    expect(fieldsOf(columns, { passengers: '2 people' })).toEqual({ passengers: '2 people' });
  });
  it('are shown as they were written, and changed one way at a time', () => {
    const saved = cellsOf(columns, { distanceKm: 180.2, stated: { distanceKm: '112 miles' } });
    expect(saved).toEqual({ distanceKm: '112 miles' });
    expect(patchOf(columns, { distanceKm: '90' }, saved)).toEqual({ distanceKm: 90 });
    expect(patchOf(columns, { distanceKm: '90 mi' }, saved)).toEqual({ stated: { distanceKm: '90 mi' } });
    expect(patchOf(columns, {}, saved)).toEqual({ distanceKm: null });
  });
});

describe('amounts', () => {
  it('are names with numbers', () => {
    expect(amountsOf('coffee 900; wine bottle: 180')).toEqual({ coffee: 900, wine_bottle: 180 });
    expect(amountsOf('beer_keg_50l 20')).toEqual({ beer_keg_50l: 20 });
    expect(amountsOf('coffee')).toBeUndefined();
  });
  it('are shown as they are typed', () => {
    const [c] = columnsOf({
      properties: { servings: { type: 'object', properties: { coffee: { type: 'integer' } } } },
    });
    if (!c) throw new Error('no column');
    expect(c.kind).toBe('amounts');
    expect(cellValue(c, textOf(c, { coffee: 900 }))).toEqual({ coffee: 900 });
  });
});

describe('words of the page for codes', () => {
  const [servings, diet, own] = columnsOf({
    properties: {
      servings: {
        type: 'object',
        properties: {
          wine: { title: 'Wein' },
          wine_bottle: { title: 'Flasche Wein' },
          breakfast_cooked: { title: 'Frühstück, warm' },
          coffee: { title: 'Kaffee' },
        },
      },
      diet: {
        type: 'string',
        enum: ['vegan', 'red_meat'],
        'x-labels': { vegan: 'vegan', red_meat: 'rotes Fleisch' },
        'x-synonyms': { 'plant based': 'vegan' },
      },
      category: { type: 'string', enum: ['av_hire'] },
    },
  }) as [Column, Column, Column];

  it('are shown, and read as the codes they stand for', () => {
    expect(shown(diet, 'red_meat')).toBe('rotes Fleisch');
    expect(cellValue(diet, 'Rotes Fleisch')).toBe('red_meat');
    expect(cellValue(diet, 'red meat')).toBe('red_meat');
    expect(cellValue(diet, 'Plant-based')).toBe('vegan');
    expect(cellValue(diet, 'Insekten')).toBe('Insekten');
    expect(shown(own, 'av_hire')).toBe('av hire');
    expect(cellValue(own, 'AV hire')).toBe('av_hire');
    expect(cellValue(own, 'AV-Hire')).toBe('av_hire');
    expect(codesIn(own, '')).toBe('');
    expect(codesIn(own, ' - ')).toBe(' - ');
  });

  it('stand beside amounts, whatever they are separated by', () => {
    expect(shown(servings, 'wine_bottle 3; coffee 900')).toBe('Flasche Wein 3; Kaffee 900');
    const all = { wine_bottle: 3, coffee: 900, breakfast_cooked: 20, wine: 2 };
    expect(cellValue(servings, 'Flasche Wein 3; Kaffee 900; Frühstück, warm 20; Wein 2')).toEqual(all);
    expect(cellValue(servings, 'flasche wein 3, kaffee 900, frühstück, warm: 20, wein 2')).toEqual(all);
    expect(cellValue(servings, 'wine_bottle 3, coffee 900, breakfast_cooked 20, wine 2')).toEqual(all);
    expect(cellValue(servings, 'Tee 3')).toEqual({ tee: 3 });
  });
});

describe('countries by their names', () => {
  it('are those of the server', () => {
    const table = readFileSync('../../../libs/locations/countrynames.tsv', 'utf8').trim().split('\n');
    const codes = countriesIn('de').map((c) => c.value);
    expect(codes.sort()).toEqual(table.map((line) => line.split('\t')[0]).sort());
  });
  it('are read in both languages', () => {
    const country = { ...column('text', 'country'), field: 'country' };
    for (const name of ['Germany', 'deutschland', 'DE']) expect(cellValue(country, name)).toBe('DE');
    expect(cellValue(country, 'Utopia')).toBe('Utopia');
  });
  it('are offered by what is typed', () => {
    const offered = (lang: string, text: string): string[] => countryOptions(lang, text).map((o) => o.value);
    expect(offered('de', 'verein')).toEqual(expect.arrayContaining(['GB', 'US', 'AE']));
    expect(offered('en', 'germ')).toEqual(['DE']);
    expect(offered('en', 'kingdom')).toEqual(['GB']);
    expect(offered('en', 'de')).not.toContain('DE');
    expect(offered('en', '')).toEqual([]);
  });
  it('stand behind the place that people come from', () => {
    expect(originsOf('12 Köln, Deutschland (rail); 3 Bath, gb; 2 St. Ives, Cornwall')).toEqual([
      { people: 12, place: 'Köln', country: 'DE', mode: 'rail' },
      { people: 3, place: 'Bath', country: 'GB' },
      { people: 2, place: 'St. Ives, Cornwall' },
    ]);
  });
});

describe('the order of columns', () => {
  it('has what is required first, then places, and what is rarely said last', () => {
    const fields = columnsOf({
      properties: {
        mode: { type: 'string' },
        country: { type: 'string' },
        fuel: { type: 'string' },
        from: { type: 'string' },
        description: { type: 'string' },
      },
      required: ['mode'],
    }).map((c) => c.field);
    expect(fields).toEqual(['mode', 'from', 'fuel', 'description', 'country']);
  });
});

describe('a record in one line', () => {
  it('says what each number counts', () => {
    const columns = columnsOf({
      properties: {
        distanceKm: { type: 'number', title: 'Distance', 'x-unit': 'km' },
        passengers: { type: 'integer', title: 'Passengers' },
        roundTrip: { type: 'boolean', title: 'Round trip' },
        country: { type: 'string' },
        date: { type: 'string', format: 'date' },
      },
    });
    expect(describeRecord(columns, { distanceKm: 180.246528, passengers: 380, roundTrip: true, country: 'GB' })).toBe(
      '180 km · 380 passengers · round trip',
    );
    expect(describeRecord(columns, { distanceKm: 1, passengers: 1 })).toBe('1 km · passengers: 1');
    expect(describeRecord(columns, { roundTrip: false })).toBe('');
    expect(describeRecord(columns, { date: '2026-06-09', passengers: 2 })).toBe('2 passengers · Jun 9, 2026');
    expect(describeRecord(columns, { distanceKm: 9, passengers: 2, derived: { distanceKm: 9 } })).toBe('2 passengers');
  });
});
