/**
 * Texts that somebody writes and has not sent. They are kept in the browser, so that nothing that leads away from them
 * loses them: each below its writer and organization, and shown to nobody else.
 */

const prefix = (scope: string): string => `ecf.text.${scope}.`;

/** Returns where a text is kept, by its writer and the place where it is written. */
export const textKey = (scope: string, place: string): string => prefix(scope) + place;

export const readText = (key: string): string => localStorage.getItem(key) ?? '';

/** Keeps a text; an empty one is forgotten. */
export function writeText(key: string, text: string): void {
  try {
    if (text.trim() === '') localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The browser takes no more: the text is on the page alone.
  }
}

const keysOf = (scope: string): string[] => Object.keys(localStorage).filter((key) => key.startsWith(prefix(scope)));

/** Returns how many texts somebody has not sent. */
export const countTexts = (scope: string): number => keysOf(scope).length;

export function discardTexts(scope: string): void {
  for (const key of keysOf(scope)) localStorage.removeItem(key);
}
