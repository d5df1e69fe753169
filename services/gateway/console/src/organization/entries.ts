/** The texts of audit log entries. */
import i18next from 'i18next';
import type { Schemas } from '../api/client';
import { nameOf } from '../i18n/fields';

export type Entry = Pick<Schemas['AuditEntry'], 'action' | 'actor' | 'subject' | 'before' | 'after' | 'reason'>;

/** Known names for the ids in entries. */
export interface Known {
  people: ReadonlyMap<string, string>;
  events: ReadonlyMap<string, string>;
  factors: ReadonlyMap<string, string>;
}

/** Reports whether an entry is a sign-in, a renewal or a sign-out, as most entries of a log are. */
export const isSignIn = (e: Pick<Schemas['AuditEntry'], 'action' | 'outcome'>): boolean =>
  ['login', 'refresh', 'logout'].includes(e.action) && e.outcome !== 'refused';

/** Reports whether an entry is a link that was opened: the page of a link rehearses its use, which is no attempt that was denied. */
export const isOpened = (e: Pick<Schemas['AuditEntry'], 'action' | 'reason'>): boolean =>
  e.action === 'user.setup' && e.reason === 'only rehearsed';

/** Reports whether something was denied to somebody who tried it. */
export const isDenied = (e: Pick<Schemas['AuditEntry'], 'action' | 'outcome' | 'reason'>): boolean =>
  e.outcome === 'refused' && !isOpened(e);

/** Returns the label of what an entry says, or of the attempt where it was denied. Unknown actions may occur. */
export function labelOf(e: Pick<Schemas['AuditEntry'], 'action' | 'outcome' | 'reason'>): string {
  return isOpened(e) ? i18next.t('audit.user_setup_opened') : actionOf(e.action, isDenied(e));
}

/** Returns the label of an action, or of the attempt where it was refused. Unknown ones may occur. */
export function actionOf(action: string, refused = false): string {
  const tried = `audit.${action.replace('.', '_')}_tried`;
  if (refused && i18next.exists(tried)) return i18next.t(tried as 'audit.login_tried');
  const [area = '', move = ''] = action.split('.');
  const words = move.replaceAll('-', ' ');
  if (area === 'event')
    return `${i18next.t('audit.event')}: ${i18next.t(`entry.${move as 'create'}`, { defaultValue: words })}`;
  if (area === 'supplier-factor')
    return `${i18next.t('audit.factor')}: ${i18next.t(`audit.factor_${move as 'create'}`, { defaultValue: words })}`;
  return i18next.t(`audit.${action.replace('.', '_') as 'login'}`, { defaultValue: action.replace(/[.-]/g, ' ') });
}

/** Returns the event that an entry names; undefined where it names none. */
export function eventOf(e: Entry): string | undefined {
  if (e.action.startsWith('event.')) return e.subject;
  return /(?:^|\s)\/events\/([^/\s:{]+)/.exec(e.subject ?? '')?.[1];
}

/** Returns who did what an entry says; whoever opens a link is known by the link alone. */
export function whoOf(e: Entry, known: Known): string {
  if (e.actor === 'operator') return i18next.t('org.operator');
  if (e.actor) return known.people.get(e.actor) ?? e.actor;
  return e.action === 'user.setup' ? i18next.t('org.byLink') : '–';
}

/** Returns the subject of an entry, by name if known and otherwise by id; empty if it is the actor. */
export function subjectOf(e: Entry, known: Known): string {
  const subject = e.subject ?? '';
  if (subject === '' || subject === e.actor || e.action.startsWith('organization.')) return '';
  const event = eventOf(e);
  if (event) {
    const title = known.events.get(event) ?? i18next.t('audit.eventId', { id: event });
    if (e.action.startsWith('event.')) return title;
    const type = /^\/events\/[^/]+\/([a-z-]+)/.exec(subject)?.[1];
    return `${title}: ${type ? i18next.t(`type.${type as 'flights'}`, { defaultValue: type }) : subject}`;
  }
  // The name and version of a factor are in what has become of it.
  if (e.action.startsWith('supplier-factor.')) return known.factors.get(subject) ?? '';
  return known.people.get(subject) ?? subject;
}

/** Returns what was changed from and to; of a history its revision, without the hash of its entry. */
export function changeOf(e: Entry): string {
  const sides = [e.before, hashed.test(e.action) ? e.after?.split(',')[0] : e.after];
  return sides
    .filter((side) => side !== undefined && side !== '')
    .map((side) => sideOf(side ?? ''))
    .join(' → ');
}

const hashed = /^(event|supplier-factor)\./;

/** Returns the text of one side of a change: a role, a revision, or settings of the policy by name. */
function sideOf(side: string): string {
  const revision = /^revision (\d+)$/.exec(side)?.[1];
  if (revision) return i18next.t('governed.revision', { n: revision });
  if (i18next.exists(`role.${side}`)) return i18next.t(`role.${side as 'user'}`);
  return side
    .split(', ')
    .map((part) => {
      const [, field = '', value = ''] = /^([a-z]+(?:[A-Z]\w*)+) (.+)$/.exec(part) ?? [];
      if (!field) return part;
      const key = `audit.policy_${field}`;
      const name = i18next.exists(key) ? i18next.t(key as 'audit.policy_fourEyes') : (nameOf(field) ?? field);
      const answer = { true: i18next.t('state.yes'), false: i18next.t('state.no'), none: '–' }[value];
      return `${name}: ${answer ?? value}`;
    })
    .join(', ');
}

/** Returns why something was refused. */
export function reasonOf(e: Entry): string {
  const key = `audit.why_${(e.reason ?? '').toLowerCase().replaceAll(/[^a-z]+/g, '_')}`;
  return i18next.exists(key) ? i18next.t(key as 'audit.why_forbidden') : (e.reason ?? '');
}
