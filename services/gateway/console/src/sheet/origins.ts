/** Origins of attendees in one cell: "12 Manchester, GB (rail); 3 BER (plane, one way); 40 DE; 5". */
import i18next from 'i18next';
import { countryNamed } from '../countries';

export interface Origin {
  people: number;
  place?: string;
  country?: string;
  code?: string;
  mode?: string;
  roundTrip?: boolean;
}

/** What the cell of a saved record begins with: its origins are stored apart, and stay as they are. */
const kept = 'Σ';
const oneWay = /^(one[ -]way|einfach|nur hin)$/i;

/** Reports whether a cell represents the stored origins. */
export const isKept = (text: string | undefined): boolean => (text ?? '').trim().startsWith(kept);

/** Says how many people and places a record has. */
export function keptText(set: { people?: number; rows?: number }): string {
  return `${kept} ${i18next.t('sheet.origins', { people: set.people ?? 0, count: set.rows ?? 0 })}`;
}

function originOf(part: string): Origin | undefined {
  const m = /^(\d+)\s*(?:[x×]\s*)?(.*?)\s*(?:\(([^)]*)\))?$/u.exec(part.trim());
  if (!m?.[1]) return undefined;
  const origin: Origin = { people: Number(m[1]) };
  const where = (m[2] ?? '').replace(/^,\s*/, '').trim();
  const [, place, land = ''] = /^(.*),\s*(\p{L}.*)$/u.exec(where) ?? [];
  const country = /^[A-Za-z]{2}$/.test(land) ? land.toUpperCase() : countryNamed(land);
  if (place && country) Object.assign(origin, { place, country });
  else if (/^[A-Z]{2}$/.test(where)) origin.country = where;
  else if (/^[A-Z]{3,4}$/.test(where)) origin.code = where;
  else if (where) origin.place = where;
  for (const word of (m[3] ?? '').split(',').map((w) => w.trim())) {
    if (oneWay.test(word)) origin.roundTrip = false;
    else if (word) origin.mode = word.toLowerCase().replaceAll(' ', '_');
  }
  return origin;
}

/** Reads a cell; undefined where a part of it does not begin with a number of people. */
export function originsOf(text: string): Origin[] | undefined {
  const origins = text
    .split(/[;\n]/)
    .filter((p) => p.trim() !== '')
    .map(originOf);
  return origins.includes(undefined) ? undefined : (origins as Origin[]);
}

/** What a file of attendees may have as headings, as people write them. */
const heads =
  /^(place|town|city|ort|stadt|postcode|zip|plz|country|land|code|airport|people|personen|count|anzahl|mode|roundtrip)$/i;

/** Reports whether a table lists origins of attendees, one per row. */
export function isOriginTable(head: string[]): boolean {
  return head.filter((h) => heads.test(h.trim().replace(/[ _-]/g, ''))).length >= 2;
}
