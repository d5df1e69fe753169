/** Rows as they are sent: those of one type together, as many as a request takes. */
import type { Schemas } from '../api/client';
import type { Row, ServerRecord } from './store';

const most = 100;

/** What the server answers to rows that were sent together, in their order. */
export interface Outcomes {
  items: { _id?: string; record?: ServerRecord; error?: Schemas['Error'] }[];
}

export function batchesOf(rows: Row[]): { type: string; part: Row[] }[] {
  const out: { type: string; part: Row[] }[] = [];
  for (const type of new Set(rows.map((r) => r.type))) {
    const list = rows.filter((r) => r.type === type);
    for (let i = 0; i < list.length; i += most) out.push({ type, part: list.slice(i, i + most) });
  }
  return out;
}
