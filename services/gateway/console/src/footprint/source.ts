import type { Schemas } from '../api/client';

/** Says where the factor of a line was published, in one sentence each: what it is of, the source, the licence. */
export function sourceOf(f: NonNullable<Schemas['ExplainedLine']['factor']>): string {
  const of = [f.activity, f.detail, f.region, f.year].filter(Boolean).join(' · ');
  return `${of}. ${f.source}${f.sourceLocation ? `, ${f.sourceLocation}` : ''}. ${f.licence}`;
}
