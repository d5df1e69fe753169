/** In which organization an event was seen in this browser: ids only, for who is in several. */

const name = 'ecf.events';
const most = 500;

const isEntry = (e: unknown): boolean => Array.isArray(e) && e.length === 2 && e.every((x) => typeof x === 'string');

function read(): [string, string][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? '[]');
    if (Array.isArray(stored) && stored.every(isEntry)) return stored;
  } catch {}
  return []; // it was not written by this program
}

/** Remembers the organization of an event; of many events, the latest. */
export function rememberEvent(event: string, organization: string): void {
  const others = read().filter(([e]) => e !== event);
  try {
    localStorage.setItem(name, JSON.stringify([[event, organization], ...others].slice(0, most)));
  } catch {} // there is no room: the organization is chosen among all
}

export const organizationOf = (event: string): string | undefined => read().find(([e]) => e === event)?.[1];
