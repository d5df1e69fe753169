/** In which organization an event was seen in this browser: ids only, for who is in several. */
import * as z from 'zod/mini';

const name = 'ecf.events';
const most = 500;
const entries = z.array(z.tuple([z.string(), z.string()]));

function read(): [string, string][] {
  try {
    return z.parse(entries, JSON.parse(localStorage.getItem(name) ?? '[]'));
  } catch {
    return []; // it was not written by this program
  }
}

/** Remembers the organization of an event; of many events, the latest. */
export function rememberEvent(event: string, organization: string): void {
  const others = read().filter(([e]) => e !== event);
  try {
    localStorage.setItem(name, JSON.stringify([[event, organization], ...others].slice(0, most)));
  } catch {} // there is no room: the organization is chosen among all
}

export const organizationOf = (event: string): string | undefined => read().find(([e]) => e === event)?.[1];
