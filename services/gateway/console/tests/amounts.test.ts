import { expect, it } from 'vitest';
import {
  amount,
  amountIn,
  cellNumber,
  exact,
  groupedFormat,
  parseNumber,
  peopleIn,
  percent,
  range,
  readable,
  signed,
} from '../src/format';

it('says amounts in kilograms below a tonne, with three digits', () => {
  expect([0, 0.5, 12.34, 123.4, 999.4, 999.5, 12_345, 123_456].map(amount)).toEqual([
    '0 kg',
    '0.50 kg',
    '12.3 kg',
    '123 kg',
    '999 kg',
    '1.00 t',
    '12.3 t',
    '123 t',
  ]);
  expect(amount(-12_345)).toBe('-12.3 t');
  // What is there is not nothing.
  expect([0.06, 0.0007, 0.000_001].map(amount)).toEqual(['0.060 kg', '0.001 kg', '<0.001 kg']);
  expect(range(0, 0.000_002)).toBe('0–<0.001 kg');
});

it('says the ends of an interval in the unit of its figure', () => {
  expect(range(900, 1_100)).toBe('0.90–1.10 t');
  expect(range(900, 1_100, 990)).toBe('900–1,100 kg');
  expect(range(100, 200)).toBe('100–200 kg');
});

it('says differences with their sign, and shares with a digit where they are small', () => {
  expect([5, -5, 0].map(signed)).toEqual(['+5.00 kg', '−5.00 kg', '±0 kg']);
  expect([0, 0.054, 0.1, 0.56].map(percent)).toEqual(['0%', '5.4%', '10%', '56%']);
});

it('says figures to the last digit, and rounds them in messages', () => {
  expect(exact(1234.567891)).toBe('1,234.567891 kg CO₂e');
  expect(readable('It is 1234.5 kg, in 3 kg bags.')).toBe('It is 1.23 t, in 3 kg bags.');
});

it('sends what is no number as it was typed, and nothing for nothing', () => {
  expect(['', ' ', '1,200', 'many', '1,5'].map(amountIn)).toEqual([null, null, 1200, 'many', '1,5']);
  expect(['', '12', '1,200', '1.5', 'x'].map(peopleIn)).toEqual([null, 12, 1200, undefined, undefined]);
  expect([parseNumber('1.200', 'de'), parseNumber('1.2', 'de'), cellNumber(1.5), groupedFormat()]).toEqual([
    1200,
    1.2,
    '1.5',
    '1,234.5',
  ]);
});
