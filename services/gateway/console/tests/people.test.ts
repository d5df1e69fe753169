import { describe, expect, it } from 'vitest';
import { amountIn, peopleIn } from '../src/format';

describe('a number of people', () => {
  it('is read as it is written, or not at all', () => {
    expect(peopleIn(' 1,200 ')).toBe(1200);
    expect(peopleIn('1200')).toBe(1200);
    expect(peopleIn('')).toBeNull();
    for (const text of ['1.200', '12.5', '1e3', '-3', 'many']) expect(peopleIn(text), text).toBeUndefined();
  });
});

describe('an amount in a form', () => {
  it('is read as a cell of the sheet is, and left for the server where it is none', () => {
    expect(['1,200', '1,200.5', '1200.5', ' 12.5 ', ''].map(amountIn)).toEqual([1200, 1200.5, 1200.5, 12.5, null]);
    expect(amountIn('1,20')).toBe('1,20');
  });
});
