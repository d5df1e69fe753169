/** The editions of emission factors, and what they are called. */
import { useQuery } from '@tanstack/react-query';
import { all, api, type Schemas, take } from './client';

type Named = Pick<Schemas['FactorSet'], 'id' | 'year'> & { sources: { source: string }[] };

const names = new Map<string, string>();

/** Keeps what the sets are called, for pages and sentences that name them by their ids. */
export function learnSets(sets: Named[]): void {
  for (const s of sets) names.set(s.id, nameIn(s));
}

/**
 * Returns what a set is called: the publication of its own year that it holds, with its publisher,
 * such as "UK Government GHG conversion factors 2026 (DESNZ)". One that holds no such has its id only.
 */
function nameIn({ id, year, sources }: Named): string {
  const published = new RegExp(`^(\\p{Lu}+)(?: \\([^)]*\\))?,? ([^,(]*\\bfactors ${year})\\b`, 'u');
  for (const { source } of sources) {
    const [, publisher, title] = published.exec(source) ?? [];
    if (title) return `${title} (${publisher})`;
  }
  return id;
}

/** Returns the name of a set, or its id where the page does not know it. */
export const setName = (id: string): string => names.get(id) ?? id;

/** Returns a sentence of the server with the sets that it names by their ids called by their names. */
export const setsNamed = (text: string): string =>
  text.replace(/(?<![\w-])[a-z][\w-]*-\d{4}(?![\w-])/g, (id) => setName(id));

export function useFactorSets(wanted = true) {
  return useQuery({
    enabled: wanted,
    queryKey: ['factor-sets'],
    queryFn: async () => {
      const sets = await all((page) => take(api.GET('/factor-sets', { params: { query: { page, limit: 100 } } })));
      learnSets(sets);
      return sets;
    },
    staleTime: 600_000,
  });
}
