import { expect, it } from 'vitest';
import { de } from '../src/i18n/de';
import { en } from '../src/i18n/en';

const leaves = (o: object, path = ''): [string, string][] =>
  Object.entries(o).flatMap(([k, v]) =>
    typeof v === 'string' ? [[path + k, v] as [string, string]] : leaves(v as object, `${path}${k}.`),
  );

it('has the same words and places for values in both languages', () => {
  const german = new Map(leaves(de));
  for (const [key, text] of leaves(en)) {
    const holes = (s: string): string[] => (s.match(/\{\{\w+\}\}/g) ?? []).filter((h) => h !== '{{count}}').sort();
    expect(holes(german.get(key) ?? ''), key).toEqual(holes(text));
  }
  expect([...german.keys()].sort()).toEqual(
    leaves(en)
      .map(([k]) => k)
      .sort(),
  );
});
