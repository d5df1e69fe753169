import { Alert, Badge, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client';
import { co2e, exact, signed, time } from '../format';
import { actorName } from '../i18n/actor';
import { useSession } from '../session';
import { Problem } from '../ui/states';
import { useKeptText } from '../ui/useKeptText';
import { type Change, moved, useChanges } from './data';
import { Fields } from './Fields';

/** The changes of an event that wait for a second manager, oldest first. */
export function Proposals({ eventId, title }: { eventId: string; title: string }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const changes = useChanges(eventId, can('manager'));
  if (changes.isLoadingError) return <Problem error={changes.error} retry={() => void changes.refetch()} />;
  if (!changes.data || changes.data.length === 0) return null;
  return (
    <section aria-label={t('governed.open')}>
      <Title order={2} size="h4" mb="xs">
        {t('governed.open')}
      </Title>
      <Stack>
        {changes.data.map((c) => (
          <Proposal key={c._id} eventId={eventId} title={title} change={c} />
        ))}
      </Stack>
    </section>
  );
}

export function Proposal({ eventId, title, change }: { eventId: string; title: string; change: Change }): ReactNode {
  const { t } = useTranslation();
  const { me } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [comment, setComment] = useKeptText(`change.${change._id}`);
  const own = change.proposedBy._id === me._id;
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'reject' | 'assess') =>
      call<{ deleted?: boolean }>(
        'POST',
        `/events/${eventId}/changes/${change._id}/${decision}`,
        comment.trim() ? { comment: comment.trim() } : {},
        { 'Idempotency-Key': crypto.randomUUID() },
      ).then(({ data }) => ({ decision, deleted: data.deleted === true })),
    onSuccess: async ({ decision, deleted }) => {
      if (decision !== 'assess') setComment('');
      notifications.show({ message: t(`governed.did_${decision}`) });
      if (deleted) await navigate({ to: '/' });
      await moved(client, eventId);
    },
    onError: () => void client.invalidateQueries({ queryKey: ['changes', eventId] }),
  });
  const statement = typeof change.body?.statement === 'string' ? change.body.statement : '';
  return (
    <Card withBorder p="sm" component="article" aria-label={t(`proposal.${change.kind}`)}>
      <Group justify="space-between" gap="xs">
        <Title order={3} size="h5">
          {t(`proposal.${change.kind}`)}
        </Title>
        {change.stale && (
          <Badge color="orange" variant="light" className="badge">
            {t('governed.stale')}
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t('governed.by', { name: actorName(change.proposedBy), time: time(change.proposedAt) })}
      </Text>
      {change.comment && <q className="reason">{change.comment}</q>}
      {statement && statement !== change.comment && <q className="reason">{statement}</q>}
      {change.kind === 'delete' && (
        <Text size="sm" className="wrap">
          {t('event.deleteText', { title })}
        </Text>
      )}
      <Fields changed={change.changed ?? []} />
      <Effect change={change} />
      {change.stale && <Text size="sm">{t('governed.staleText')}</Text>}
      {own && <Text size="sm">{t('governed.own')}</Text>}
      <TextInput
        mt="xs"
        size="xs"
        label={t('governed.comment')}
        value={comment}
        maxLength={2000}
        onChange={(e) => setComment(e.currentTarget.value)}
      />
      {decide.isError && <Problem error={decide.error} />}
      <Group mt="sm" gap="xs">
        {!own && (
          <Button
            size="xs"
            color={change.kind === 'delete' ? 'red' : undefined}
            disabled={change.stale === true}
            loading={decide.isPending}
            onClick={() => decide.mutate('approve')}
          >
            {t(`governed.do_${change.kind}`)}
          </Button>
        )}
        {change.stale && change.kind !== 'sign-off' && (
          <Button size="xs" variant="light" loading={decide.isPending} onClick={() => decide.mutate('assess')}>
            {t('governed.assess')}
          </Button>
        )}
        <Button size="xs" variant="default" loading={decide.isPending} onClick={() => decide.mutate('reject')}>
          {t(own ? 'governed.takeBack' : 'governed.reject')}
        </Button>
      </Group>
    </Card>
  );
}

interface Figures {
  total?: { kgCO2e: number };
  perAttendeeKg?: number | null;
}

/** What a proposal does to the figure, as the server has calculated it. */
function Effect({ change }: { change: Change }): ReactNode {
  const { t } = useTranslation();
  const { effect } = change;
  if (!effect) return null;
  const before = effect.before as Figures | null;
  const after = effect.after as Figures | null;
  const kg = (f: Figures | null, of: 'total' | 'perAttendee'): string => {
    const n = of === 'total' ? f?.total?.kgCO2e : f?.perAttendeeKg;
    return n == null ? '–' : co2e(n);
  };
  return (
    <Alert p="xs" mt="xs" color="blue" variant="light" title={t('governed.effect')}>
      <Text size="sm" className="figure" title={effect.differenceKgCO2e == null ? '' : exact(effect.differenceKgCO2e)}>
        {t('governed.total', { before: kg(before, 'total'), after: kg(after, 'total') })}
        {effect.differenceKgCO2e != null && ` (${signed(effect.differenceKgCO2e)})`}
      </Text>
      {(before?.perAttendeeKg != null || after?.perAttendeeKg != null) && (
        <Text size="sm" className="figure">
          {t('governed.perAttendee', { before: kg(before, 'perAttendee'), after: kg(after, 'perAttendee') })}
        </Text>
      )}
    </Alert>
  );
}
