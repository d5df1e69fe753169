import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, take } from '../api/client';
import { time } from '../format';
import { actorName } from '../i18n/actor';
import { useSession } from '../session';
import { Dialog } from '../ui/Dialog';
import { Problem } from '../ui/states';
import { type Import, sayUndone, undoImport } from './upload';

interface Props {
  event: string;
  close: () => void;
  /** The server holds other records now. */
  undone: () => void;
}

/** The files that were imported into an event; each import can be undone, also once its dialog is closed. */
export function Imports({ event, close, undone }: Props): ReactNode {
  const { t } = useTranslation();
  const { me, can } = useSession();
  const list = useQuery({
    queryKey: ['imports', event],
    staleTime: 0,
    queryFn: () =>
      all((page) =>
        take(
          api.GET('/events/{eventId}/imports', { params: { path: { eventId: event }, query: { page, limit: 100 } } }),
        ),
      ),
  });
  const undo = useMutation({
    mutationFn: (i: Import) => undoImport(event, i._id),
    onSuccess: (outcome) => {
      notifications.show({ message: sayUndone(outcome), autoClose: 12_000 });
      undone();
    },
    onSettled: () => list.refetch(),
  });
  const ask = (i: Import): void => {
    if (window.confirm(t('imports.confirm', { count: i.imported }))) undo.mutate(i);
  };
  const mine = (i: Import): boolean => can('manager') || i.createdBy._id === me._id;
  const some = list.data?.filter((i) => i.imported > 0) ?? [];
  return (
    <Dialog opened onClose={close} size="lg" title={t('imports.title')}>
      <Stack gap="sm">
        <Text size="sm">{t(list.data && some.length === 0 ? 'imports.none' : 'imports.text')}</Text>
        {list.isPending && <Skeleton h={60} />}
        {list.isError && <Problem error={list.error} retry={() => void list.refetch()} />}
        {undo.isError && <Problem error={undo.error} />}
        <ul className="plain entries">
          {some.map((i) => (
            <li key={i._id}>
              <Group justify="space-between" gap="sm">
                <div>
                  <Text size="sm" fw={600}>
                    {t(`type.${i.type as 'flights'}`, { defaultValue: t('sheet.all') })} ·{' '}
                    {t('imports.records', { count: i.imported })}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {actorName(i.createdBy)}, {time(i.createdAt)}
                  </Text>
                </div>
                {i.undone ? (
                  <Text size="sm" c="dimmed">
                    {t('imports.undone', { name: actorName(i.undone.by), time: time(i.undone.at) })}
                  </Text>
                ) : (
                  mine(i) && (
                    <Button
                      size="xs"
                      variant="default"
                      loading={undo.isPending && undo.variables._id === i._id}
                      disabled={undo.isPending}
                      onClick={() => ask(i)}
                    >
                      {t('import.undo')}
                    </Button>
                  )
                )}
              </Group>
            </li>
          ))}
        </ul>
      </Stack>
    </Dialog>
  );
}
