/** Airports and cities with codes, loaded when somebody first looks for one. */
import { api, type Schemas, take } from '../api/client';

export type Place = Schemas['LocationIndexResponse']['data']['items'][number];

let index: Promise<Place[]> | undefined;

function places(): Promise<Place[]> {
  index ??= take(api.GET('/locations/index')).then(
    (d) => d.items,
    (cause: unknown) => {
      index = undefined;
      throw cause;
    },
  );
  return index;
}

const fold = (s: string): string => s.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Orders places by how well they fit: the code itself, then the beginning of a city or name, large airports first. */
export function rankPlaces(list: Place[], text: string, max = 8): Place[] {
  const q = fold(text.trim());
  if (q.length < 2) return [];
  const score = (p: Place): number => {
    if (p.code.toLowerCase() === q || p.icao?.toLowerCase() === q) return 0;
    const plus = p.large || p.kind === 'city' ? 0 : 2;
    const city = fold(p.city);
    const name = fold(p.name);
    if (city === q) return 1 + plus;
    if (city.startsWith(q)) return 4 + plus;
    if (name.startsWith(q)) return 5 + plus;
    if (name.includes(q) || city.includes(q)) return 9 + plus;
    return 99;
  };
  return list
    .map((p): [number, Place] => [score(p), p])
    .filter(([s]) => s < 99)
    .sort((a, b) => a[0] - b[0])
    .slice(0, max)
    .map(([, p]) => p);
}

export async function searchPlaces(text: string): Promise<Place[]> {
  return rankPlaces(await places(), text);
}
