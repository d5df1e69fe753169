/**
 * What the server says, in the language of the page. The server's own words are
 * English, and stand where there are no others: another language says by its code
 * what a fault, a finding or a notice is about.
 */
import i18next from 'i18next';
import { ApiError } from '../api/client';
import { amount, readable } from '../format';

export type Kind = 'error' | 'fault' | 'finding' | 'notice';
export type Sentences = Record<Kind, Record<string, string>>;

/** What the server says in a language: by its codes, and the words that its formulas are made of. */
export type Server = Sentences & { formula: Record<string, string> };

interface Said {
  code: string;
  message: string;
  field?: string | undefined;
  /** How many records a finding is about. */
  records?: number | undefined;
}

const languages = new Map<string, Server>();

export function learn(language: string, sentences: Server): void {
  languages.set(language, sentences);
}

/** Returns what is said; label is the name that the page has for the field it is about. */
export function say(kind: Kind, said: Said, label?: string): string {
  const sentence = languages.get(i18next.resolvedLanguage ?? 'en')?.[kind][said.code];
  if (!sentence) return readable(said.message);
  // What the server counted, weighed and misses is in its own sentence alone.
  const about = /\babout (\d+) records? of (\d+(?:\.\d+)?) kg/.exec(said.message);
  const kg = about?.[2] ?? (kind === 'notice' ? /^(\d+\.\d+) kg\b/.exec(said.message)?.[1] : undefined);
  const records = said.records ?? Number(about?.[1] ?? 0);
  const kinds = /approved record of (.+?) is expected|boundary includes ([a-z-]+),|the type ([a-z-]+) counted/.exec(
    said.message,
  );
  const set = kind === 'notice' ? /\bcan adopt ([\w-]+),/.exec(said.message)?.[1] : undefined;
  const names = (kinds?.[1] ?? kinds?.[2] ?? kinds?.[3] ?? '').split(' or ').filter(Boolean);
  const facts = [
    ...names.map((x) => i18next.t(`type.${x as 'flights'}`, { defaultValue: x })),
    ...(records > 0 ? [i18next.t('said.rows', { count: records })] : []),
    ...(kg === undefined ? [] : [amount(Number(kg))]),
    ...(set === undefined ? [] : [set]),
  ];
  const words = sentence.replace('{{field}}', label ?? said.field ?? '').replace(/^[: ]+/, '');
  const text = words.charAt(0).toLocaleUpperCase() + words.slice(1);
  return facts.length > 0 ? `${text} (${facts.join(', ')})` : text;
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

/** Returns what an error of the server says, with all that is wrong. */
export function sayError(error: { code: string; message: string; details?: Said[] | undefined }): string {
  return [say('error', error), ...(error.details ?? []).map((d) => say('fault', d))].join(' ');
}

export const sayProblem = (cause: unknown): string =>
  cause instanceof ApiError ? sayError(cause) : cause instanceof Error ? cause.message : String(cause);
