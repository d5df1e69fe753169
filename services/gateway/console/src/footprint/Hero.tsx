import { Badge, Group, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { amount, co2e, exact, percent, range } from '../format';

/** What of a total may be other than measured. */
const qualities = ['calculated', 'estimated', 'extrapolated', 'assumed'] as const;

/** The total with its range, what it covers, and the figures beside it. */
export function Hero({ result: r, event }: { result: Schemas['Result']; event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const excluded = event.boundary?.excluded ?? [];
  const waiting = (r.counts?.submitted ?? 0) + (r.counts?.inReview ?? 0);
  const drafts = r.counts?.unsubmitted ?? 0;
  const returned = r.counts?.changesRequested ?? 0;
  return (
    <section className="hero" aria-label={t('foot.total')}>
      <Group gap="sm" align="baseline">
        <Text className="bignumber figure" title={exact(r.total.kgCO2e)} aria-live="polite">
          {co2e(r.total.kgCO2e)}
        </Text>
        <Text size="lg" c="dimmed" className="figure">
          {range(r.total.low, r.total.high, r.total.kgCO2e)}
        </Text>
        {r.status === 'recalculating' && (
          <Badge variant="light" color="blue" className="badge" role="status">
            {t('foot.recalculating')}
          </Badge>
        )}
      </Group>
      <Text>
        {t('foot.sentence', {
          range: range(r.total.low, r.total.high, r.total.kgCO2e),
          count: r.counts?.approved ?? 0,
        })}{' '}
        {excluded.length > 0
          ? t('foot.excluded', {
              list: excluded
                .map(
                  (x) =>
                    `${t(`type.${x.type as 'flights'}`, { defaultValue: x.type })} (${x.reason.replace(/\.$/, '')})`,
                )
                .join('; '),
            })
          : t('foot.allTypes')}{' '}
        {r.method.radiativeForcing ? t('foot.rf') : t('foot.noRf')}
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 4 }} mt="md">
        <Fact
          label={t('foot.perAttendee')}
          value={r.perAttendeeKg == null ? '–' : amount(r.perAttendeeKg)}
          note={r.perAttendeeKg == null ? t('foot.noAttendees') : ''}
        />
        <Fact label={t('foot.perDay')} value={r.perAttendeeDayKg == null ? '–' : amount(r.perAttendeeDayKg)} note="" />
        <Fact
          label={t('foot.measured')}
          value={percent(r.dataQuality.measuredShare)}
          note={qualities
            .filter((q) => r.dataQuality[`${q}Share`] > 0)
            .map((q) => t(`foot.${q}`, { share: percent(r.dataQuality[`${q}Share`]) }))
            .join(', ')}
        />
        <Fact
          label={t('foot.waiting')}
          value={t('foot.records', { count: waiting })}
          note={[
            drafts > 0 && t('foot.drafts', { count: drafts }),
            returned > 0 && t('foot.returned', { count: returned }),
          ]
            .filter(Boolean)
            .join(' ')}
        />
      </SimpleGrid>
    </section>
  );
}

function Fact({ label, value, note }: { label: string; value: string; note: string }): ReactNode {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600} className="figure">
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </div>
  );
}
