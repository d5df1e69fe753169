import { describe, expect, it } from 'vitest';
import { peopleIn } from '../src/format';

describe('a number of people', () => {
  it('is read as it is written, or not at all', () => {
    expect(peopleIn(' 1,200 ')).toBe(1200);
    expect(peopleIn('1200')).toBe(1200);
    expect(peopleIn('')).toBeNull();
    for (const text of ['1.200', '12.5', '1e3', '-3', 'many']) expect(peopleIn(text), text).toBeUndefined();
  });
});
