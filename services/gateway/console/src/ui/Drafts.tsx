import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../session';
import { countDrafts, discardDrafts } from '../sheet/drafts';
import { Dialog } from './Dialog';

interface Leaving {
  count: number;
  how: 'signOut' | 'switch';
  go: () => Promise<void>;
}

/** Asks what becomes of rows that are not saved yet, before somebody leaves them. */
export function useDraftsAsked(): {
  ask: (how: Leaving['how'], go: Leaving['go']) => Promise<void>;
  dialog: ReactNode;
} {
  const { t } = useTranslation();
  const { scope } = useSession();
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const ask = async (how: Leaving['how'], go: Leaving['go']): Promise<void> => {
    const count = await countDrafts(scope).catch(() => 0);
    if (count > 0) setLeaving({ count, how, go });
    else await go();
  };
  const leave = (): void => {
    setLeaving(null);
    void leaving?.go();
  };
  const words = leaving?.how ?? 'signOut';
  const dialog = (
    <Dialog
      opened={leaving !== null}
      onClose={() => setLeaving(null)}
      title={t('session.draftsTitle', { count: leaving?.count ?? 0 })}
    >
      <Stack>
        <Text size="sm">{t(`drafts.${words}Text`)}</Text>
        <Group justify="flex-end">
          <Button variant="default" color="red" onClick={() => void discardDrafts(scope).then(leave)}>
            {t(`drafts.${words}Discard`)}
          </Button>
          <Button onClick={leave}>{t(`drafts.${words}Keep`)}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
  return { ask, dialog };
}
