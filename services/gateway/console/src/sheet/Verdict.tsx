import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { decidesOn, useEventQuery } from '../pages/Event';
import { CommentModal } from '../review/CommentModal';
import { RecordHistory } from '../review/RecordHistory';
import { useSession } from '../session';
import { reopen } from './commands';
import type { Engine } from './engine';
import type { Row } from './store';

/** Who decided on a row, when and why; managers take the decision back here. */
export function Verdict({ engine, row }: { engine: Engine; row: Row }): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { can, me } = useSession();
  const event = useEventQuery(engine.event).data?.data;
  const [asking, setAsking] = useState(false);
  if (!row.id || (row.status !== 'approved' && row.status !== 'rejected') || !can('manager')) return null;
  const takeBack = async (comment: string): Promise<void> => {
    await reopen(engine, row, comment);
    for (const key of ['result', 'preview', 'review', 'event'])
      void client.invalidateQueries({ queryKey: [key, engine.event] });
    setAsking(false);
  };
  return (
    <section aria-label={t('review.history')}>
      <Text size="xs" c="dimmed">
        {t('review.history')}
      </Text>
      <RecordHistory eventId={engine.event} type={row.type} id={row.id} revision={row.revision ?? 0} />
      {!engine.store.readOnly && event && decidesOn(event, me) && (
        <Group mt={6}>
          <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
            {t('review.takeBack')}
          </Button>
        </Group>
      )}
      {asking && (
        <CommentModal asking={{ move: 'reopen', items: [row] }} close={() => setAsking(false)} done={takeBack} />
      )}
    </section>
  );
}
