import { Alert, Group, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { useSummary } from '../footprint/summary';
import { amount } from '../format';
import { sayError } from '../i18n/server';
import type { Item } from '../pages/queue';
import { fieldsOnly } from './Decision';

interface Props {
  items: Item[];
  /** Why records would be left, by their ids. */
  refused: ReadonlyMap<string, Schemas['Error']>;
}

/** Records that are decided together and what each counts, those that would be left before the others; of thousands, what is in view. */
export function Many({ items, refused }: Props): ReactNode {
  const { t } = useTranslation();
  const summary = useSummary();
  const scroller = useRef<HTMLElement>(null);
  const ordered = useMemo(
    () => [...items].sort((a, b) => Number(refused.has(b._id)) - Number(refused.has(a._id))),
    [items, refused],
  );
  const virtual = useVirtualizer({
    count: ordered.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 34,
    getItemKey: (n) => ordered[n]?._id ?? n,
    overscan: 6,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section ref={scroller} className="many" tabIndex={0} aria-label={t('review.many')}>
      <ul className="plain queuespace" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((v) => {
          const i = ordered[v.index];
          if (!i) return null;
          const error = refused.get(i._id);
          return (
            <li
              key={v.key}
              ref={virtual.measureElement}
              data-index={v.index}
              className="queueplace"
              aria-posinset={v.index + 1}
              aria-setsize={ordered.length}
              style={{ transform: `translateY(${v.start}px)` }}
            >
              <Group justify="space-between" wrap="nowrap" gap="sm">
                <Text size="sm">
                  {t(`type.${i.type as 'flights'}`, { defaultValue: i.type ?? '' })}: {summary(i.type, fieldsOnly(i))}
                </Text>
                <Text size="sm" className="figure nowrap">
                  {i.review.kgCO2e === null ? '–' : amount(i.review.kgCO2e)}
                </Text>
              </Group>
              {error && (
                <Alert color="orange" p={6}>
                  {sayError(error)}
                </Alert>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
