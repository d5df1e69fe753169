import { afterEach, describe, expect, it, vi } from 'vitest';
import { onSessionEnded } from '../src/api/client';
import { dayIn, headless, mendable, numberIn, plain, Upload, unguarded } from '../src/sheet/upload';
import { storage } from './sheetserver';

describe('what an import left out, as cells', () => {
  it('reads every form of numbers, and leaves what is none', () => {
    expect(numberIn('1,234.5', '1,234.5')).toBe('1234.5');
    expect(numberIn('1 234,5', '1 234,5')).toBe('1234.5');
    expect(numberIn("1'234.5", "1'234'567.5")).toBe('1234567.5');
    expect(numberIn('1.234,5', '1.200 kWh')).toBe('1200 kWh');
    expect(numberIn('1234,5', '0,5')).toBe('0.5');
    expect(numberIn('1.234,5', '1,2,3')).toBeUndefined();
    expect(numberIn('1.234,5', '1.2500 t')).toBeUndefined();
    expect(numberIn('1.234,5', '1234.567')).toBeUndefined();
    expect(numberIn('1.234,5', '1234567')).toBe('1234567');
    expect(numberIn('1.234,5', 'n/a')).toBeUndefined();
    expect(numberIn('1234.5', '1,5')).toBeUndefined();
    expect(numberIn('1234.5', '1.5,5')).toBeUndefined();
    expect(numberIn('1,234.5', '1,5')).toBeUndefined(); // no group of three
    expect(numberIn('1234.5', '−3')).toBe('-3');
  });
  it('knows a column without a heading by its letters', () => {
    expect([headless('column C'), headless('column AB'), headless('Column C'), headless('colour')]).toEqual([
      'C',
      'AB',
      undefined,
      undefined,
    ]);
  });
  it('reads days in their order', () => {
    expect(dayIn('mdy', '03/04/2026')).toBe('2026-03-04');
    expect(dayIn('ymd', '2026.3.4')).toBe('2026-03-04');
    expect(dayIn('dmy', '3 April')).toBeUndefined();
    expect(dayIn('', '3.4.2026')).toBe('2026-04-03');
    expect(dayIn('', '03/04/2026')).toBeUndefined();
    expect(dayIn('dm', '03/04/2026')).toBeUndefined();
  });
  it('does not count rows that sum up the others or are no records themselves', () => {
    const fault = (row: number, code: string) => ({ row, code, message: '' });
    const errors = [fault(4, 'TOTALS_ROW'), fault(3, 'INVALID_NUMBER')];
    expect(mendable({ failed: 2, errors } as never)).toBe(1);
    errors.push(fault(5, 'ROW_NOT_COUNTED'), fault(6, 'REPEATED_HEAD'), fault(6, 'REQUIRED'));
    expect(mendable({ failed: 4, errors } as never)).toBe(1);
    errors.push(fault(7, 'TOTALS_ROW'));
    expect(mendable({ failed: 5, errors } as never)).toBe(1);
  });
});

it.each([
  ["'=1", '=1'],
  ["a;'=1+1;b\n'-2", 'a;=1+1;b\n-2'],
  ["a;''b", "a;'b"],
  ["'tis; 'tis", "'tis; 'tis"],
  ["'  ", '  '],
])('takes the apostrophes of the server off %j', (cell, text) => {
  expect(unguarded(cell)).toBe(text);
});

describe('an import', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('that was lost sight of is followed, not begun again', async () => {
    vi.stubGlobal('location', { origin: 'http://localhost' });
    const keys = new Set<string | null>();
    let away = true;
    const answer = (status: string): Response =>
      new Response(JSON.stringify({ data: { _id: 'i1', status, imported: 0, rows: 1, failed: 0, errors: [] } }));
    vi.stubGlobal('fetch', async (r: Request) => {
      if (r.method === 'POST') {
        keys.add(r.headers.get('Idempotency-Key'));
        return answer('importing');
      }
      if (away) throw new TypeError('offline');
      return answer('completed');
    });
    const upload = new Upload('e', 'flights', 'f.csv', new Blob(['From,To\nLHR,JFK']));
    await expect(upload.run(plain, () => {})).rejects.toMatchObject({ code: 'NETWORK' });
    away = false;
    expect((await upload.run(plain, () => {})).status).toBe('completed');
    expect(keys.size).toBe(1);
    await upload.run(plain, () => {});
    expect(keys.size).toBe(2);
  });

  it('whose session ends is followed once somebody has signed in again', async () => {
    vi.stubGlobal('location', { origin: 'http://localhost' });
    vi.stubGlobal('localStorage', storage());
    vi.stubGlobal('navigator', {});
    const page = new EventTarget();
    vi.stubGlobal('window', page);
    let over = true;
    let begun = 0;
    const ended = vi.fn();
    onSessionEnded(ended);
    vi.stubGlobal('fetch', async (r: Request | string) => {
      if (r instanceof Request && r.method === 'POST') begun++;
      else if (over) return new Response(null, { status: 401 });
      const status = r instanceof Request && r.method === 'POST' ? 'importing' : 'completed';
      return new Response(JSON.stringify({ data: { _id: 'i1', status, imported: 1, rows: 1, failed: 0, errors: [] } }));
    });
    const run = new Upload('e', 'flights', 'f.csv', new Blob(['From,To\nLHR,JFK'])).run(plain, () => {});
    await vi.waitFor(() => expect(ended).toHaveBeenCalled(), 5_000);
    over = false;
    await vi.waitFor(async () => {
      page.dispatchEvent(new Event('ecf-signed-in'));
      expect((await Promise.race([run, Promise.resolve(undefined)]))?.status).toBe('completed');
    }, 5_000);
    expect(begun).toBe(1);
  });
});
