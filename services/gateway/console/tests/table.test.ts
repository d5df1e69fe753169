import { describe, expect, it } from 'vitest';
import { columnsOf } from '../src/sheet/columns';
import { fromHeading, hasHeading, matchHeading, parseBlock, parseTable, writeTable } from '../src/sheet/table';

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

describe('parseBlock', () => {
  it('keeps a column of numbers with commas one column', () => {
    expect(parseBlock('1,5\r\n2,75 km\r\n1,234.5\r\n')).toEqual([['1,5'], ['2,75 km'], ['1,234.5']]);
    expect(parseBlock('1,5')).toEqual([['1,5']]);
    expect(parseBlock('1.234,56 €\n3')).toEqual([['1.234,56 €'], ['3']]);
  });
  it('keeps sentences, lists and amounts in one cell', () => {
    expect(parseBlock('Transfer, there and back')).toEqual([['Transfer, there and back']]);
    expect(parseBlock('Hotel, Bonn\nTaxi, Bonn')).toEqual([['Hotel, Bonn'], ['Taxi, Bonn']]);
    expect(parseBlock('coffee 900; wine bottle 180')).toEqual([['coffee 900; wine bottle 180']]);
  });
  it('reads lines of a CSV file', () => {
    expect(parseBlock('LHR,JFK,2\nCDG,AMS,3\n')).toEqual([
      ['LHR', 'JFK', '2'],
      ['CDG', 'AMS', '3'],
    ]);
    expect(parseBlock('12,3,4\n5,6,7')).toEqual([
      ['12', '3', '4'],
      ['5', '6', '7'],
    ]);
    expect(parseBlock('LHR;1,5\nCDG;2,5')).toEqual([
      ['LHR', '1,5'],
      ['CDG', '2,5'],
    ]);
  });
  it('keeps the place of empty rows among others', () => {
    expect(parseBlock('1\r\n\r\n3\r\n\r\n')).toEqual([['1'], [''], ['3']]);
    expect(parseBlock('\n2\n3')).toEqual([[''], ['2'], ['3']]);
    expect(parseBlock('a\tb\n\t\nc\td')).toEqual([
      ['a', 'b'],
      ['', ''],
      ['c', 'd'],
    ]);
  });
  it('leaves out empty lines around a single value, and reads nothing in nothing', () => {
    expect(parseBlock('\nLHR\n\n')).toEqual([['LHR']]);
    expect(parseBlock('\t\n\n')).toEqual([]);
  });
  it('keeps tabs, quotation marks and line breaks in quoted cells, and marks that quote no cell', () => {
    expect(parseBlock('"two\nlines"\t"say ""hi"""\t"a\tb"')).toEqual([['two\nlines', 'say "hi"', 'a\tb']]);
    expect(parseBlock('"Grand" Hotel\t3\n12" pipe\t"4')).toEqual([
      ['"Grand" Hotel', '3'],
      ['12" pipe', '"4'],
    ]);
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

describe('hasHeading', () => {
  it('sees none in sentences with the name of a column', () => {
    expect(hasHeading(parseTable('Bus, round trip\nTaxi'), flights)).toBe(false);
    expect(hasHeading(parseTable('PAX, round trip\n2, yes'), flights)).toBe(true);
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
