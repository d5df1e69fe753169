import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { say } from '../i18n/server';
import type { Column } from './columns';
import type { Engine } from './engine';
import { documentOf, type Evidence, isDocument } from './evidence';
import { ImportModal } from './ImportModal';
import { isOriginTable } from './origins';
import { PasteModal } from './PasteModal';
import type { Line } from './reading';
import { fromHeading } from './table';
import { type Import, type Options, Upload, writeCSV } from './upload';

/** A table with headings that is read, and how it is written, where that is known. */
interface Pasted {
  key: string;
  type: string;
  columns: Column[];
  table: string[][];
  form: Partial<Options>;
}

/** What is still to be read into a sheet: another kind of records may be shown meanwhile, and no table is lost by it. */
const waiting = new WeakMap<Engine, Pasted[]>();

export interface Tables {
  /** Takes files: the rows of a table go through the API's import, documents become evidence of a row. */
  take: (files: File[], row?: number) => void;
  /** Takes a pasted table with headings in; reports whether it was one. */
  paste: (table: string[][]) => boolean;
  /** A dialog is open. */
  open: boolean;
  dialogs: ReactNode;
}

/** Handles tables with headings: pasted ones are filled in, files are imported. */
export function useTables(
  engine: Engine,
  type: string,
  columns: Column[],
  focus: () => void,
  stay: () => void,
  attach: (documents: Evidence[], row?: number) => void,
): Tables {
  const { t } = useTranslation();
  const { store } = engine;
  /** The first one is read now; the others were pasted meanwhile. */
  const [pasted, setPasted] = useState(() => waiting.get(engine) ?? []);
  const change = (f: (p: Pasted[]) => Pasted[]): void => {
    waiting.set(engine, f(waiting.get(engine) ?? []));
    setPasted(waiting.get(engine) ?? []);
  };
  const [upload, setUpload] = useState<Upload | null>(null);
  const everything = type === 'all';

  const read = (table: string[][], form: Partial<Options> = {}): void =>
    change((p) => [...p, { key: crypto.randomUUID(), type, columns, table, form }]);
  const fill = (lines: Line[], left: Import['errors']): void => {
    const keys = store.edit(lines.filter((e) => Object.keys(e.cells).length > 0));
    stay();
    if (keys.length > 0 || left.length === 0) notifications.show({ message: t('sheet.added', { count: keys.length }) });
    if (left.length === 0) return;
    const reasons = [...new Set(left.map((fault) => say('fault', fault)))].slice(0, 3).join(' ');
    const message = `${t('paste.left', { count: left.length })} ${reasons}`;
    notifications.show({ color: 'orange', message, autoClose: 20_000 });
  };

  const take = async (files: File[], row?: number): Promise<void> => {
    const [file] = files;
    if (!file || store.readOnly) return;
    if (isDocument(file.name)) attach(await Promise.all(files.filter((f) => isDocument(f.name)).map(documentOf)), row);
    else if (everything) notifications.show({ color: 'orange', message: t('sheet.chooseType') });
    else if (/\.(xlsb?|ods|numbers)$/i.test(file.name))
      notifications.show({ color: 'orange', message: t('sheet.workbook'), autoClose: 12_000 });
    else setUpload(new Upload(engine.event, type, file.name, file));
  };
  const paste = (table: string[][]): boolean => {
    if (type === 'attendee-travel' && isOriginTable(table[0] ?? [])) {
      setUpload(new Upload(engine.event, type, t('import.pasted'), new Blob([writeCSV(table)])));
      return true;
    }
    const headed = everything ? undefined : fromHeading(table, columns);
    if (!headed) return false;
    read(headed);
    return true;
  };
  const [now] = pasted;
  const next = (): void => change(([, ...others]) => others);
  const dialogs = (
    <>
      {now && (
        <PasteModal
          key={now.key}
          event={engine.event}
          scope={engine.scope}
          type={now.type}
          table={now.table}
          form={now.form}
          columns={now.columns}
          close={() => {
            focus();
            next();
          }}
          fill={(lines, left) => {
            fill(lines, left);
            focus(); // before the dialog goes, so that no key typed in between is lost
            next();
          }}
        />
      )}
      {upload && (
        <ImportModal
          upload={upload}
          scope={engine.scope}
          columns={columns}
          close={() => {
            focus();
            setUpload(null);
          }}
          imported={() => void engine.refreshed()}
          mend={(left, { numberFormat, dateOrder }) => read(left, { numberFormat, dateOrder })}
        />
      )}
    </>
  );
  return { take: (files, row) => void take(files, row), paste, open: pasted.length > 0 || upload !== null, dialogs };
}
