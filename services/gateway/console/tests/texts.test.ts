import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countTexts, discardTexts, readText, textKey, writeText } from '../src/ui/texts';
import { storage } from './sheetserver';

beforeEach(() => vi.stubGlobal('localStorage', storage()));
afterEach(() => void vi.unstubAllGlobals());

test('texts are kept, counted and discarded for one person in one organization', () => {
  const mine = textKey('org:me', 'sign.1');
  const others = textKey('org:you', 'sign.1');
  writeText(mine, 'Final.');
  writeText(others, 'Not yet.');
  expect(readText(mine)).toBe('Final.');
  expect([countTexts('org:me'), countTexts('org:you'), countTexts('other:me')]).toEqual([1, 1, 0]);
  discardTexts('org:me');
  expect([readText(mine), readText(others)]).toEqual(['', 'Not yet.']);
  writeText(others, '  ');
  expect(countTexts('org:you')).toBe(0);
});
