import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isOutcome, outcomes, Past } from '../review/Past';
import { Waiting } from '../review/Waiting';

/** What waits for a decision, and what was decided; the address says which of them is shown. */
export function ReviewPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/events/$eventId/review' });
  const { show } = useSearch({ from: '/events/$eventId/review' });
  const control = (
    <SegmentedControl
      size="xs"
      aria-label={t('review.shown')}
      value={isOutcome(show) ? show : 'waiting'}
      onChange={(v) => void navigate({ search: v === 'waiting' ? {} : { show: v } })}
      data={[
        { value: 'waiting', label: t('bar.waiting') },
        ...outcomes.map((o) => ({ value: o, label: t(`outcome.${o}`) })),
      ]}
    />
  );
  return isOutcome(show) ? <Past key={show} outcome={show} outcomes={control} /> : <Waiting outcomes={control} />;
}
