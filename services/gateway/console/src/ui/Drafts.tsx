import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../session';
import { Dialog } from './Dialog';

type Kept = typeof import('../sheet/drafts');

/**
 * What keeps rows in the browser is loaded when somebody leaves: the list of events does without. Undefined where
 * it cannot be had, as with the server away: the rows are kept then, without a question.
 */
const drafts = (): Promise<Kept | undefined> => import('../sheet/drafts');

interface Leaving {
  rows: number;
  texts: number;
  how: 'signOut' | 'switch';
  go: () => Promise<void>;
}

/** Asks what becomes of rows that are not saved yet, and of texts that are not sent, before somebody leaves them. */
export function useDraftsAsked(): {
  ask: (how: Leaving['how'], go: Leaving['go']) => Promise<void>;
  dialog: ReactNode;
} {
  const { t } = useTranslation();
  const { scope } = useSession();
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const ask = async (how: Leaving['how'], go: Leaving['go']): Promise<void> => {
    const none = { rows: 0, texts: 0 };
    const left = await drafts()
      .then((d) => d?.countDrafts(scope) ?? none)
      .catch(() => none);
    if (left.rows + left.texts > 0) setLeaving({ ...left, how, go });
    else await go();
  };
  const leave = (): void => {
    setLeaving(null);
    void leaving?.go();
  };
  const discard = async (): Promise<void> => (await drafts())?.discardDrafts(scope);
  const words = leaving?.how ?? 'signOut';
  const dialog = (
    <Dialog
      opened={leaving !== null}
      onClose={() => setLeaving(null)}
      title={t(leaving?.texts ? 'drafts.title' : 'session.draftsTitle', {
        count: (leaving?.rows ?? 0) + (leaving?.texts ?? 0),
      })}
    >
      <Stack>
        <Text size="sm">{t(`drafts.${words}Text`)}</Text>
        <Group justify="flex-end">
          <Button variant="default" color="red" onClick={() => void discard().then(leave)}>
            {t(`drafts.${words}Discard`)}
          </Button>
          <Button onClick={leave}>{t(`drafts.${words}Keep`)}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
  return { ask, dialog };
}
