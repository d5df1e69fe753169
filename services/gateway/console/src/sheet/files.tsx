import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from './columns';
import type { Engine } from './engine';
import { documentOf, type Evidence, isDocument } from './evidence';
import { cellsOfLine, saysNoUnit } from './headunits';
import { ImportModal } from './ImportModal';
import { MappingModal } from './MappingModal';
import { proposeMapping, rememberMapping } from './mapping';
import { asHere } from './notation';
import { isOriginTable } from './origins';
import { fromHeading, type Mapping, matchHeading } from './table';
import { asCells, Upload } from './upload';

interface Pasted {
  table: string[][];
  mapping: Mapping;
}

const writeCSV = (table: string[][]): string =>
  table.map((line) => line.map((c) => `"${c.replaceAll('"', '""')}"`).join(',')).join('\n');

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
  const [pasted, setPasted] = useState<Pasted | null>(null);
  const [upload, setUpload] = useState<Upload | null>(null);
  const everything = type === 'all';

  const fill = (table: string[][], mapping: Mapping): void => {
    const [head = [], ...lines] = asHere(table, mapping, columns);
    const edits = lines.map((line) => ({ type, cells: cellsOfLine(head, line, mapping, columns) }));
    const keys = store.edit(edits.filter((e) => Object.keys(e.cells).length > 0));
    stay();
    notifications.show({ message: t('sheet.added', { count: keys.length }) });
  };

  const take = async (files: File[], row?: number): Promise<void> => {
    const [file] = files;
    if (!file || store.readOnly) return;
    if (isDocument(file.name)) attach(await Promise.all(files.filter((f) => isDocument(f.name)).map(documentOf)), row);
    else if (everything) notifications.show({ color: 'orange', message: t('sheet.chooseType') });
    else if (/\.(xls|ods|numbers)$/i.test(file.name))
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
    const { mapping, sure } = proposeMapping(engine.scope, type, headed, columns);
    if (sure) fill(headed, mapping);
    else setPasted({ table: headed, mapping });
    return true;
  };
  const dialogs = (
    <>
      {pasted && (
        <MappingModal
          table={(pasted.table[0] ?? []).map((heading, n) => ({ heading, example: pasted.table[1]?.[n] ?? '' }))}
          mapping={pasted.mapping}
          count={pasted.table.length - 1}
          columns={columns}
          close={() => setPasted(null)}
          done={(mapping) => {
            rememberMapping(engine.scope, type, pasted.table[0] ?? [], mapping);
            fill(pasted.table, mapping);
            focus(); // before the dialog goes, so that no key typed in between is lost
            setPasted(null);
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
          mend={(left, options) => {
            const table = asCells(left, options, columns);
            const mapping = (table[0] ?? []).map((h) => matchHeading(h, columns) ?? '');
            if (saysNoUnit(table, mapping, columns)) setPasted({ table, mapping });
            else fill(table, mapping);
          }}
        />
      )}
    </>
  );
  return { take: (files, row) => void take(files, row), paste, open: pasted !== null || upload !== null, dialogs };
}
