import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Move } from '../pages/queue';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem } from '../ui/states';
import { useKeptText } from '../ui/useKeptText';

/** A record, or a row with one. */
interface Asked {
  _id?: string;
  id?: string;
}

/** Asks why something is rejected, sent back or taken back. */
export function CommentModal({
  asking,
  close,
  done,
}: {
  asking: { move: Move; items: readonly Asked[] };
  close: () => void;
  /** Decides; if that fails, the dialog stays open with its input and shows the error. */
  done: (comment: string) => Promise<void>;
}): ReactNode {
  const { t } = useTranslation();
  // Where some are decided the dialog goes on with the others, and its text with it.
  const [place] = useState(() => {
    const [first] = asking.items;
    return `${asking.move}.${first?._id ?? first?.id}.${asking.items.length}`;
  });
  const [comment, setComment] = useKeptText(place);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const unsaved = useUnsaved();
  const { fill } = unsaved;
  const [begun] = useState(comment !== '');
  useEffect(() => {
    if (begun) fill();
  }, [begun, fill]);
  const discard = (): void => {
    setComment('');
    close();
  };
  return (
    <FormModal
      title={t(`ask.${asking.move as 'reject'}`, { count: asking.items.length })}
      unsaved={unsaved}
      close={discard}
    >
      <form
        onSubmit={(e) => {
          e.preventDefault();
          setBusy(true);
          setError(null);
          void done(comment.trim())
            .then(() => {
              setComment('');
              unsaved.clear();
            }, setError)
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
            <Button variant="default" onClick={() => unsaved.leave(discard)}>
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
