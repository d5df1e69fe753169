import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loaded } from '../loaded';
import type { Column } from './columns';
import type { Engine } from './engine';
import { documentOf, type Evidence, isDocument } from './evidence';
import { firstRows, headsFor, tableOf, withHead } from './headings';
import { cellsOfLine, saysNoUnit } from './headunits';
import { ImportModal } from './ImportModal';
import { MappingModal, type Pasted } from './MappingModal';
import { proposeMapping, rememberMapping } from './mapping';
import { isOriginTable } from './origins';
import { fromHeading, type Mapping, matchHeading, parseTable } from './table';
import { asCells, isWorkbook, plain, Upload } from './upload';

/** How much of a file is looked at to find its headings, in characters. */
const headMax = 100_000;

const originType = 'attendee-travel';

/** Reports whether a file lists origins of attendees: then it becomes one record. */
async function listsOrigins(type: string, file: File): Promise<boolean> {
  return type === originType && firstRows((await file.text()).slice(0, headMax)).some((r) => isOriginTable(r.cells));
}

const writeCSV = (table: string[][]): string =>
  table.map((line) => line.map((c) => `"${c.replaceAll('"', '""')}"`).join(',')).join('\n');

export interface Tables {
  /** Takes files: the rows of a table go through the API's import, documents become evidence of a row. */
  take: (files: File[], row?: number) => void;
  /** Takes a pasted table with headings in; reports whether it was one. */
  paste: (table: string[][]) => boolean;
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
  const [pasted, setPasted] = useState<(Pasted & { file?: (mapping: Mapping) => Upload }) | null>(null);
  const [upload, setUpload] = useState<Upload | null>(null);
  const everything = type === 'all';

  const fill = (table: string[][], mapping: Mapping): void => {
    const [head = [], ...lines] = table;
    const edits = lines.map((line) => ({ type, cells: cellsOfLine(head, line, mapping, columns) }));
    const keys = store.edit(edits.filter((e) => Object.keys(e.cells).length > 0));
    stay();
    notifications.show({ message: t('sheet.added', { count: keys.length }) });
  };
  /**
   * Imports a table of a file. Which column is which is asked where one would be left out, of which the server knows more
   * than the headings of fields: it also reads columns that several fields are worked out of.
   */
  const importTable = async (
    name: string,
    table: string[][],
    whole: boolean,
    body: (m: Mapping) => Blob,
  ): Promise<void> => {
    const file = (m: Mapping): Upload => new Upload(engine.event, type, name, body(m));
    const { mapping, sure } = proposeMapping(engine.scope, type, table, columns);
    const upload = file(mapping);
    const tried = sure ? undefined : await upload.rehearse(plain).catch(() => undefined);
    const left = tried && new Set(tried.ignoredColumns);
    const read = (table[0] ?? []).map((h, n) => left !== undefined && !mapping[n] && h !== '' && !left.has(h));
    const all = mapping.every((field, n) => field !== '' || read[n]) && !saysNoUnit(table, mapping, columns);
    if (sure || all) setUpload(upload);
    else setPasted({ table, mapping, read, file, ...(whole ? {} : { count: tried?.rows }) });
  };
  const importWorkbook = async (file: File): Promise<void> => {
    const asItIs = (): void => setUpload(new Upload(engine.event, type, file.name, file));
    // What cannot be read here the server may read, or say what is wrong with it.
    const book = await loaded(() => import('./workbook'))
      .then(({ Workbook }) => Workbook.read(file))
      .catch(() => undefined);
    if (!book?.rows.length || (type === originType && book.rows.some(isOriginTable))) return asItIs();
    const { above } = tableOf(writeCSV(book.rows), columns);
    const [head = [], ...rest] = book.rows.slice(above);
    await importTable(file.name, [head, ...rest], false, (m) => book.withHead(above, headsFor(head, m, columns)));
  };

  const take = async (files: File[], row?: number): Promise<void> => {
    const [file] = files;
    if (!file || store.readOnly) return;
    if (isDocument(file.name)) attach(await Promise.all(files.filter((f) => isDocument(f.name)).map(documentOf)), row);
    else if (everything) notifications.show({ color: 'orange', message: t('sheet.chooseType') });
    else if (isWorkbook(file.name)) await importWorkbook(file);
    else if (await listsOrigins(type, file)) setUpload(new Upload(engine.event, type, file.name, file));
    else if (/\.(xls|ods|numbers)$/i.test(file.name))
      notifications.show({ color: 'orange', message: t('sheet.workbook'), autoClose: 12_000 });
    else {
      const text = await file.text();
      // Another encoding than UTF-8: the bytes are sent unchanged, and the dialog asks for the encoding.
      if (/[\ufffd\0]/.test(text)) {
        setUpload(new Upload(engine.event, type, file.name, file));
        return;
      }
      const below = tableOf(text, columns);
      const table = parseTable(below.text.slice(0, headMax), below.separator);
      if (table.length === 0) return;
      await importTable(file.name, table, true, (m) => new Blob([withHead(below, m, columns)]));
    }
  };
  const paste = (table: string[][]): boolean => {
    if (type === originType && isOriginTable(table[0] ?? [])) {
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
          pasted={pasted}
          columns={columns}
          close={() => setPasted(null)}
          done={(mapping) => {
            rememberMapping(engine.scope, type, pasted.table[0] ?? [], mapping);
            if (pasted.file) setUpload(pasted.file(mapping));
            else fill(pasted.table, mapping);
            focus(); // before the dialog goes, so that no key typed in between is lost
            setPasted(null);
          }}
        />
      )}
      {upload && (
        <ImportModal
          upload={upload}
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
  return { take: (files, row) => void take(files, row), paste, dialogs };
}
