import { Alert, Button, Card, Group, NativeSelect, SimpleGrid, Table, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, call, type Schemas, take } from '../api/client';
import { setName, useFactorSets } from '../api/factorSets';
import { amount, cellNumber, exact, peopleIn, range, signed } from '../format';
import { moved, useRules } from '../governed/data';
import { WhatIfText } from '../sheet/Origins';
import { Problem } from '../ui/states';
import { Wide } from '../ui/Wide';

interface Props {
  event: Schemas['Event'];
  tag: string;
  /** The figure is signed: changes can be tried, not made. */
  closed: boolean;
}

interface Trial {
  factorSet: string;
  radiativeForcing: string;
  gwp: string;
  attendees: string;
}

/** Previews of another method, factor set, number of attendees or place; nothing is stored until a change is made. */
export function Rehearsal({ event, tag, closed }: Props): ReactNode {
  const { t } = useTranslation();
  const asItIs: Trial = {
    factorSet: event.factorSet,
    radiativeForcing: event.method.radiativeForcing === false ? 'no' : 'yes',
    gwp: event.method.gwp ?? 'published',
    attendees: event.attendees === undefined ? '' : cellNumber(event.attendees),
  };
  const [trial, setTrial] = useState<Trial>(asItIs);
  const sets = useFactorSets();
  const otherSet = trial.factorSet !== asItIs.factorSet;
  const method = { radiativeForcing: trial.radiativeForcing === 'yes', gwp: trial.gwp as 'published' };
  const otherMethod = trial.radiativeForcing !== asItIs.radiativeForcing || trial.gwp !== asItIs.gwp;
  const attendees = peopleIn(trial.attendees);
  const otherAttendees = typeof attendees === 'number' && attendees !== event.attendees;
  const patch = {
    ...(otherMethod ? { method } : {}),
    ...(otherAttendees ? { attendees } : {}),
  };
  const wanted = otherSet || otherMethod || otherAttendees;
  const effect = useQuery({
    queryKey: ['rehearsal', event._id, event.revision, trial],
    enabled: wanted,
    retry: false,
    queryFn: () =>
      take(
        api.POST('/events/{eventId}/results/rehearsal', {
          params: { path: { eventId: event._id } },
          body: { ...patch, ...(otherSet ? { factorSet: trial.factorSet } : {}) },
        }),
      ),
  });
  const set = (name: keyof Trial, value: string) => setTrial((now) => ({ ...now, [name]: value }));
  return (
    <Card withBorder component="section" className="unprinted">
      <Title order={2} size="h4" mb={4}>
        {t('try.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('try.text')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <NativeSelect
          size="xs"
          label={t('foot.factorSet')}
          value={trial.factorSet}
          onChange={(e) => set('factorSet', e.currentTarget.value)}
          data={(sets.data ?? [{ id: event.factorSet }]).map(({ id }) => ({ value: id, label: setName(id) }))}
        />
        <NativeSelect
          size="xs"
          label={t('field.radiativeForcing')}
          value={trial.radiativeForcing}
          onChange={(e) => set('radiativeForcing', e.currentTarget.value)}
          data={(['yes', 'no'] as const).map((v) => ({ value: v, label: t(`try.rf_${v}`) }))}
        />
        <NativeSelect
          size="xs"
          label={t('field.gwp')}
          value={trial.gwp}
          onChange={(e) => set('gwp', e.currentTarget.value)}
          data={(['published', 'AR6'] as const).map((v) => ({ value: v, label: t(`try.gwp_${v}`) }))}
        />
        <TextInput
          size="xs"
          label={t('event.attendees')}
          value={trial.attendees}
          onChange={(e) => set('attendees', e.currentTarget.value)}
          inputMode="numeric"
          error={attendees === undefined && t('event.notPeople')}
        />
      </SimpleGrid>
      {effect.isFetching && <Text size="sm">…</Text>}
      {effect.isError && <Problem error={effect.error} />}
      {wanted && effect.data && <EffectTable effect={effect.data} />}
      {wanted && effect.isSuccess && !closed && (
        <Make event={event} tag={tag} factorSet={otherSet ? trial.factorSet : undefined} patch={patch} />
      )}
      <Text size="xs" c="dimmed" mt="sm">
        {t('try.boundary')}
      </Text>
      <OtherPlace event={event} />
    </Card>
  );
}

/** The figures before and after, as a table. */
function EffectTable({ effect }: { effect: Schemas['Effect'] }): ReactNode {
  const { t } = useTranslation();
  const { before, after } = effect;
  if (!before || !after) return <Text size="sm">{t('try.nothing')}</Text>;
  const kg = (n: number | null): string => (n === null ? '–' : amount(n));
  return (
    <Wide label={t('try.title')}>
      <Table mt="sm" className="fields" role="table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('try.figure')}</Table.Th>
            <Table.Th ta="right">{t('governed.before')}</Table.Th>
            <Table.Th ta="right">{t('governed.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="figure">
          <Table.Tr>
            <Table.Th scope="row">{t('foot.total')}</Table.Th>
            <Table.Td ta="right" title={exact(before.total.kgCO2e)}>
              {amount(before.total.kgCO2e)}{' '}
              <span className="dim">{range(before.total.low, before.total.high, before.total.kgCO2e)}</span>
            </Table.Td>
            <Table.Td ta="right" title={exact(after.total.kgCO2e)}>
              {amount(after.total.kgCO2e)}{' '}
              <span className="dim">{range(after.total.low, after.total.high, after.total.kgCO2e)}</span>
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row">{t('foot.perAttendee')}</Table.Th>
            <Table.Td ta="right">{kg(before.perAttendeeKg)}</Table.Td>
            <Table.Td ta="right">{kg(after.perAttendeeKg)}</Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Text size="sm" role="status" className="figure">
        {t('foot.rehearsed', { difference: signed(effect.differenceKgCO2e ?? 0) })}
      </Text>
    </Wide>
  );
}

interface MakeProps {
  event: Schemas['Event'];
  tag: string;
  factorSet: string | undefined;
  patch: Record<string, unknown>;
}

/** Makes the change that was tried, or proposes it. Factors and the rest are changes of their own. */
function Make({ event, tag, factorSet, patch }: MakeProps): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [comment, setComment] = useState('');
  const rules = useRules(event._id);
  const both = factorSet !== undefined && Object.keys(patch).length > 0;
  const make = useMutation({
    mutationFn: () => {
      const why = comment.trim() ? { comment: comment.trim() } : {};
      return factorSet === undefined
        ? call('PATCH', `/events/${event._id}`, { ...patch, ...why }, { 'If-Match': tag })
        : call(
            'POST',
            `/events/${event._id}/factor-set`,
            { factorSet, ...why },
            { 'If-Match': tag, 'Idempotency-Key': crypto.randomUUID() },
          );
    },
    onSuccess: async ({ status }) => {
      const done = factorSet === undefined ? t('try.made') : t('foot.adopted', { set: setName(factorSet) });
      notifications.show({ message: status === 202 ? t('event.proposed') : done });
      await moved(client, event._id);
      if (status === 202) await navigate({ to: '/events/$eventId/history', params: { eventId: event._id } });
    },
  });
  if (both) return <Text size="sm">{t('try.oneByOne')}</Text>;
  return (
    <>
      <Group align="flex-end" mt="sm">
        <TextInput
          size="xs"
          label={t('event.comment')}
          description={t(rules.second ? 'event.secondHint' : 'event.commentHint')}
          withAsterisk={rules.reason}
          value={comment}
          maxLength={2000}
          onChange={(e) => setComment(e.currentTarget.value)}
        />
        <Button
          size="xs"
          loading={make.isPending}
          disabled={rules.reason && comment.trim() === ''}
          onClick={() => make.mutate()}
        >
          {factorSet === undefined ? t('try.make') : t('foot.adopt', { set: setName(factorSet) })}
        </Button>
      </Group>
      {make.isError && <Problem error={make.error} />}
    </>
  );
}

/** The preview of attendee travel to another place of the event. */
function OtherPlace({ event }: { event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const tried = useMutation({
    // Required reasons are required in a dry run too, which stores nothing.
    mutationFn: (place: string) =>
      call<Schemas['Event']>(
        'PATCH',
        `/events/${event._id}`,
        { place, comment: t('try.place') },
        { 'X-Dry-Run': 'true' },
      ),
  });
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        const place = String(new FormData(e.currentTarget).get('place') ?? '').trim();
        if (place) tried.mutate(place);
      }}
    >
      <Group align="flex-end" mt="sm">
        <TextInput
          size="xs"
          name="place"
          label={t('try.place')}
          placeholder={t('event.placeHint')}
          maxLength={200}
          w={280}
        />
        <Button type="submit" size="xs" variant="default" loading={tried.isPending}>
          {t('try.look')}
        </Button>
      </Group>
      {tried.isError && <Problem error={tried.error} />}
      {tried.data?.data.whatIf && <WhatIfText effect={tried.data.data.whatIf} />}
      {tried.isSuccess && !tried.data.data.whatIf && (
        <Alert p="xs" mt="xs" color="blue" variant="light">
          {t('try.noTravel')}
        </Alert>
      )}
    </form>
  );
}
