import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { Empty } from '../ui/states';

/** What stands in place of a queue that is empty: where something is approved, the way to what it comes to. */
export function NothingWaits({ event }: { event: Schemas['Event'] | undefined }): ReactNode {
  const { t } = useTranslation();
  return (
    <Empty
      title={t('review.empty')}
      action={
        event?.counts?.approved ? (
          <Button component={Link} to={`/events/${event._id}/footprint`}>
            {t('place.footprint')}
          </Button>
        ) : undefined
      }
    >
      {t('review.emptyText')}
    </Empty>
  );
}
