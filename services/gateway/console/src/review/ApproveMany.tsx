import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sayError } from '../i18n/server';
import type { Item } from '../pages/queue';
import { Dialog } from '../ui/Dialog';
import { Problem, useProblemText } from '../ui/states';
import { decide, type Outcome } from './decide';
import { Many } from './Many';

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
  // The queue continues to refresh; the decision applies to what was displayed.
  const [shown] = useState(items);
  const [busy, setBusy] = useState(false);
  const dry = useQuery({
    queryKey: ['approve-many', eventId, shown.map((i) => [i._id, i.revision])],
    queryFn: () => decide(eventId, 'approve', shown, { dry: true }),
    staleTime: 0,
    retry: false,
  });
  const refused = useMemo(
    () => new Map(dry.data?.flatMap((o) => (o._id && o.error ? [[o._id, o.error] as const] : []))),
    [dry.data],
  );
  const would = shown.length - refused.size;
  // The dialog has given the focus to what there was of it.
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (dry.isSuccess) button.current?.focus();
  }, [dry.isSuccess]);
  const approve = async (): Promise<void> => {
    setBusy(true);
    const heard: Outcome[] = [];
    try {
      await decide(eventId, 'approve', shown, { heard: (part) => heard.push(...part) });
    } catch (cause) {
      notifications.show({ color: 'red', message: text(cause as Error) });
      // If nothing was approved, the same can be requested again. Otherwise the queue shows what is left.
      if (heard.length === 0) {
        setBusy(false);
        return;
      }
    }
    const failed = heard.filter((x) => x.error);
    const error = failed[0]?.error;
    if (error)
      notifications.show({
        color: 'orange',
        autoClose: 12_000,
        message: `${t('review.left', { count: failed.length })} ${sayError(error)}`,
      });
    done(new Set(heard.flatMap((x) => (x.record ? [x.record._id] : []))));
  };
  return (
    <Dialog opened onClose={close} size="lg" title={t('review.approveMany', { count: shown.length })}>
      {dry.isPending && <Skeleton h={80} />}
      {dry.isError && <Problem error={dry.error} retry={() => void dry.refetch()} />}
      {dry.data && (
        <Stack>
          <Text>{t('review.would', { count: would })}</Text>
          <Many items={shown} refused={refused} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('state.cancel')}
            </Button>
            <Button loading={busy} disabled={would === 0} ref={button} onClick={() => void approve()}>
              {t('review.approve')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
