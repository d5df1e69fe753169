import { describe, expect, it } from 'vitest';
import type { Schemas } from '../src/api/client';
import { chosenOf, differenceOf, differing, kindOf, kindsOf } from '../src/pages/comparison';

const event = (_id: string, startDate?: string, more = {}): Schemas['Event'] =>
  ({ _id, startDate, createdAt: '2026-01-01T00:00:00Z', ...more }) as Schemas['Event'];
const result = (set: string, byType: [string, number][], method = {}): Schemas['Result'] =>
  ({ factorSet: { id: set }, method, byType: byType.map(([type, kgCO2e]) => ({ type, kgCO2e })) }) as Schemas['Result'];

describe('the events to compare', () => {
  const counted = { result: { revision: 1 } };
  const events = [
    event('c', '2026-05-01', counted),
    event('a', '2024-05-01', counted),
    event('b', '2025-05-01', counted),
    event('d', undefined, counted),
  ];
  it('are the last three by their days, in their order, where the address names none', () => {
    expect(chosenOf(undefined, events)).toEqual(['b', 'd', 'c']);
    expect(chosenOf(undefined, events.slice(0, 1))).toEqual(['c']);
  });
  it('have a figure, however many later ones have none', () => {
    const later = [event('x', '2027-01-01'), event('y', '2027-02-01'), event('z', '2027-03-01')];
    expect(chosenOf(undefined, [...later, ...events.slice(0, 2)])).toEqual(['a', 'c']);
    // Beside one figure stands the event that comes last, so that there are two.
    expect(chosenOf(undefined, [...later, ...events.slice(0, 1)])).toEqual(['c', 'z']);
    expect(chosenOf(undefined, later)).toEqual(['y', 'z']);
  });
  it('are those of the address, each once, and no more than five', () => {
    expect(chosenOf('a,c,a,gone', events)).toEqual(['a', 'c']);
    expect(chosenOf('', events)).toEqual([]);
    const many = [1, 2, 3, 4, 5, 6].map((n) => event(String(n)));
    expect(chosenOf('1,2,3,4,5,6', many)).toHaveLength(5);
  });
});

it('names in which ways figures were calculated differently', () => {
  const like = [result('desnz-2026', []), result('desnz-2026', [], { radiativeForcing: true, gwp: 'published' })];
  const excluded = { boundary: { excluded: [{ type: 'water', reason: 'small' }] } };
  expect(differing(like, [event('a'), event('b')])).toEqual([]);
  expect(differing(like, [event('a'), event('b', undefined, excluded)])).toEqual(['boundary']);
  const other = result('desnz-2025', [], { radiativeForcing: false, gwp: 'AR6' });
  expect(differing([...like, other], [event('a'), event('b'), event('c')])).toEqual([
    'factorSet',
    'radiativeForcing',
    'gwp',
  ]);
});

it('has a line for every kind that any event has, the largest first', () => {
  expect(
    kindsOf([
      result('x', [
        ['waste', 5],
        ['flights', 10],
      ]),
      result('x', [
        ['venue', 7],
        ['waste', 8],
      ]),
    ]),
  ).toEqual(['flights', 'waste', 'venue']);
});

describe('differences from the first event', () => {
  it('are in kilograms, and a share unless the first is nothing', () => {
    expect(differenceOf(120, 100)).toEqual({ by: 20, share: 0.2 });
    expect(differenceOf(0, 100)).toEqual({ by: -100, share: -1 });
    expect(differenceOf(20, 0)).toEqual({ by: 20 });
  });
  it('are none where there is not both', () => {
    for (const [value, first] of [
      [null, 1],
      [1, undefined],
    ])
      expect(differenceOf(value, first)).toBeNull();
  });
  it('take a type without records for nothing, unless it was left out', () => {
    const r = result('s', [['flights', 3]]);
    expect(kindOf('flights', r, event('a'))).toBe(3);
    expect(kindOf('waste', r, event('a'))).toBe(0);
    expect(kindOf('waste', null, event('a'))).toBeNull();
    expect(kindOf('waste', r, event('a', undefined, { boundary: { excluded: [{ type: 'waste' }] } }))).toBeNull();
  });
});
