import { describe, expect, it } from 'vitest';
import { columnsOf } from '../src/sheet/columns';
import { firstRows, tableOf, withHead } from '../src/sheet/headings';

const flights = columnsOf({
  type: 'object',
  properties: {
    from: { type: 'string', 'x-headings': ['abflug'] },
    to: { type: 'string', 'x-headings': ['ziel'] },
    passengers: { type: 'integer', 'x-headings': ['pax'] },
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
});
