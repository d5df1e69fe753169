import { expect, test } from 'vitest';
import type { Schemas } from '../src/api/client';
import { readLog } from '../src/organization/log';

type Page = Schemas['AuditListResponse']['data'];

/** Returns a log of as many pages of 100 entries, with an entry that is no sign-in every so many. */
function logOf(totalPages: number, every: number): { read: (page: number) => Promise<Page>; asked: number[] } {
  const asked: number[] = [];
  const read = async (page: number): Promise<Page> => {
    asked.push(page);
    const items = Array.from({ length: 100 }, (_, n) => {
      const at = (page - 1) * 100 + n;
      return { _id: String(at), action: at % every === 0 ? 'user.create' : 'login', outcome: 'done' };
    });
    return { items, pagination: { page, limit: 100, total: totalPages * 100, totalPages } } as Page;
  };
  return { read, asked };
}

test('the audit log without sign-ins is read on where a page has few other entries', async () => {
  const { read, asked } = logOf(10, 10);
  const part = await readLog(read, 1, false);
  expect(asked).toEqual([1, 2, 3]);
  expect(part.items).toHaveLength(30);
  expect(part.items.every((e) => e.action === 'user.create')).toBe(true);
  expect(part.pagination.page).toBe(3);
});

test('the audit log with sign-ins is read page by page, and without them never whole', async () => {
  const all = logOf(10, 10);
  expect((await readLog(all.read, 2, true)).items).toHaveLength(100);
  expect(all.asked).toEqual([2]);
  const rare = logOf(1_000, 100_000);
  const part = await readLog(rare.read, 7, false);
  expect(rare.asked).toEqual([7, 8, 9, 10, 11]);
  expect(part.pagination.page).toBe(11);
  const short = logOf(2, 1_000);
  await readLog(short.read, 1, false);
  expect(short.asked).toEqual([1, 2]);
});
