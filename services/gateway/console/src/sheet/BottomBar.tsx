import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { resultQuery, untilCurrent } from '../api/result';
import { amount, co2e, exact, range } from '../format';
import { sayError } from '../i18n/server';
import { useSession } from '../session';
import type { Engine } from './engine';
import { dirty, empty } from './store';

/** The interval between announcements of the total, in milliseconds. */
const announceEvery = 10_000;

/** What is written, what waits and what counts. The figures are the server's own, with the rows as they are typed. */
export function BottomBar({ engine, slot }: { engine: Engine; slot?: Ref<HTMLDivElement> }): ReactNode {
  const { t } = useTranslation();
  // Who only reads sees what is approved: there would seem to be no drafts, and nothing is saved.
  const records = useSession().can('user');
  const rows = engine.store.rows.filter((r) => !empty(r));
  const unsaved = rows.filter(dirty).length;
  const drafts = rows.filter(
    (r) => r.status === 'draft' || r.status === 'unsubmitted' || r.status === 'changes_requested',
  ).length;
  const faults = rows.filter((r) => r.check.state === 'bad').length;
  const result = useQuery({ ...resultQuery(engine.event), ...untilCurrent });
  // A new revision has other sums.
  const revision = result.data?.revision;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision triggers the request
  useEffect(() => engine.sums.look(true), [engine, revision]);
  const sums = engine.sums.value;
  const said = sums?.all.records
    ? t('bar.spoken', { all: co2e(sums.all.total.kgCO2e), drafts: co2e(sums.drafts.total.kgCO2e) })
    : '';
  const spoken = useThrottled(said, announceEvery);
  const trouble = engine.trouble;
  return (
    <footer className="bottombar">
      <Group
        gap="xl"
        wrap="wrap"
        role="group"
        aria-label={t('bar.label')}
        data-moving={engine.sums.moving || undefined}
      >
        {records && (
          <>
            <Figure
              label={t('bar.draft')}
              count={drafts}
              sum={sums?.drafts.records ? sums.drafts.total : undefined}
              asking={!sums}
              fault={faults > 0 ? t('bar.faults', { count: faults }) : ''}
            />
            <Figure
              label={t('bar.waiting')}
              count={
                sums?.waiting.records ?? rows.filter((r) => r.status === 'submitted' || r.status === 'in_review').length
              }
              sum={sums?.waiting.records ? sums.waiting.total : undefined}
              asking={!sums}
            />
          </>
        )}
        <Figure
          label={t('bar.approved')}
          count={sums?.approved.records ?? result.data?.counts?.approved ?? 0}
          sum={sums?.approved.records ? sums.approved.total : result.data?.total}
          asking={!sums}
        />
        {sums && records && (
          <Figure
            label={t('bar.all')}
            count={sums.all.records}
            sum={sums.all.records ? sums.all.total : undefined}
            asking={false}
          />
        )}
      </Group>
      <span className="vh" role="status">
        {spoken}
      </span>
      <Text
        size="xs"
        c={trouble ? undefined : 'dimmed'}
        className="savestate"
        data-trouble={trouble ? true : undefined}
      >
        {trouble?.kind === 'offline'
          ? t('bar.offline')
          : trouble?.kind === 'wait'
            ? t('state.wait', { seconds: trouble.seconds })
            : trouble?.kind === 'error'
              ? trouble.error.status === 401
                ? t('session.endedText')
                : `${sayError(trouble.error)} ${trouble.error.requestId}`
              : unsaved > 0
                ? t('bar.unsaved', { count: unsaved })
                : records && t('bar.saved')}
      </Text>
      <div className="baraction" ref={slot} />
    </footer>
  );
}

interface FigureProps {
  label: string;
  count: number;
  sum?: { kgCO2e: number; low: number; high: number } | undefined;
  /** The total is not known yet. */
  asking: boolean;
  fault?: string;
}

function Figure({ label, count, sum, asking, fault = '' }: FigureProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="barfigure" data-none={count === 0 || undefined}>
      <Text size="xs" c="dimmed">
        {label} · {t('bar.rows', { count })}
        {fault && (
          <Text span c="red">
            {' '}
            · {fault}
          </Text>
        )}
      </Text>
      <Text size="sm" fw={600} className="figure" {...(sum ? { title: exact(sum.kgCO2e) } : {})}>
        {sum ? amount(sum.kgCO2e) : asking && count > 0 ? '…' : '–'}{' '}
        {sum && (
          <Text span size="xs" fw={400} c="dimmed">
            {range(sum.low, sum.high, sum.kgCO2e)}
          </Text>
        )}
      </Text>
    </div>
  );
}

/** Returns a text that follows another one, at most once in so many milliseconds. */
function useThrottled(text: string, every: number): string {
  const [shown, setShown] = useState('');
  const last = useRef(0);
  useEffect(() => {
    if (text === shown) return;
    const timer = setTimeout(
      () => {
        last.current = Date.now();
        setShown(text);
      },
      Math.max(1_000, last.current + every - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [text, shown, every]);
  return shown;
}
