import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Schemas } from '../api/client';
import { sayError } from '../i18n/server';
import type { Item } from '../pages/queue';
import { Problem, useProblemText } from '../ui/states';
import { Many } from './Many';

interface Outcomes {
  items: { _id?: string; record?: Schemas['Record']; error?: Schemas['Error'] }[];
  succeeded: number;
  failed: number;
}

/**
 * Shows what the server would do with each record before it is asked to. It is asked to
 * approve the records as they stand here: one that somebody changes meanwhile is left.
 */
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
  // The queue behind goes on listing itself again; what is decided on is what was shown.
  const [shown] = useState(items);
  const [busy, setBusy] = useState(false);
  const send = async (dry: boolean): Promise<Outcomes['items']> => {
    const outcomes: Outcomes['items'] = [];
    for (let n = 0; n < shown.length; n += 100) {
      const part = shown.slice(n, n + 100);
      const body: Schemas['IdsInput'] = {
        ids: part.map((i) => i._id),
        revisions: Object.fromEntries(part.map((i) => [i._id, i.revision])),
      };
      const { data } = await call<Outcomes>(
        'POST',
        `/events/${eventId}/review/approve`,
        body,
        dry ? { 'X-Dry-Run': 'true' } : { 'Idempotency-Key': crypto.randomUUID() },
      );
      outcomes.push(...data.items);
    }
    return outcomes;
  };
  const dry = useQuery({
    queryKey: ['approve-many', eventId, shown.map((i) => [i._id, i.revision])],
    queryFn: () => send(true),
    staleTime: 0,
    retry: false,
  });
  const refused = useMemo(
    () => new Map(dry.data?.flatMap((o) => (o._id && o.error ? [[o._id, o.error] as const] : []))),
    [dry.data],
  );
  const would = shown.length - refused.size;
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={t('review.approveMany', { count: shown.length })}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      {dry.isPending && <Skeleton h={80} />}
      {dry.isError && <Problem error={dry.error} />}
      {dry.data && (
        <Stack>
          <Text>{t('review.would', { count: would })}</Text>
          <Many items={shown} refused={refused} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('state.cancel')}
            </Button>
            <Button
              loading={busy}
              disabled={would === 0}
              data-autofocus
              onClick={() => {
                setBusy(true);
                send(false).then(
                  (o) => {
                    const failed = o.filter((x) => x.error);
                    const error = failed[0]?.error;
                    if (error)
                      notifications.show({
                        color: 'orange',
                        autoClose: 12_000,
                        message: `${t('review.left', { count: failed.length })} ${sayError(error)}`,
                      });
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
