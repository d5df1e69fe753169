/** Airports and cities with codes, loaded on first use. */
import { api, type Schemas, take } from '../api/client';
import { allFactors } from '../organization/data';

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

export type Town = Schemas['IndexedTown'];

let townIndex: Promise<Town[]> | undefined;

function towns(): Promise<Town[]> {
  townIndex ??= take(api.GET('/locations/places')).then(
    (d) => d.items,
    (cause: unknown) => {
      townIndex = undefined;
      throw cause;
    },
  );
  return townIndex;
}

const plain = (s: string): string => s.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Orders places by how well they fit: the code itself, then the beginning of a city or name, large airports first. */
export function rankPlaces(list: Place[], text: string, max = 8): Place[] {
  const q = plain(text.trim());
  if (q.length < 2) return [];
  const score = (p: Place): number => {
    if (p.code.toLowerCase() === q || p.icao?.toLowerCase() === q) return 0;
    const plus = p.large || p.kind === 'city' ? 0 : 2;
    const city = plain(p.city);
    const name = plain(p.name);
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

/** Returns the towns whose names begin with the input, largest first, as in the index. */
export function rankTowns(list: Town[], text: string, max = 6): Town[] {
  const [name = '', country = ''] = text.split(',').map((part) => plain(part.trim()));
  if (name.length < 2) return [];
  const found: Town[] = [];
  for (const town of list) {
    if (plain(town.name).startsWith(name) && town.country.toLowerCase().startsWith(country)) found.push(town);
    if (found.length === max) break;
  }
  return found;
}

/** What is written for a town in a record. */
export const textOfTown = (town: Town): string => town.text ?? `${town.name}, ${town.country}`;

/** A place to choose, with what is written for it. */
export interface Choice {
  value: string;
  label: string;
}

/** Searches airports and towns by name or code; an exact code comes first. */
export async function searchPlaces(text: string): Promise<Choice[]> {
  const [airports, named] = await Promise.all([places(), towns().catch((): Town[] => [])]);
  return [
    ...rankPlaces(airports, text, 6).map((p) => ({ value: p.code, label: `${p.code} · ${p.name}, ${p.country}` })),
    ...rankTowns(named, text).map((town) => ({
      value: textOfTown(town),
      label: [town.name, town.region, town.country].filter(Boolean).join(', '),
    })),
  ];
}

/** Completes the place of the last origin of a cell; its people are typed before it. */
export async function originOptions(text: string): Promise<Choice[]> {
  const m = /^(.*[;\n]\s*|\s*)(\d+)\s+([^();]{2,})$/su.exec(text);
  if (!m?.[3]) return [];
  const found = await searchPlaces(m[3]);
  return found
    .map((c) => ({ value: `${m[1]}${m[2]} ${c.value}`, label: c.label }))
    .filter((c) => c.value !== text)
    .slice(0, 8);
}

const freshFor = 30_000;
let library: { at: number; names: Promise<string[]> } | undefined;

/** Searches the approved factors of suppliers by name. */
export async function supplierFactors(text: string): Promise<Choice[]> {
  if (!library || Date.now() - library.at > freshFor)
    library = {
      at: Date.now(),
      names: allFactors().then((all) => [...new Set(all.filter((f) => f.status === 'approved').map((f) => f.name))]),
    };
  const names = await library.names.catch((): string[] => {
    library = undefined;
    return [];
  });
  const q = plain(text.trim());
  return names
    .filter((n) => plain(n).includes(q) && n !== text)
    .slice(0, 12)
    .map((n) => ({ value: n, label: n }));
}
