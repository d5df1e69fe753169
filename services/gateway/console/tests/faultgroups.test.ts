import { expect, test } from 'vitest';
import { groupFaults, rowNumbers } from '../src/sheet/faultgroups';

const fault = (row: number, column: string, message = 'source is required.') => ({
  row,
  column,
  code: 'REQUIRED',
  message,
});

test('faults that say the same of several rows are one', () => {
  const groups = groupFaults([
    fault(2, 'source'),
    fault(2, 'nights'),
    fault(3, 'source'),
    fault(4, 'source', 'source must be one of grid, diesel.'),
    fault(5, 'source'),
  ]);
  expect(groups.map((g) => [g.fault.column, g.rows])).toEqual([
    ['source', [2, 3, 5]],
    ['nights', [2]],
    ['source', [4]],
  ]);
});

test('rows are written as people write them', () => {
  expect(rowNumbers([2, 3, 4, 7])).toBe('2–4, 7');
  expect(rowNumbers([9, 8])).toBe('8, 9');
  expect(rowNumbers([2, 2])).toBe('2');
  expect(rowNumbers([0])).toBe('–');
  expect(rowNumbers([2, 4, 6, 8, 10, 12])).toBe('2, 4, 6, 8, …');
});
