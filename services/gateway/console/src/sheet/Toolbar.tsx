import { ActionIcon, Button, FileButton, Group, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowDown,
  IconArrowForwardUp,
  IconFileImport,
  IconHistory,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loaded } from '../loaded';
import { Downloads } from './Downloads';
import type { Row, Store } from './store';

const Imports = lazy(() => loaded(() => import('./Imports')).then((m) => ({ default: m.Imports })));

interface Props {
  event: string;
  /** The record type of the sheet; 'all' for the overview. */
  type: string;
  store: Store;
  /** More than one row is selected. */
  wide: boolean;
  undo: () => void;
  fillDown: () => void;
  /** Absent where nothing that is selected can be deleted. */
  remove: (() => void) | undefined;
  take: (files: File[]) => void;
  /** Reads the records again, of which an import may have been undone. */
  refresh: () => void;
  /** The rows that can be submitted: those that are selected, and all of the sheet. */
  selected: Row[];
  all: Row[];
  submit: (rows: Row[]) => void;
}

export function Toolbar({
  event,
  type,
  store,
  wide,
  undo,
  fillDown,
  remove,
  take,
  refresh,
  selected,
  all,
  submit,
}: Props): ReactNode {
  const { t } = useTranslation();
  const [imports, setImports] = useState(false);
  const again = useRef<() => void>(null);
  // Enter leaves a finished row for an empty one: what is finished can be submitted from there too.
  const next = selected.length > 0 ? selected : all;
  return (
    <Group className="toolbar" gap={6} role="toolbar" aria-label={t('sheet.tools')}>
      <Tool
        label={t('sheet.undo')}
        keys="Ctrl+Z"
        disabled={!store.canUndo}
        onClick={undo}
        icon={<IconArrowBackUp size={17} aria-hidden />}
      />
      <Tool
        label={t('sheet.redo')}
        keys="Ctrl+Y"
        disabled={!store.canRedo}
        onClick={() => store.redo()}
        icon={<IconArrowForwardUp size={17} aria-hidden />}
      />
      <Tool
        label={t('sheet.fillDown')}
        keys="Ctrl+D"
        disabled={!wide || store.readOnly}
        onClick={fillDown}
        icon={<IconArrowDown size={17} aria-hidden />}
      />
      <Tool
        label={t('sheet.delete')}
        keys=""
        disabled={!remove}
        onClick={() => remove?.()}
        icon={<IconTrash size={17} aria-hidden />}
      />
      <FileButton
        onChange={(file) => {
          // A browser does not tell of the same file chosen twice: it forgets the first.
          again.current?.();
          if (file) take([file]);
        }}
        resetRef={again}
        accept=".csv,.tsv,.txt,.xlsx,.xlsm,.docx,.eml,.msg,text/csv,text/plain,application/pdf,image/*"
        inputProps={{ 'aria-label': t('sheet.file') }}
      >
        {(props) => (
          <Button
            {...props}
            disabled={store.readOnly}
            size="compact-sm"
            variant="default"
            leftSection={<IconFileImport size={15} aria-hidden />}
          >
            {t('sheet.file')}
          </Button>
        )}
      </FileButton>
      <Tool
        label={t('imports.title')}
        keys=""
        disabled={store.readOnly}
        onClick={() => setImports(true)}
        icon={<IconHistory size={17} aria-hidden />}
      />
      {imports && (
        <Suspense>
          <Imports event={event} close={() => setImports(false)} undone={refresh} />
        </Suspense>
      )}
      <Downloads event={event} type={type} />
      <Button
        size="compact-sm"
        leftSection={<IconSend size={15} aria-hidden />}
        disabled={next.length === 0}
        onClick={() => submit(next)}
      >
        {t(next.length > 1 && selected.length === 0 ? 'sheet.submitAll' : 'sheet.submit', { count: next.length })}
      </Button>
      {selected.length > 0 && all.length > selected.length && (
        <Button size="compact-sm" variant="default" onClick={() => submit(all)}>
          {t('sheet.submitAll', { count: all.length })}
        </Button>
      )}
    </Group>
  );
}

function Tool({
  label,
  keys,
  icon,
  disabled,
  onClick,
}: {
  label: string;
  keys: string;
  icon: ReactNode;
  disabled: boolean;
  onClick: () => void;
}): ReactNode {
  return (
    <Tooltip label={keys ? `${label} (${keys})` : label}>
      <ActionIcon variant="default" size={28} aria-label={label} disabled={disabled} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
