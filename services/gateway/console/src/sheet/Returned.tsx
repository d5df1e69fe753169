import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Row, Store } from './store';

interface Props {
  store: Store;
  /** The record that is shown, if one is. */
  record: string | undefined;
  show: (type: string, record: string) => void;
}

/** Says that rows wait for whoever typed them, and leads from one to the next: they may be of any kind, among many others. */
export function Returned({ store, record, show }: Props): ReactNode {
  if (store.readOnly) return null;
  const known = store.rows.filter((r) => r.id !== undefined);
  return (
    <>
      <Lead of="stuck" color="red" rows={known.filter((r) => r.theirs || r.failed)} record={record} show={show} />
      <Lead
        of="returned"
        color="orange"
        rows={known.filter((r) => r.status === 'changes_requested')}
        record={record}
        show={show}
      />
    </>
  );
}

interface LeadProps extends Omit<Props, 'store'> {
  of: 'stuck' | 'returned';
  color: string;
  rows: Row[];
}

function Lead({ of, color, rows, record, show }: LeadProps): ReactNode {
  const { t } = useTranslation();
  const next = rows[(rows.findIndex((r) => r.id === record) + 1) % rows.length];
  if (!next) return null;
  return (
    <Alert className="eventnote" color={color} py={4} role="status">
      <Group gap="sm">
        <Text size="sm">{t(of === 'stuck' ? 'sheet.notSaved' : 'sheet.returned', { count: rows.length })}</Text>
        <Button size="compact-sm" variant="default" onClick={() => show(next.type, next.id ?? '')}>
          {t('sheet.showReturned', { count: rows.length })}
        </Button>
      </Group>
    </Alert>
  );
}
