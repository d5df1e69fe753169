import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { organizationOf, rememberEvent } from '../src/pages/seen';

const kept = new Map<string, string>();
beforeEach(() =>
  vi.stubGlobal('localStorage', {
    getItem: (k: string) => kept.get(k) ?? null,
    setItem: (k: string, v: string) => kept.set(k, v),
  }),
);
afterEach(() => {
  kept.clear();
  vi.unstubAllGlobals();
});

it('the organization of an event is remembered as it was seen last', () => {
  rememberEvent('e1', 'a');
  rememberEvent('e2', 'b');
  rememberEvent('e1', 'c');
  expect([organizationOf('e1'), organizationOf('e2'), organizationOf('e3')]).toEqual(['c', 'b', undefined]);
});

it('of many events the latest are remembered, and what was written otherwise is none', () => {
  for (let n = 0; n <= 500; n++) rememberEvent(`e${n}`, 'a');
  expect([organizationOf('e0'), organizationOf('e500')]).toEqual([undefined, 'a']);
  for (const text of ['{', '{"e":1}', '[["e1"]]', 'null']) {
    kept.set('ecf.events', text);
    expect(organizationOf('e1')).toBeUndefined();
    rememberEvent('e2', 'b');
    expect(organizationOf('e2')).toBe('b');
  }
});
