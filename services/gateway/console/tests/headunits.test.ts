import { describe, expect, it } from 'vitest';
import { columnsOf } from '../src/sheet/columns';
import { cellsOfLine } from '../src/sheet/headunits';

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
