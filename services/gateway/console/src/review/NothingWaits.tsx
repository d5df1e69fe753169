import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { Empty } from '../ui/states';

/** What stands in place of a queue that is empty: the way to what is approved, or to where records are entered. */
export function NothingWaits({ event }: { event: Schemas['Event'] | undefined }): ReactNode {
  const { t } = useTranslation();
  const next = event?.counts?.approved ? 'footprint' : 'sheet';
  return (
    <Empty
      title={t('review.empty')}
      action={
        event && (
          <Button component={Link} to={`/events/${event._id}/${next}`}>
            {t(`place.${next}`)}
          </Button>
        )
      }
    >
      {t('review.emptyText')}
    </Empty>
  );
}
