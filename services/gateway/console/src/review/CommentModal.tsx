import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Move } from '../pages/queue';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem } from '../ui/states';

/** Asks why something is rejected, sent back or taken back. */
export function CommentModal({
  asking,
  close,
  done,
}: {
  asking: { move: Move; items: readonly unknown[] };
  close: () => void;
  /** Decides; if that fails, the dialog stays open with its input and shows the error. */
  done: (comment: string) => Promise<void>;
}): ReactNode {
  const { t } = useTranslation();
  const [comment, setComment] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const unsaved = useUnsaved();
  return (
    <FormModal
      title={t(`ask.${asking.move as 'reject'}`, { count: asking.items.length })}
      unsaved={unsaved}
      close={close}
    >
      <form
        onSubmit={(e) => {
          e.preventDefault();
          setBusy(true);
          setError(null);
          void done(comment.trim())
            .then(unsaved.clear, setError)
            .finally(() => setBusy(false));
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
          {error && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => unsaved.leave(close)}>
              {t('state.cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={comment.trim() === ''}>
              {t(`review.${asking.move === 'reject' ? 'reject' : asking.move === 'reopen' ? 'takeBack' : 'changes'}`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}
