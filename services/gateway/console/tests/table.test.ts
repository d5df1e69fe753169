import { describe, expect, it } from 'vitest';
import { columnsOf } from '../src/sheet/columns';
import { fromHeading, hasHeading, matchHeading, parseTable, writeTable } from '../src/sheet/table';

const flights = columnsOf({
  type: 'object',
  required: ['from', 'to', 'passengers'],
  properties: {
    distanceKm: { type: 'number', 'x-unit': 'km' },
    from: { type: 'string', pattern: '^[A-Z]{3}$' },
    to: { type: 'string', pattern: '^[A-Z]{3}$', 'x-headings': ['destination'] },
    passengers: { type: 'integer', 'x-headings': ['pax'] },
    roundTrip: { type: 'boolean' },
    description: { type: 'string', 'x-headings': ['notes'] },
  },
});

describe('parseTable', () => {
  it('reads what spreadsheets put on the clipboard', () => {
    expect(parseTable('From\tTo\r\nLHR\tJFK\r\n')).toEqual([
      ['From', 'To'],
      ['LHR', 'JFK'],
    ]);
  });
  it('keeps separators, quotes and line breaks in quoted cells', () => {
    expect(parseTable('a;b\n"x;y";"say ""hi""\nthere"')).toEqual([
      ['a', 'b'],
      ['x;y', 'say "hi"\nthere'],
    ]);
  });
  it('leaves out empty rows and a byte order mark', () => {
    expect(parseTable('\ufeffa,b\n,\n1,2\n\n')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });
  it('takes commas as text in a table of tabs', () => {
    expect(parseTable('1,200\t3')).toEqual([['1,200', '3']]);
  });
  it('reads back what it writes', () => {
    const rows = [
      ['a\tb', 'say "hi"', 'two\nlines'],
      ['', '1,5', 'x'],
    ];
    expect(parseTable(writeTable(rows))).toEqual(rows);
  });
});

describe('headings', () => {
  it.each([
    ['From', 'from'],
    ['Destination', 'to'],
    ['PAX', 'passengers'],
    ['Round trip', 'roundTrip'],
    ['round_trip', 'roundTrip'],
    ['Distance (km)', 'distanceKm'],
    ['Notes', 'description'],
    ['Colour', undefined],
  ])('%s is %s', (heading, field) => {
    expect(matchHeading(heading, flights)).toBe(field);
  });
  it('sees a heading only where half of it names columns', () => {
    expect(
      hasHeading(
        [
          ['From', 'To'],
          ['LHR', 'JFK'],
        ],
        flights,
      ),
    ).toBe(true);
    expect(
      hasHeading(
        [
          ['LHR', 'JFK'],
          ['CDG', 'AMS'],
        ],
        flights,
      ),
    ).toBe(false);
  });
});

describe('fromHeading', () => {
  const head = ['From', 'To', 'PAX', 'Nr'];
  it('leaves out titles above the headings', () => {
    const rows = [head, ['LHR', 'JFK', '2', '1']];
    expect(fromHeading(rows, flights)).toEqual(rows);
    expect(fromHeading([['Travel in June', '', '', ''], ['Page', '1', '', ''], ...rows], flights)).toEqual(rows);
  });
  it('finds none in a table of values, or in titles alone', () => {
    expect(fromHeading([['LHR', 'JFK', '2'], head, ['CDG', 'JFK', '3']], flights)).toBeUndefined();
    expect(
      fromHeading(
        [
          ['Travel', ''],
          ['LHR', 'JFK'],
        ],
        flights,
      ),
    ).toBeUndefined();
    expect(
      fromHeading(
        [
          ['Travel', '', ''],
          ['PAX', '2', '3'],
          ['1', '2', '3'],
        ],
        flights,
      ),
    ).toBeUndefined();
  });
});
