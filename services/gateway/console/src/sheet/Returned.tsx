import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Store } from './store';

interface Props {
  store: Store;
  /** The record that is shown, if one is. */
  record: string | undefined;
  show: (type: string, record: string) => void;
}

/** Says that rows were sent back, and leads from one to the next: they may be of any kind, among many others. */
export function Returned({ store, record, show }: Props): ReactNode {
  const { t } = useTranslation();
  const rows = store.rows.filter((r) => r.status === 'changes_requested' && r.id !== undefined);
  const next = rows[(rows.findIndex((r) => r.id === record) + 1) % rows.length];
  if (!next || store.readOnly) return null;
  return (
    <Alert className="eventnote" color="orange" py={4} role="status">
      <Group gap="sm">
        <Text size="sm">{t('sheet.returned', { count: rows.length })}</Text>
        <Button size="compact-sm" variant="default" onClick={() => show(next.type, next.id ?? '')}>
          {t('sheet.showReturned', { count: rows.length })}
        </Button>
      </Group>
    </Alert>
  );
}
