/** Countries by their names in a language, as the browser has them. */
export interface Country {
  value: string;
  label: string;
}

const known = new Map<string, Country[]>();

/** Returns the countries in the order of their names. */
export function countriesIn(lang: string): Country[] {
  let list = known.get(lang);
  if (list) return list;
  const names = new Intl.DisplayNames([lang], { type: 'region' });
  list = [];
  for (let a = 65; a <= 90; a++)
    for (let b = 65; b <= 90; b++) {
      const code = String.fromCharCode(a, b);
      // Codes of no country that the server knows: islands of others, unions, kept ones; and former codes, which have the name of
      // the country that is there now.
      if (/^(AC|CP|CQ|DG|EA|EU|EZ|IC|QO|TA|UN|XA|XB|ZZ)$/.test(code)) continue;
      if (Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`) continue;
      const label = names.of(code);
      if (label && label !== code) list.push({ value: code, label });
    }
  list.sort((x, y) => x.label.localeCompare(y.label, lang));
  known.set(lang, list);
  return list;
}

/** Returns what a country is called in a language; its code where it has no name there. */
export const countryName = (code: string, lang: string): string =>
  countriesIn(lang).find((c) => c.value === code)?.label ?? code;

/** Returns the code of the country that has a name in one of the languages of the console. */
export function countryNamed(name: string): string | undefined {
  const low = name.trim().toLowerCase();
  for (const lang of ['en', 'de']) for (const c of countriesIn(lang)) if (c.label.toLowerCase() === low) return c.value;
  return undefined;
}
