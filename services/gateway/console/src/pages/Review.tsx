import { Button, SegmentedControl } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isOutcome, outcomes, Past } from '../review/Past';
import { Waiting } from '../review/Waiting';
import { useSession } from '../session';
import { Empty } from '../ui/states';
import { useEvent } from './Event';

/** Waiting and decided records; the filter is part of the URL. */
export function ReviewPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/events/$eventId/review' });
  const { eventId } = useEvent();
  const { can } = useSession();
  const place = can('user') ? 'sheet' : 'footprint';
  const { show } = useSearch({ from: '/events/$eventId/review' });
  // Each outcome draws the control anew, and it keeps the focus.
  const shown = useRef<HTMLDivElement>(null);
  const chosen = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another outcome is shown
  useEffect(() => {
    if (chosen.current) shown.current?.querySelector<HTMLElement>('input:checked')?.focus();
  }, [show]);
  if (!can('manager'))
    return (
      <Empty
        title={t('review.notYours')}
        action={
          <Button component={Link} to={`/events/${eventId}/${place}`}>
            {t(`place.${place}`)}
          </Button>
        }
      >
        {t(can('user') ? 'review.notYoursText' : 'review.notYoursToRead')}
      </Empty>
    );
  const control = (
    <SegmentedControl
      ref={shown}
      size="xs"
      aria-label={t('review.shown')}
      value={isOutcome(show) ? show : 'waiting'}
      onChange={(v) => {
        chosen.current = true;
        void navigate({ search: v === 'waiting' ? {} : { show: v } });
      }}
      data={[
        { value: 'waiting', label: t('bar.waiting') },
        ...outcomes.map((o) => ({ value: o, label: t(`outcome.${o}`) })),
      ]}
    />
  );
  return isOutcome(show) ? <Past key={show} outcome={show} outcomes={control} /> : <Waiting outcomes={control} />;
}
