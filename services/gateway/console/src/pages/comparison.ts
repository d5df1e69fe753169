/** What events are compared by. */
import type { Schemas } from '../api/client';

/** The maximum number of events in a comparison. */
export const most = 5;

/** The number of events selected initially, if that many have a figure. */
const first = 3;

/** Reports whether an event has a figure to compare. */
export const hasFigure = (e: Schemas['Event']): boolean => e.result !== undefined;

const last = (a: Schemas['Event'], b: Schemas['Event']): number =>
  (b.startDate ?? b.createdAt).localeCompare(a.startDate ?? a.createdAt);

/**
 * Returns the events that an address asks to compare, each once; where it asks for
 * none, the last three by their days of those with a figure, and others only where fewer than two have one.
 */
export function chosenOf(asked: string | undefined, events: Schemas['Event'][]): string[] {
  const known = new Set(events.map((e) => e._id));
  const named = [...new Set(asked?.split(','))].filter((id) => known.has(id)).slice(0, most);
  if (asked !== undefined) return named;
  const figures = events.filter(hasFigure).sort(last);
  const others = events.filter((e) => !hasFigure(e)).sort(last);
  return [...figures.slice(0, first), ...others.slice(0, Math.max(0, 2 - figures.length))]
    .sort(last)
    .map((e) => e._id)
    .reverse();
}

export const ways = ['factorSet', 'radiativeForcing', 'gwp', 'boundary'] as const;
export type Way = (typeof ways)[number];

/** Returns in which ways results were not calculated alike. */
export function differing(results: Schemas['Result'][], events: Schemas['Event'][]): Way[] {
  const of: Record<Way, unknown[]> = {
    factorSet: results.map((r) => r.factorSet.id),
    radiativeForcing: results.map((r) => r.method.radiativeForcing !== false),
    gwp: results.map((r) => r.method.gwp ?? 'published'),
    boundary: events.map((e) =>
      (e.boundary?.excluded ?? [])
        .map((x) => x.type)
        .sort()
        .join(),
    ),
  };
  return ways.filter((w) => new Set(of[w]).size > 1);
}

/** Returns the kinds of records that any of the results has, the largest first. */
export function kindsOf(results: Schemas['Result'][]): string[] {
  const largest = new Map<string, number>();
  for (const p of results.flatMap((r) => r.byType)) largest.set(p.type, Math.max(largest.get(p.type) ?? 0, p.kgCO2e));
  return [...largest].sort((a, b) => b[1] - a[1]).map(([type]) => type);
}

/** What a figure differs by from that of the first event: in its unit, and as a share of the first one unless that is 0. */
export interface Difference {
  by: number;
  share?: number;
}

/** Returns the difference of a figure from the first one, or null where there is not both. */
export function differenceOf(value: number | null | undefined, first: number | null | undefined): Difference | null {
  if (typeof value !== 'number' || typeof first !== 'number') return null;
  const by = value - first;
  return first === 0 ? { by } : { by, share: by / first };
}

/** Returns the figure of a record type: 0 where there is no such record, null where the event leaves the type out. */
export function kindOf(
  type: string,
  result: Schemas['Result'] | null | undefined,
  event: Schemas['Event'],
): number | null {
  const part = result?.byType.find((p) => p.type === type);
  if (part) return part.kgCO2e;
  return result && !event.boundary?.excluded?.some((x) => x.type === type) ? 0 : null;
}
