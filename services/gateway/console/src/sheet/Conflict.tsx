import { Alert, Button, Group, List, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { shown, type TypeInfo } from './columns';
import type { Engine } from './engine';
import type { Row } from './store';

/** A row that somebody else has changed: in what it differs, and the choice between both versions. */
export function Conflict({ engine, row, info }: { engine: Engine; row: Row; info: TypeInfo | undefined }): ReactNode {
  const { t } = useTranslation();
  const { theirs } = row;
  if (!theirs) return null;
  return (
    <Alert color="orange" title={t('conflict.title')} role="alert">
      <Stack gap="xs">
        <List size="sm" className="wrap">
          {info?.columns
            .filter((c) => (theirs.cells[c.field] ?? '') !== (row.cells[c.field] ?? ''))
            .map((c) => (
              <List.Item key={c.field}>
                {c.label}: {t('conflict.yours')} <b>{shown(c, row.cells[c.field] ?? '') || '–'}</b>,{' '}
                {t('conflict.theirs')} <b>{shown(c, theirs.cells[c.field] ?? '') || '–'}</b>
              </List.Item>
            ))}
        </List>
        <Group gap="xs">
          <Button size="xs" onClick={() => void engine.resolve(row, true)}>
            {t('conflict.keepMine')}
          </Button>
          <Button size="xs" variant="default" onClick={() => void engine.resolve(row, false)}>
            {t('conflict.keepTheirs')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
