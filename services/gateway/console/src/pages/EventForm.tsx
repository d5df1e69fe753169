import { Button, Checkbox, Group, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, keyed, type Schemas } from '../api/client';
import { useRecordTypes } from '../api/types';
import { countriesIn } from '../countries';
import { cellNumber, peopleIn } from '../format';
import { moved, useRules } from '../governed/data';
import { say } from '../i18n/server';
import { Problem } from '../ui/states';
import { CompensationInput, entriesOf, statedOf } from './Compensation';
import { PlaceInput } from './PlaceInput';

type Input = Schemas['EventInput'];
interface Props {
  /** The event to change; absent to create a new one. */
  event?: Schemas['Event'];
  /** The event to duplicate. */
  from?: Schemas['Event'];
  tag?: string;
  done: (e: Schemas['Event']) => void;
  /** The change waits for a second manager. */
  proposed?: () => void;
  /** Called as soon as something is typed or chosen. */
  filled?: () => void;
  cancel: () => void;
}

/** The names of time zones, which nobody knows by heart. */
const zones = Intl.supportedValuesOf('timeZone');

export function EventForm({ event, from, tag, done, proposed, filled = () => {}, cancel }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const base = event ?? from;
  // What somebody else changes while it is open is not overwritten by what the form began with.
  const [opened] = useState(tag);
  const types = useRecordTypes();
  const [country, setCountry] = useState<string | null>(base?.country ?? null);
  const [excluded, setExcluded] = useState<Record<string, string>>(
    Object.fromEntries((base?.boundary?.excluded ?? []).map((x) => [x.type, x.reason])),
  );
  // Who has not said what the figure is meant to cover is not taken to have meant everything.
  const [bounded, setBounded] = useState(Boolean(base?.boundary));
  const form = useRef<HTMLFormElement>(null);
  /** The numbers of people that cannot be read, each by its field. */
  const [unread, setUnread] = useState<readonly string[]>([]);
  /** What was typed into since it was found wrong; whether it is right now is seen when it is sent. */
  const [mended, setMended] = useState<ReadonlySet<string>>(new Set());
  // What was bought for one event is not of another that is made like it.
  const [stated, setStated] = useState(() => entriesOf(event?.compensation));
  const [once] = useState(keyed);
  const save = useMutation({
    mutationFn: async (input: Input): Promise<{ saved: Schemas['Event']; waits?: boolean }> => {
      if (event) {
        const headers: Record<string, string> = opened ? { 'If-Match': opened } : {};
        const { data, status } = await call<Schemas['Event']>('PATCH', `/events/${event._id}`, input, headers);
        return status === 202 ? { saved: event, waits: true } : { saved: data };
      }
      const { data } = await once(input, (key) =>
        call<Schemas['Event']>('POST', '/events', input, { 'Idempotency-Key': key }),
      );
      return { saved: data };
    },
    onSuccess: ({ saved, waits }) => {
      void moved(client, saved._id);
      if (waits) {
        // Nothing has changed yet: a second manager decides.
        notifications.show({ message: t('event.proposed') });
        proposed?.();
      } else done(saved);
    },
  });
  // What is wrong is shown, wherever the form was scrolled to.
  useEffect(() => {
    if (!save.error && unread.length === 0) return;
    const at = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    (at ?? form.current?.querySelector('[role=alert]'))?.scrollIntoView({ block: 'center' });
    at?.focus({ preventScroll: true });
  }, [save.error, unread]);
  const fault = (field: string): string | undefined => {
    if (unread.includes(field) && !mended.has(field)) return t('event.notPeople');
    if (mended.has(field)) return undefined;
    const details = save.error instanceof ApiError ? save.error.details : [];
    const found = details.find((d) => d.field === field || d.field?.startsWith(`${field}.`));
    return found && say('fault', found, '');
  };

  const submit = (e: FormEvent<HTMLFormElement>): void => {
    e.preventDefault();
    setMended(new Set());
    const f = new FormData(e.currentTarget);
    const text = (name: string): string | null => String(f.get(name) ?? '').trim() || null;
    const left = Object.entries(excluded).filter(([, reason]) => reason.trim() !== '');
    const chosen = {
      included: types.data?.items.map((x) => x.type).filter((x) => !(x in excluded)),
      excluded: left.map(([type, reason]) => ({ type, reason })),
    };
    // Where the kinds are not known, what includes which stays as it is.
    const boundary = !types.data ? from?.boundary : bounded ? chosen : event?.boundary && null;
    const people = {
      attendees: peopleIn(text('attendees') ?? ''),
      virtualAttendees: peopleIn(text('virtualAttendees') ?? ''),
    };
    const wrong = Object.entries(people).flatMap(([field, n]) => (n === undefined ? [field] : []));
    setUnread(wrong);
    if (wrong.length > 0) return;
    const drop = <T,>(v: T | null): T | null | undefined => (v === null && !event ? undefined : v);
    save.mutate({
      title: text('title') ?? '',
      startDate: drop(text('startDate')),
      endDate: drop(text('endDate')),
      attendees: drop(people.attendees),
      virtualAttendees: drop(people.virtualAttendees),
      country: drop(country),
      place: drop(text('place')),
      timezone: drop(text('timezone')),
      description: drop(text('description')),
      ...(boundary !== undefined ? { boundary } : {}),
      ...(stated.length > 0 || event?.compensation ? { compensation: statedOf(stated) } : {}),
      ...(event && text('comment') ? { comment: text('comment') } : {}),
      method: { radiativeForcing: f.get('rf') === 'on', gwp: base?.method.gwp ?? 'published' },
    } as Input);
  };

  return (
    <form
      ref={form}
      onSubmit={submit}
      onInput={(e) => {
        const { name } = e.target as HTMLInputElement;
        if (name) setMended((now) => new Set(now).add(name));
      }}
    >
      <Stack>
        <TextInput
          name="title"
          label={t('event.title')}
          required
          maxLength={200}
          defaultValue={event?.title ?? (from ? t('event.copyOf', { title: from.title }) : '')}
          error={fault('title')}
          autoFocus // the form may come after its dialog has
          data-autofocus
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            name="startDate"
            type="date"
            label={t('event.start')}
            defaultValue={event?.startDate ?? ''}
            error={fault('startDate')}
          />
          <TextInput
            name="endDate"
            type="date"
            label={t('event.end')}
            defaultValue={event?.endDate ?? ''}
            error={fault('endDate')}
          />
          <TextInput
            name="attendees"
            label={t('event.attendees')}
            description={t('event.attendeesHint')}
            defaultValue={base?.attendees === undefined ? '' : cellNumber(base.attendees)}
            error={fault('attendees')}
            inputMode="numeric"
          />
          <TextInput
            name="virtualAttendees"
            label={t('event.virtual')}
            description={t('event.virtualHint')}
            defaultValue={base?.virtualAttendees === undefined ? '' : cellNumber(base.virtualAttendees)}
            error={fault('virtualAttendees')}
            inputMode="numeric"
          />
          <Select
            label={t('event.country')}
            description={t('event.countryHint')}
            data={countriesIn(i18n.resolvedLanguage ?? 'en')}
            value={country}
            onChange={(code) => {
              setCountry(code);
              filled();
            }}
            searchable
            clearable
            error={fault('country')}
            clearButtonProps={{ 'aria-label': t('state.clear') }}
          />
          <PlaceInput start={base?.place ?? ''} error={fault('place')} />
          <TextInput
            name="timezone"
            label={t('event.timezone')}
            description={t('event.timezoneHint')}
            list="timezones"
            autoComplete="off"
            defaultValue={base?.timezone ?? ''}
            error={fault('timezone')}
          />
          <datalist id="timezones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </SimpleGrid>
        <Textarea
          name="description"
          label={t('event.description')}
          autosize
          minRows={2}
          maxLength={5000}
          defaultValue={base?.description ?? ''}
          error={fault('description')}
        />
        <fieldset className="quiet">
          <legend>{t('event.boundary')}</legend>
          <Checkbox
            name="bounded"
            label={t('event.bounded')}
            description={t('event.boundaryHint')}
            checked={bounded}
            onChange={(e) => setBounded(e.currentTarget.checked)}
          />
          <Stack gap={6} mt={bounded ? 'sm' : undefined}>
            {(bounded ? types.data?.items : undefined)?.map(({ type }) => (
              <Group key={type} gap="sm" align="center" wrap="wrap">
                <Checkbox
                  w={190}
                  label={t(`type.${type as 'flights'}`, { defaultValue: type })}
                  checked={!(type in excluded)}
                  onChange={(e) => {
                    // React may call what changes the state later, when the event has no target any more.
                    const included = e.currentTarget.checked;
                    setExcluded((now) => {
                      const next = { ...now };
                      if (included) delete next[type];
                      else next[type] = '';
                      return next;
                    });
                  }}
                />
                {type in excluded && (
                  <TextInput
                    flex={1}
                    size="xs"
                    required
                    aria-label={t('event.why', { type: t(`type.${type as 'flights'}`, { defaultValue: type }) })}
                    placeholder={t('event.whyShort')}
                    value={excluded[type] ?? ''}
                    maxLength={500}
                    onChange={(e) => {
                      const reason = e.currentTarget.value;
                      setExcluded((now) => ({ ...now, [type]: reason }));
                    }}
                  />
                )}
              </Group>
            ))}
          </Stack>
        </fieldset>
        <Checkbox
          name="rf"
          label={t('event.rf')}
          description={t('event.rfHint')}
          defaultChecked={base?.method.radiativeForcing ?? true}
        />
        <CompensationInput
          entries={stated}
          set={(next) => {
            setStated(next);
            filled();
          }}
          fault={fault}
        />
        {event && <Reason event={event._id} error={fault('comment')} />}
        {save.isError && <Problem error={save.error} />}
        <Group justify="flex-end" className="formactions">
          <Button variant="default" onClick={cancel}>
            {t('state.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {event ? t('state.save') : t('events.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Asks for a reason, and states if the organization requires one or a second manager. */
function Reason({ event, error }: { event: string; error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const rules = useRules(event);
  return (
    <TextInput
      name="comment"
      label={t('event.comment')}
      description={t(rules.second ? 'event.secondHint' : 'event.commentHint')}
      withAsterisk={rules.reason}
      maxLength={2000}
      error={error}
    />
  );
}
