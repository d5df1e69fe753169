import { expect, test } from 'vitest';
import { lookAlikes } from '../src/organization/addresses';

test('the characters of an address that may look like others are named, each once', () => {
  expect(lookAlikes('ceo@example.org')).toBe('');
  expect(lookAlikes('\u0441\u0435\u043e\u0441@example.org')).toBe('с (U+0441), е (U+0435), о (U+043E)');
  expect(lookAlikes('caf\u00e9@example.org')).toBe('\u00e9 (U+00E9)');
  // Of an address in another script a dozen are enough to see it by.
  expect(lookAlikes('абвгдежзиклмнопр@example.org').split(', ')).toHaveLength(12);
  expect(lookAlikes('\u{1f600}@example.org')).toBe('\u{1f600} (U+1F600)');
});
