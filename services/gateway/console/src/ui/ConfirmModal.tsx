import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './Dialog';
import { Problem } from './states';

interface Props {
  opened: boolean;
  close: () => void;
  /** What is done, on the button too. */
  title: string;
  /** What will be gone. */
  text: string;
  error: Error | null;
  busy: boolean;
  confirm: () => void;
}

/** Asks before something is taken away. */
export function ConfirmModal({ opened, close, title, text, error, busy, confirm }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack>
        <Text size="sm">{text}</Text>
        {error && <Problem error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            {t('state.cancel')}
          </Button>
          <Button color="red" loading={busy} onClick={confirm}>
            {title}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
