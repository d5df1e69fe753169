import { Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSummary } from '../footprint/summary';
import type { Item } from '../pages/queue';
import { fieldsOnly } from './Decision';

interface Props {
  /** What is about to be approved, and when. */
  pending: { item: Item; until: number }[];
  undo: (id: string) => void;
}

/** What was approved and is not sent yet, the latest first, with the seconds that are left to undo it. */
export function Undo({ pending, undo }: Props): ReactNode {
  const { t } = useTranslation();
  const summary = useSummary();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return (
    <Stack gap={4} px="md" py={6} className="undobar" role="status">
      {pending.toReversed().map((p) => {
        const what = summary(p.item.type, fieldsOnly(p.item));
        return (
          <Group key={p.item._id} gap="sm">
            {/* It is said once: the seconds that go by are for the eye. */}
            <Text size="sm" aria-hidden>
              {t('review.approving', { seconds: Math.max(0, Math.round((p.until - now) / 1000)), what })}
            </Text>
            <span className="vh">{t('review.undoable', { what })}</span>
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<IconArrowBackUp size={13} aria-hidden />}
              onClick={() => undo(p.item._id)}
            >
              {t('review.undo')}
            </Button>
          </Group>
        );
      })}
    </Stack>
  );
}
