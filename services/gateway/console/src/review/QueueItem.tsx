import { Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSummary } from '../footprint/summary';
import { amount, percent } from '../format';
import { actorName } from '../i18n/actor';
import type { Item } from '../pages/queue';
import { fieldsOnly } from './Decision';

interface Props {
  item: Item;
  /** Its position and the length of the queue: only visible items are rendered. */
  at: number;
  count: number;
  current: boolean;
  marked: boolean;
  choose: () => void;
  toggle: () => void;
}

/** A record of the queue: what it is, what it counts, how long it waits. */
export function QueueItem({ item: i, at, count, current, marked, choose, toggle }: Props): ReactNode {
  const { t } = useTranslation();
  const summary = useSummary();
  const about = summary(i.type, fieldsOnly(i));
  const age = (hours: number): string =>
    hours < 1
      ? t('review.fresh')
      : hours < 48
        ? t('review.age', { count: hours })
        : t('review.days', { count: Math.floor(hours / 24) });
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself has the focus and the keys
    <div
      id={`q-${i._id}`}
      role="option"
      tabIndex={-1}
      aria-posinset={at + 1}
      aria-setsize={count}
      aria-selected={current}
      aria-checked={marked}
      className="queueitem"
      onClick={choose}
    >
      {/* The option itself says whether it is marked; Space marks it. */}
      <span
        className="marker"
        aria-hidden
        title={t('review.mark')}
        data-marked={marked || undefined}
        onClick={(e) => {
          e.stopPropagation();
          toggle();
        }}
      />
      <div className="queuetext">
        <Group justify="space-between" wrap="nowrap" gap={6}>
          <Text size="sm" fw={600} truncate>
            {t(`type.${i.type as 'flights'}`, { defaultValue: i.type ?? '' })}
          </Text>
          <Text size="sm" className="figure" fw={600}>
            {i.review.kgCO2e === null ? '–' : amount(i.review.kgCO2e)}
          </Text>
        </Group>
        <Text size="xs" c="dimmed" truncate title={about}>
          {about}
        </Text>
        <Group gap={6}>
          <Text size="xs" c="dimmed">
            {[age(i.review.ageHours), i.createdBy && actorName(i.createdBy)].filter(Boolean).join(' · ')}
            {i.review.sharePercent !== null &&
              ` · ${t('review.share', { share: percent(i.review.sharePercent / 100) })}`}
          </Text>
          {i.review.findings.length > 0 && (
            <Badge size="xs" color="orange" variant="light" className="badge">
              {t('review.findings', { count: i.review.findings.length })}
            </Badge>
          )}
        </Group>
      </div>
    </div>
  );
}
