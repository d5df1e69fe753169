import { ActionIcon, Box, Group, List, Title } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSummary } from '../footprint/summary';
import type { Item, Move } from '../pages/queue';
import { fieldsOnly } from './Decision';

interface Props {
  decided: { item: Item; move: Move }[];
  takeBack: (item: Item) => void;
}

/** What was decided just now, and can be taken back. */
export function Decided({ decided, takeBack }: Props): ReactNode {
  const { t } = useTranslation();
  const summary = useSummary();
  return (
    <Box px="md" py="xs" component="section">
      <Title order={2} size="h6">
        {t('review.decided')}
      </Title>
      <List size="sm" listStyleType="none">
        {decided.map((d) => (
          <List.Item key={d.item._id}>
            <Group gap="sm">
              <span>
                {t(`move.${d.move}`)}: {summary(d.item.type, fieldsOnly(d.item))}
              </span>
              {(d.move === 'approve' || d.move === 'reject') && (
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  aria-label={t('review.takeBack')}
                  title={t('review.takeBack')}
                  onClick={() => takeBack(d.item)}
                >
                  <IconArrowBackUp size={14} aria-hidden />
                </ActionIcon>
              )}
            </Group>
          </List.Item>
        ))}
      </List>
    </Box>
  );
}
