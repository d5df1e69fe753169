/**
 * What the server says, in the language of the page. The server's own words are
 * English, and stand where there are no others: another language says by its code
 * what a fault, a finding or a notice is about.
 */
import i18next from 'i18next';
import { setName, setsNamed } from '../api/factorSets';
import { amount, date, day, exactNumber, readable, time } from '../format';
import { bareField, named, nameOf, wordOf } from './fields';

export type Kind = 'error' | 'fault' | 'finding' | 'notice';
export type Sentences = Record<Kind, Record<string, string>>;

/** The messages of the server in a language: by code, and the words of its formulas. */
export type Server = Sentences & { formula: Record<string, string> };

interface Said {
  code: string;
  message: string;
  field?: string | undefined;
  suggestions?: string[] | undefined;
  /** How many records a finding is about. */
  records?: number | undefined;
}

const languages = new Map<string, Server>();

export function learn(language: string, sentences: Server): void {
  languages.set(language, sentences);
}

/** Returns the text of a message; label is the page's label of its field. */
export function say(kind: Kind, said: Said, label?: string): string {
  const heads = kind === 'fault' ? noHeads(said) : undefined;
  if (heads) return heads;
  const sentence = languages.get(i18next.resolvedLanguage ?? 'en')?.[kind][said.code];
  if (!sentence) return inWords(kind, said, label);
  // Numbers and names are only in the server's own sentence.
  const about = /\babout (\d+) records? of (\d+(?:\.\d+)?) kg/.exec(said.message);
  const kg = about?.[2] ?? (kind === 'notice' ? /^(\d+\.\d+) kg\b/.exec(said.message)?.[1] : undefined);
  const records = said.records ?? Number(about?.[1] ?? 0);
  const kinds =
    /approve at least one (.+?) record,|approved record of (.+?) is expected|boundary includes ([a-z-]+),|the type ([a-z-]+) (?:is |are )?counted/.exec(
      said.message,
    );
  const set = kind === 'notice' ? /\bcan adopt ([\w-]+),/.exec(said.message)?.[1] : undefined;
  const names = (kinds?.slice(1).find(Boolean) ?? '').split(' or ').filter(Boolean);
  // Findings with the same code are distinguished by their journey and day.
  const journey = kind === 'finding' ? /\b([A-Z]{3,4}) to ([A-Z]{3,4})\b/.exec(said.message) : null;
  const on = kind === 'finding' ? /\bon (\d{4}-\d\d-\d\d)\b/.exec(said.message)?.[1] : undefined;
  const alike =
    kind === 'finding'
      ? /^\d+ ([a-z-]+) records (?:of (\d{4}-\d\d-\d\d) are|without a date are) identical\b/.exec(said.message)
      : null;
  const weighed =
    kind === 'finding'
      ? /^The ([a-z-]+) record \((\d+\.\d+) kg\)(?: .* has (no date)?(?: and )?(no group)?,)?/.exec(said.message)
      : null;
  const facts = [
    ...(kind === 'fault' ? refusedIn(said.message) : []),
    ...(kind === 'notice' ? takenIn(said) : []),
    ...(journey ? [`${journey[1]} – ${journey[2]}`] : []),
    ...(on ? [date(on)] : []),
    ...(alike ? [i18next.t(`type.${alike[1] as 'flights'}`, { defaultValue: alike[1] })] : []),
    ...(alike?.[2] ? [date(alike[2])] : []),
    ...(weighed
      ? [
          i18next.t(`type.${weighed[1] as 'flights'}`, { defaultValue: weighed[1] }),
          amount(Number(weighed[2])),
          ...(weighed[3] ? [i18next.t('said.noDate')] : []),
          ...(weighed[4] ? [i18next.t('said.noGroup')] : []),
        ]
      : []),
    ...names.map((x) => i18next.t(`type.${x as 'flights'}`, { defaultValue: x })),
    ...(records > 0 ? [i18next.t('said.rows', { count: records })] : []),
    ...(kg === undefined ? [] : [amount(Number(kg))]),
    ...(set === undefined ? [] : [setName(set)]),
  ];
  const field = bareField(said.field ?? '');
  const words = sentence.replace('{{field}}', label ?? nameOf(field) ?? field).replace(/^[: ]+/, '');
  const text = capital(words);
  return facts.length > 0 ? `${text} (${facts.join(', ')})` : text;
}

