import { Button, Card, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, call, type Schemas, take } from '../api/client';
import { exact, signed } from '../format';
import { moved, useRules } from '../governed/data';
import { useSession } from '../session';
import { Problem } from '../ui/states';

interface Props {
  eventId: string;
  current: string;
  /** The figure is signed: other factors can be tried, not adopted. */
  closed: boolean;
}

/** What the total would be with another set of factors; nothing is kept until it is adopted. */
export function Rehearsal({ eventId, current, closed }: Props): ReactNode {
  const { t } = useTranslation();
  const sets = useQuery({
    queryKey: ['factor-sets'],
    queryFn: () => all((page) => take(api.GET('/factor-sets', { params: { query: { page, limit: 100 } } }))),
    staleTime: 600_000,
  });
  const others = (sets.data ?? []).filter((s) => s.id !== current);
  const [chosen, setChosen] = useState('');
  const [comment, setComment] = useState('');
  const { can } = useSession();
  const rules = useRules(eventId);
  const client = useQueryClient();
  const navigate = useNavigate();
  const rehearsal = useQuery({
    queryKey: ['rehearsal', eventId, chosen],
    enabled: chosen !== '',
    retry: false,
    queryFn: () =>
      call<Partial<Schemas['AdoptionResponse']['data']>>(
        'POST',
        `/events/${eventId}/factor-set`,
        { factorSet: chosen },
        { 'X-Dry-Run': 'true' },
      ).then((answer) => answer.data),
  });
  const adopt = useMutation({
    mutationFn: () =>
      call(
        'POST',
        `/events/${eventId}/factor-set`,
        { factorSet: chosen, ...(comment.trim() ? { comment: comment.trim() } : {}) },
        { 'Idempotency-Key': crypto.randomUUID() },
      ),
    onSuccess: async ({ status }) => {
      notifications.show({ message: t(status === 202 ? 'event.proposed' : 'foot.adopted', { set: chosen }) });
      setChosen('');
      setComment('');
      await moved(client, eventId);
      if (status === 202) await navigate({ to: '/events/$eventId/history', params: { eventId } });
    },
  });
  if (others.length === 0) return null;
  const difference = rehearsal.data?.differenceKgCO2e;
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb={4}>
        {t('foot.rehearse')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('foot.rehearseText', { set: current })}
      </Text>
      <Group align="flex-end">
        <NativeSelect
          size="xs"
          label={t('foot.factorSet')}
          value={chosen}
          onChange={(e) => setChosen(e.currentTarget.value)}
          data={[{ value: '', label: '–' }, ...others.map((s) => s.id)]}
        />
        {rehearsal.isFetching && <Text size="sm">…</Text>}
        {difference != null && (
          <Text size="sm" role="status" className="figure" title={exact(difference)}>
            {t('foot.rehearsed', { difference: signed(difference) })}
          </Text>
        )}
      </Group>
      {rehearsal.isError && <Problem error={rehearsal.error} />}
      {can('manager') && !closed && rehearsal.isSuccess && (
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
            loading={adopt.isPending}
            disabled={rules.reason && comment.trim() === ''}
            onClick={() => adopt.mutate()}
          >
            {t('foot.adopt', { set: chosen })}
          </Button>
        </Group>
      )}
      {adopt.isError && <Problem error={adopt.error} />}
    </Card>
  );
}
