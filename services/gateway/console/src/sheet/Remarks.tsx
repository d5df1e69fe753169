import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { say } from '../i18n/server';
import type { TypeInfo } from './columns';
import type { Row } from './store';

/** What is to be known of a row before it is worked on: why it is not saved, and what was asked for when it was sent back. */
export function Remarks({ row }: { row: Row }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      {row.failed && (
        <Alert color="red" role="alert">
          {row.failed}
        </Alert>
      )}
      {row.comment && row.status === 'changes_requested' && (
        <Alert color="orange" title={t('inspect.asked')}>
          {row.comment}
        </Alert>
      )}
    </>
  );
}

/** The faults of a row that are those of no cell. */
export function OtherFaults({ row, info }: { row: Row; info: TypeInfo | undefined }): ReactNode {
  const others = Object.entries(row.check.faults).filter(([name]) => !info?.columns.some((c) => c.field === name));
  return others.map(([name, fault]) => (
    <Alert key={name} color="red" variant="light" p="xs" role="alert">
      {say('fault', fault)}
    </Alert>
  ));
}
