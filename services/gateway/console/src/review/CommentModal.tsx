import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Move } from '../pages/queue';

/** Asks why something is rejected, sent back or taken back. */
export function CommentModal({
  asking,
  close,
  done,
}: {
  asking: { move: Move; items: readonly unknown[] };
  close: () => void;
  done: (comment: string) => Promise<void>;
}): ReactNode {
  const { t } = useTranslation();
  const [comment, setComment] = useState('');
  const [busy, setBusy] = useState(false);
  return (
    <Modal
      opened
      onClose={close}
      title={t(`ask.${asking.move as 'reject'}`, { count: asking.items.length })}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      <form
        onSubmit={(e) => {
          e.preventDefault();
          setBusy(true);
          void done(comment).finally(() => setBusy(false));
        }}
      >
        <Stack>
          <Textarea
            label={t('ask.why')}
            description={t('ask.hint')}
            value={comment}
            onChange={(e) => setComment(e.currentTarget.value)}
            required
            maxLength={2000}
            autosize
            minRows={3}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('state.cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={comment.trim() === ''}>
              {t(`review.${asking.move === 'reject' ? 'reject' : asking.move === 'reopen' ? 'takeBack' : 'changes'}`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
