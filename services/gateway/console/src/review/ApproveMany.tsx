import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Schemas } from '../api/client';
import { sayError } from '../i18n/server';
import type { Item } from '../pages/queue';
import { Problem, useProblemText } from '../ui/states';

interface Outcomes {
  items: { _id?: string; record?: Schemas['Record']; error?: Schemas['Error'] }[];
  succeeded: number;
  failed: number;
}

/** Shows what the server would do with each record before it is asked to. */
export function ApproveMany({
  eventId,
  items,
  close,
  done,
}: {
  eventId: string;
  items: Item[];
  close: () => void;
  done: (ids: Set<string>) => void;
}): ReactNode {
  const { t } = useTranslation();
  const text = useProblemText();
  const ids = items.map((i) => i._id);
  const [busy, setBusy] = useState(false);
  const send = async (dry: boolean): Promise<Outcomes['items']> => {
    const outcomes: Outcomes['items'] = [];
    for (let n = 0; n < ids.length; n += 100) {
      const { data } = await call<Outcomes>(
        'POST',
        `/events/${eventId}/review/approve`,
        { ids: ids.slice(n, n + 100) },
        dry ? { 'X-Dry-Run': 'true' } : { 'Idempotency-Key': crypto.randomUUID() },
      );
      outcomes.push(...data.items);
    }
    return outcomes;
  };
  const dry = useQuery({
    queryKey: ['approve-many', eventId, ids],
    queryFn: () => send(true),
    staleTime: 0,
    retry: false,
  });
  const refused = dry.data?.filter((o) => o.error) ?? [];
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={t('review.approveMany', { count: ids.length })}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      {dry.isPending && <Skeleton h={80} />}
      {dry.isError && <Problem error={dry.error} />}
      {dry.data && (
        <Stack>
          <Text>{t('review.would', { count: dry.data.length - refused.length })}</Text>
          {refused.map((o) => (
            <Alert key={o._id} color="orange" p="xs">
              {o.error && sayError(o.error)}
            </Alert>
          ))}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('state.cancel')}
            </Button>
            <Button
              loading={busy}
              disabled={dry.data.length === refused.length}
              data-autofocus
              onClick={() => {
                setBusy(true);
                send(false).then(
                  (o) => {
                    const failed = o.filter((x) => x.error);
                    if (failed.length > 0)
                      notifications.show({ color: 'orange', message: failed[0]?.error && sayError(failed[0].error) });
                    done(new Set(o.filter((x) => x.record).map((x) => x.record?._id ?? '')));
                  },
                  (cause: Error) => {
                    setBusy(false);
                    notifications.show({ color: 'red', message: text(cause) });
                  },
                );
              }}
            >
              {t('review.approve')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
