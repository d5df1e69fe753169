import { Button, Group, SegmentedControl, Switch, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { co2e } from '../format';
import type { Item, Move, Order } from '../pages/queue';

const keysOff = 'ecf.reviewKeysOff';

/** Reports whether single keys decide, as was chosen in this browser. */
export const keysAreOn = (): boolean => localStorage.getItem(keysOff) !== '1';

interface Props {
  outcomes: ReactNode;
  order: Order;
  setOrder: (order: Order) => void;
  keys: boolean;
  setKeys: (on: boolean) => void;
  /** What the figure would be if all were approved. */
  preview: Schemas['PreviewResponse']['data'] | undefined;
  decides: boolean;
  open: Item[];
  /** How many records wait; more than are open here while the rest is being read. */
  left: number;
  /** The marked records. */
  chosen: Item[];
  mark: (items: Item[]) => void;
  approveMany: () => void;
  ask: (move: Move) => void;
}

/** What is shown of the queue and in which order, and what is done to the marked records together. */
export function WaitingBar({
  outcomes,
  order,
  setOrder,
  keys,
  setKeys,
  preview,
  decides,
  open,
  left,
  chosen,
  mark,
  approveMany,
  ask,
}: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Group className="toolbar" justify="space-between">
      <Group gap="md">
        {outcomes}
        <SegmentedControl
          size="xs"
          aria-label={t('review.order')}
          value={order}
          onChange={(v) => setOrder(v as Order)}
          data={[
            { value: 'weight', label: t('review.byWeight') },
            { value: 'age', label: t('review.byAge') },
          ]}
        />
        <Tooltip
          label={t('review.keysDo')}
          refProp="rootRef"
          events={{ hover: true, focus: true, touch: true }}
          multiline
          maw={260}
        >
          <Switch
            size="xs"
            className="keyswitch"
            label={t('review.keys')}
            checked={keys}
            onChange={(e) => {
              setKeys(e.currentTarget.checked);
              localStorage.setItem(keysOff, e.currentTarget.checked ? '0' : '1');
            }}
          />
        </Tooltip>
      </Group>
      <Group gap="md">
        {preview && (
          <Text size="sm" className="figure" role="status">
            {t('review.ifApproved', {
              before: preview.basedOn ? co2e(preview.basedOn.total.kgCO2e) : co2e(0),
              after: co2e(preview.total.kgCO2e),
            })}
          </Text>
        )}
        {open.length < left && (
          <Text size="sm" role="status">
            {t('review.reading', { shown: open.length, count: left })}
          </Text>
        )}
        {decides && open.length > 1 && open.length === left && (
          <Button size="compact-sm" variant="subtle" onClick={() => mark(chosen.length === open.length ? [] : open)}>
            {t(chosen.length === open.length ? 'review.none' : 'review.all')}
          </Button>
        )}
        {chosen.length > 0 && (
          <Group gap={6}>
            <Button size="compact-sm" onClick={approveMany}>
              {t('review.approveMany', { count: chosen.length })}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('request-changes')}>
              {t('review.changes')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('reject')}>
              {t('review.reject')}
            </Button>
          </Group>
        )}
      </Group>
    </Group>
  );
}
