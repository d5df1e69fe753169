import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import i18next from 'i18next';
import { beforeEach, expect, test } from 'vitest';
import { de } from '../src/i18n/de';
import { en } from '../src/i18n/en';
import {
  actionOf,
  changeOf,
  type Entry,
  eventOf,
  isDenied,
  labelOf,
  reasonOf,
  subjectOf,
  whoOf,
} from '../src/organization/entries';

const known = {
  people: new Map([['u1', 'Ada']]),
  events: new Map([['e1', 'Spring fair']]),
  factors: new Map([['f1', 'Green power']]),
};
const about = (e: Entry): string => [subjectOf(e, known), changeOf(e)].filter(Boolean).join(': ');

beforeEach(() =>
  i18next.init({
    lng: 'en',
    resources: { en: { translation: en }, de: { translation: de } },
    interpolation: { escapeValue: false },
  }),
);

const entries: [Entry, string][] = [
  [{ action: 'event.change', actor: 'u1', subject: 'e1', after: 'revision 12, 5bb8' }, 'Spring fair: revision 12'],
  [
    { action: 'event.delete', actor: 'u1', subject: 'e2', after: 'revision 2, 95f2' },
    'event e2, deleted or not accessible: revision 2',
  ],
  [
    { action: 'record.delete', actor: 'u1', subject: '/events/e1/ground-transport/r1' },
    'Spring fair: Ground transport',
  ],
  [
    { action: 'request.forbidden', actor: 'u1', subject: 'POST /events/e1/review/approve' },
    'Spring fair: POST /events/e1/review/approve',
  ],
  [{ action: 'request.forbidden', actor: 'u1', subject: 'POST /users' }, 'POST /users'],
  [{ action: 'user.role', actor: 'u2', subject: 'u1', before: 'user', after: 'manager' }, 'Ada: Member → Manager'],
  [{ action: 'user.delete', actor: 'u1', subject: 'u9' }, 'u9'],
  [{ action: 'login', actor: 'u1', subject: 'u1' }, ''],
  [
    {
      action: 'organization.update',
      actor: 'u1',
      subject: 'demo',
      before: 'fourEyes true, spotCheckOneIn 5',
      after: 'fourEyes false, spotCheckOneIn 9',
    },
    'Four-eyes control: yes, Spot check: one in: 5 → Four-eyes control: no, Spot check: one in: 9',
  ],
  [{ action: 'organization.plan', actor: 'operator', subject: 'demo', before: 'free', after: 'team' }, 'free → team'],
  [
    { action: 'supplier-factor.approve', actor: 'u1', subject: 'f1', before: 'proposed', after: 'f v1 approved, 5bb8' },
    'Green power: proposed → f v1 approved',
  ],
];

test('an entry of the audit log names whom and what it is about', () => {
  for (const [entry, words] of entries) expect(about(entry), entry.action).toBe(words);
});

test('every action that the API document names has words in both languages', async () => {
  const document = readFileSync(resolve(import.meta.dirname, '../../../../libs/spec/openapi.json'), 'utf8');
  const { description } = JSON.parse(document).components.schemas.AuditEntry.properties.action;
  const actions = [...description.matchAll(/`([a-z.-]+)`/g)].map((m: string[]) => m[1] ?? '');
  expect(actions.length).toBeGreaterThan(20);
  for (const language of ['en', 'de']) {
    await i18next.changeLanguage(language);
    for (const action of actions)
      expect([action, action.replaceAll('.', ' ')], language).not.toContain(
        actionOf(action).replace(/^.*: (?=[a-z])/, ''),
      );
  }
});

test('actions and reasons have words, and what is new stands as it came', async () => {
  expect(eventOf({ action: 'request.limited', subject: 'GET /events/e1/results' })).toBe('e1');
  expect(eventOf({ action: 'request.limited', subject: 'GET /events' })).toBe(undefined);
  expect(actionOf('supplier-factor.approve')).toBe('Supplier factor: Approved');
  expect(actionOf('thing.new-move')).toBe('thing new move');
  expect(reasonOf({ action: 'login', reason: 'something else' })).toBe('something else');
  await i18next.changeLanguage('de');
  expect(reasonOf({ action: 'login', reason: 'wrong password' })).toBe('falsches Passwort');
  expect(actionOf('event.delete')).toBe('Veranstaltung: Gelöscht');
  expect(about({ action: 'event.change', subject: 'e1', after: 'revision 3, x' })).toBe('Spring fair: Stand 3');
});

test('a link that was opened is no attempt that was denied', () => {
  const opened = { action: 'user.setup', outcome: 'refused', reason: 'only rehearsed' } as const;
  expect([labelOf(opened), isDenied(opened)]).toEqual(['Link to set a password opened', false]);
  const used = { action: 'user.setup', outcome: 'done' } as const;
  expect([labelOf(used), isDenied(used)]).toEqual(['Password set with a link', false]);
  const denied = { action: 'user.setup', outcome: 'refused', reason: 'only the operator may' } as const;
  expect([labelOf(denied), isDenied(denied)]).toEqual(['Setting a password with a link', true]);
});

test('who did it is a name, the operator, or whoever had a link', () => {
  const who = (action: string, actor?: string): string => whoOf({ action, ...(actor && { actor }) }, known);
  expect(who('user.role', 'u1')).toBe('Ada');
  expect(who('user.role', 'u2')).toBe('u2');
  expect(who('user.create', 'operator')).toBe('operator of the server');
  expect(who('user.setup')).toBe('whoever had the link');
  expect(who('login')).toBe('–');
});
