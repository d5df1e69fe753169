/** What somebody who did something is called. */
import i18next from 'i18next';
import type { Schemas } from '../api/client';

/** Returns the name that somebody had when they acted; of one whose account had none, the role they acted in. */
export function actorName(by: Partial<Schemas['Actor']> | undefined): string {
  return by?.name || (by?.role ? i18next.t(`role.${by.role}`) : '–');
}