/** How many names a sentence lists: of the hundred categories of purchases no more is read than of ten. */
const namesMax = 10;

/** Writes the first of the names of columns or choices, for a sentence. */
const listed = (names: string[]): string =>
  names.slice(0, namesMax).join(', ') + (names.length > namesMax ? ', …' : '');

/** Returns the text about a file none of whose columns has a name that is known, with names that are. */
function noHeads({ message, suggestions = [] }: Said): string | undefined {
  const type = /^The first row names no field of ([a-z-]+),/.exec(message)?.[1];
  if (!type) return undefined;
  const known = suggestions.flatMap((field) => nameOf(field) ?? []);
  return i18next.t('said.noHeads', {
    type: i18next.t(`type.${type as 'flights'}`, { defaultValue: type }),
    list: listed(known),
  });
}

/** Returns the details of an error: the given value, and the valid range if there is one. */
function refusedIn(message: string): string[] {
  const given = /; got (?:the text )?"(.*?)"[.;]/.exec(message)?.[1];
  const bounds = /\bfrom (-?[\d.]*\d) to (-?[\d.]*\d)\b/.exec(message);
  return [
    ...(given ? [i18next.t('said.quoted', { text: given })] : []),
    ...(bounds
      ? [i18next.t('said.between', { from: exactNumber(Number(bounds[1])), to: exactNumber(Number(bounds[2])) })]
      : []),
  ];
}

/** Returns the place that a notice says was taken, as the server names it, or the field that it does not know. */
function takenIn({ code, message, field }: Said): string[] {
  if (code === 'UNKNOWN_FIELD_IGNORED') return field ? [i18next.t('said.quoted', { text: field })] : [];
  const [, as, place] = /^(\S+) was taken as the code of (.+?)\. If /.exec(message) ?? [];
  if (as && place) return [`${as}: ${place}`];
  const airports = [...message.matchAll(/([A-Z]{3,4}) for (.+?), [\d.]+ km away/g)].map((m) => `${m[2]}: ${m[1]}`);
  const taken = /^(.+?) was taken(?: for |[,:;])/.exec(message)?.[1];
  return taken ? [taken] : airports;
}

/** How a fault writes days: with the name of the month where the digits are what is not clear. */
const dayOf = ({ code }: Said): ((iso: string) => string) => (code === 'AMBIGUOUS_DATE' ? date : day);

/** Returns what a fault suggests, in the words of its field and the dates and numbers of the page; fields by their names. */
export const meant = (said: Said): string[] =>
  (said.suggestions ?? []).map((s) => {
    if (/^\d{4}-\d\d-\d\d$/.test(s)) return dayOf(said)(s);
    // The reader's own marks tell 1234 from 1.234, which are the same in German otherwise.
    if (said.code === 'AMBIGUOUS_NUMBER' && /^\d+(?:\.\d+)?$/.test(s)) return exactNumber(Number(s));
    const field = /^[a-z]+[A-Z]/.test(s) ? nameOf(s) : undefined;
    return field ?? wordOf(bareField(said.field ?? ''), s);
  });

/** The first of them in a sentence; what contains commas, such as places, is not separated by them. */
export function meantList(said: Said): string {
  const list = meant(said).slice(0, 3);
  return list.join(list.some((x) => x.includes(',')) ? '; ' : ', ');
}

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** The server's summary of further findings of one code. */
const others = /^And \d+ more of the same kind\.$/;

/** Returns the text of a finding for one of its records. */
export function sayOfOne(finding: Said): string {
  const key = `finding.${finding.code}`;
  if (!others.test(finding.message) || !i18next.exists(key)) return say('finding', finding);
  return i18next.t(key as 'finding.DUPLICATE_FLIGHT');
}

