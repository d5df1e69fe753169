/** Reads the audit log, with sign-ins or without them. */
import type { Schemas } from '../api/client';
import { nextPage } from '../ui/More';
import { isSignIn } from './entries';

type Page = Schemas['AuditListResponse']['data'];

/** Without sign-ins, entries are read until there are as many as this, from at most so many pages. */
const enough = 25;
const pagesMax = 5;

/**
 * Returns a part of the log from a page on. Most entries are sign-ins, so without them it reads on where few are left.
 * The pagination is that of the last page that was read.
 */
export async function readLog(read: (page: number) => Promise<Page>, from: number, signIns: boolean): Promise<Page> {
  const first = await read(from);
  if (signIns) return first;
  const without = (p: Page): Page['items'] => p.items.filter((e) => !isSignIn(e));
  const part = { ...first, items: without(first) };
  for (let n = 1; n < pagesMax && part.items.length < enough; n++) {
    const next = nextPage(part);
    if (!next) break;
    const page = await read(next);
    part.items.push(...without(page));
    part.pagination = page.pagination;
  }
  return part;
}
