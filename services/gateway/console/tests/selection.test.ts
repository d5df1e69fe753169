import { expect, it } from 'vitest';
import { nextListing } from '../src/pages/listing';
import { orderQueue } from '../src/pages/queue';
import { rankPlaces, rankTowns, textOfTown } from '../src/sheet/places';
import { area, at, byKey, follow } from '../src/sheet/selection';

const bounds = { rows: 10, cols: 4 };

it('moves, and stops at the edges', () => {
  expect(byKey(at(0, 0), 'ArrowUp', false, false, bounds, 5)?.active).toEqual({ row: 0, col: 0 });
  expect(byKey(at(9, 3), 'ArrowDown', false, false, bounds, 5)?.active).toEqual({ row: 9, col: 3 });
  expect(byKey(at(2, 1), 'End', true, false, bounds, 5)?.active).toEqual({ row: 9, col: 3 });
  expect(byKey(at(2, 1), 'PageDown', false, false, bounds, 5)?.active).toEqual({ row: 7, col: 1 });
  expect(byKey(at(2, 1), 'x', false, false, bounds, 5)).toBeUndefined();
});
it.each([
  ['ArrowUp', false, 4, 2],
  ['ArrowUp', true, 0, 2],
  ['ArrowDown', false, 6, 2],
  ['ArrowDown', true, 9, 2],
  ['ArrowLeft', false, 5, 1],
  ['ArrowLeft', true, 5, 0],
  ['ArrowRight', false, 5, 3],
  ['ArrowRight', true, 5, 3],
  ['PageUp', false, 2, 2],
  ['PageDown', false, 8, 2],
  ['Home', false, 5, 0],
  ['Home', true, 0, 0],
  ['End', false, 5, 3],
  ['End', true, 9, 3],
])('goes from the middle with %s, with Ctrl: %s', (key, ctrl, row, col) => {
  expect(byKey(at(5, 2), key, ctrl, false, bounds, 3)).toEqual(at(row, col));
});
it('selects a range with Shift', () => {
  const s = byKey(
    byKey(at(2, 1), 'ArrowDown', false, true, bounds, 5) ?? at(0, 0),
    'ArrowLeft',
    false,
    true,
    bounds,
    5,
  );
  expect(area(s ?? at(0, 0))).toEqual({ top: 2, bottom: 3, left: 0, right: 1 });
});
it('stays with its records when rows come and go', () => {
  const rows = (keys: string) => [...keys].map((key) => ({ key }));
  const block = { anchor: { row: 0, col: 0 }, active: { row: 1, col: 2 } };
  expect(follow(block, rows('abc'), rows('abcd'))).toBe(block);
  expect(follow(block, rows('abc'), rows('xabc'))).toEqual({ anchor: { row: 1, col: 0 }, active: { row: 2, col: 2 } });
  expect(follow(at(2, 1), rows('abc'), rows('bc')).active).toEqual({ row: 1, col: 1 });
  // The second blank row is that still: what appears after the last record pushes it down.
  expect(follow(at(4, 1), rows('abc'), rows('abcd')).active).toEqual({ row: 5, col: 1 });
  // Of a record that is gone the place remains, and no more rows than there are.
  expect(follow(at(1, 1), rows('abc'), rows('ac')).active).toEqual({ row: 1, col: 1 });
  expect(follow(at(2, 1), rows('abc'), rows('')).active).toEqual({ row: 0, col: 1 });
});
it('lists again ever more rarely while nothing changes', () => {
  expect(nextListing('recalculating', 9)).toBe(1500);
  expect([0, 1, 2, 9].map((n) => nextListing('current', n))).toEqual([5000, 10000, 20000, 60000]);
});
it('finds places by name, the large ones first', () => {
  const place = (code: string, city: string, name: string, large = false) => ({
    code,
    city,
    name,
    country: 'GB',
    kind: 'airport' as const,
    large,
  });
  const list = [
    place('XXA', 'Manchesterville', 'Manchesterville'),
    place('MAN', 'Manchester', 'Manchester', true),
    place('LHR', 'London', 'Heathrow', true),
    place('ZRH', 'Zürich', 'Zürich', true),
  ];
  expect(rankPlaces(list, 'manch').map((p) => p.code)).toEqual(['MAN', 'XXA']);
  expect(rankPlaces(list, 'heath').map((p) => p.code)).toEqual(['LHR']);
  expect(rankPlaces(list, 'zuri').map((p) => p.code)).toEqual(['ZRH']);
  expect(rankPlaces(list, 'l')).toEqual([]);
});
it('orders the queue by weight or age', () => {
  const item = (id: string, kg: number | null, since: string) =>
    ({ _id: id, review: { kgCO2e: kg, waitingSince: since } }) as never;
  const items = [item('a', 1, '2026-01-02'), item('b', 9, '2026-01-03'), item('c', null, '2026-01-01')];
  expect(orderQueue(items, 'weight').map((i: { _id: string }) => i._id)).toEqual(['c', 'b', 'a']);
  expect(orderQueue(items, 'age').map((i: { _id: string }) => i._id)).toEqual(['c', 'a', 'b']);
});
it('finds towns by how their names begin, and by country', () => {
  const town = (name: string, country: string, text?: string) => ({ id: 1, name, country, ...(text ? { text } : {}) });
  const list = [town('London', 'GB'), town('London', 'CA', 'London, Ontario, CA'), town('Zürich', 'CH')];
  expect(rankTowns(list, 'lond')).toHaveLength(2);
  expect(rankTowns(list, 'London, ca').map(textOfTown)).toEqual(['London, Ontario, CA']);
  expect(rankTowns(list, 'zur').map(textOfTown)).toEqual(['Zürich, CH']);
  expect(rankTowns(list, 'x')).toEqual([]);
});