/** Replacements of API terms in the server's sentences. */
const plain: [RegExp, string][] = [
  [/\btrue or false\b/g, 'yes or no'],
  [/\bgot the text "/g, 'got "'],
  // Requests, which are for programs, stand in parentheses.
  [/ \((?:GET|POST|PUT|PATCH|DELETE) [^)]*\)/g, ''],
  // How a request says it; the page asks for it in fields of its own.
  [/ \(dateOrder=[^)]*\)/g, ''],
  [/ numberFormat declares it, such as .+?\.(?= |$)/g, ''],
  // They stand beside the sentence where there are any.
  [/[;,] (?:they|which) are in suggestions(?=\.)/g, ''],
];

/** Returns the server's sentence with the page's labels for fields and codes, and local dates and times. */
function inWords(kind: Kind, said: Said, label?: string): string {
  // Faults of a file name its column; their sentences begin with the field all the same.
  const begins = /^([a-z]\w*) (?:must|is|are|has|can|cannot|needs)\b/.exec(said.message)?.[1] ?? '';
  const field = bareField(said.field ?? '') || (kind === 'fault' && nameOf(begins) !== undefined ? begins : '');
  const own = label ?? nameOf(field) ?? field;
  if (kind === 'fault' && i18next.exists(`status.${said.code}`))
    return i18next.t('said.stands', { status: i18next.t(`status.${said.code as 'approved'}`) });
  const choice = /^\S+ must be one of (.+); got ".*"\.$/s.exec(said.message)?.[1];
  if (kind === 'fault' && choice && field)
    return capital(
      i18next
        .t('said.oneOf', {
          field: own,
          options: listed(choice.split(', ').map((o) => wordOf(field, o))),
        })
        .replace(/^[: ]+/, ''),
    );
  const any = /^At least one of (.+) is required\.$/.exec(said.message)?.[1];
  if (any)
    return i18next.t('said.anyOf', {
      fields: any
        .split(', ')
        .map((f) => nameOf(f) ?? f)
        .join(', '),
    });
  let text = said.message;
  for (const name of [said.field ?? '', field])
    if (name && text.startsWith(`${name} `)) text = capital(`${own}${text.slice(name.length)}`.trimStart());
  for (const [words, better] of plain) text = text.replace(words, better);
  // A source says more than the id of one of its factors, which stands before it.
  if (kind === 'notice' && said.field) text = text.replace(/^The field (?=is not known )/, `“${said.field}” `);
  if (kind === 'notice') text = text.replace(/(?<=\d kg) by [\w.-]+(?= \()/g, '');
  text = text.replace(/(?<=^This requires the role )\w+/, (role) => i18next.t(`role.${role as 'user'}`));
  text = setsNamed(text);
  return readable(named(text))
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, time)
    .replace(/(?<=\bas )\d{4}-\d\d-\d\d\b/g, day) // how to write one
    .replace(/\b\d{4}-\d\d-\d\d\b/g, kind === 'fault' ? dayOf(said) : date);
}

/**
 * Returns a formula of a line, such as "1,234.5 km × 2 passengers × 0.117 kg per passenger-km = …", in the
 * language of the page: its words one by one, its numbers with the marks of the language and every digit.
 */
export function sayFormula(formula: string): string {
  const words = languages.get(i18next.resolvedLanguage ?? 'en')?.formula;
  if (!words) return formula;
  const phrase = Object.keys(words)
    .sort((a, b) => b.length - a.length)
    .map((w) => w.replace(/[()]/g, '\\$&'))
    .join('|');
  const marks: Record<string, string> = { ',': '.', '.': ',' };
  return formula
    .replace(/\d[\d,]*(?:\.\d+)?/g, (n) => n.replace(/[,.]/g, (m) => marks[m] ?? m))
    .replace(new RegExp(`(?<![\\p{L}\\d-])(?:${phrase})(?![\\p{L}\\d-])`, 'gu'), (w) => words[w] ?? w);
}

/** Returns the text of an error of the server, with all details. */
export function sayError(error: { code: string; message: string; details?: Said[] | undefined }): string {
  return [say('error', error), ...(error.details ?? []).map((d) => say('fault', d))].join(' ');
}

/** Returns the text of an error of the page itself, such as one in an answer that it cannot read; its own words are for support. */
export const sayFailure = (cause: unknown): string =>
  i18next.t('state.program', { text: cause instanceof Error ? cause.message : String(cause) });
