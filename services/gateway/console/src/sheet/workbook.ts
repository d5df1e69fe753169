/** The first rows of a workbook, and the workbook with other headings. */
import { Archive } from './zip';

/** How many rows with something in them are looked at to find the headings. */
const looked = 12;

interface Tag {
  name: string;
  prefix: string;
  attributes: Map<string, string>;
  kind: 'open' | 'close' | 'empty';
  at: number;
  end: number;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal, hex, name) =>
    name ? (entities[name] ?? all) : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );
const escaped = (text: string): string => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;' })[c] ?? '&gt;');

/** Goes through the tags of a document, from a place in it on. */
function* tags(xml: string, from = 0): Generator<Tag> {
  const tag = /<(\/?)([\w.-]+:)?([\w.-]+)((?:[^"'<>]|"[^"]*"|'[^']*')*?)(\/?)>/g;
  tag.lastIndex = from;
  for (let m = tag.exec(xml); m; m = tag.exec(xml)) {
    const [all, closes, prefix = '', name = '', rest = '', empty] = m;
    const attributes = new Map<string, string>();
    for (const a of rest.matchAll(/([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
      attributes.set(a[1] ?? '', unescaped(a[2] ?? a[3] ?? ''));
    const kind = closes ? 'close' : empty ? 'empty' : 'open';
    yield { name, prefix, attributes, kind, at: m.index, end: m.index + all.length };
  }
}

const attribute = (t: Tag, name: string): string | undefined =>
  [...t.attributes].find(([key]) => key === name || key.endsWith(`:${name}`))?.[1];

/** Returns the relations of a part: where each leads to, by its id and by its kind. */
function relations(archive: Archive, part: string): { id: string; kind: string; part: string }[] {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const xml = archive.text(`${folder}_rels/${part.slice(folder.length)}.rels`);
  return [...tags(xml)]
    .filter((t) => t.name === 'Relationship')
    .map((t) => {
      const target = t.attributes.get('Target') ?? '';
      const path = target.startsWith('/') ? target : `/${folder}${target}`;
      return {
        id: t.attributes.get('Id') ?? '',
        kind: (t.attributes.get('Type') ?? '').replace(/^.*\//, ''),
        part: new URL(path, 'zip:///').pathname.slice(1),
      };
    });
}

/** Returns the number of a column, from 0, by its letters. */
const columnOf = (reference: string): number =>
  [...reference.replace(/[^A-Z]/g, '')].reduce((n, c) => n * 26 + c.charCodeAt(0) - 64, 0) - 1;

const lettersOf = (column: number): string =>
  (column >= 26 ? lettersOf(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));

/** Returns the texts that cells share, up to the last one that is asked for. */
function sharedTexts(xml: string, last: number): string[] {
  const texts: string[] = [];
  let text = '';
  let spoken = 0;
  let from = -1;
  for (const t of tags(xml)) {
    if (t.name === 'si' && t.kind === 'empty') texts.push('');
    else if (t.name === 'si' && t.kind === 'open') text = '';
    else if (t.name === 'si') texts.push(text);
    else if (t.name === 'rPh') spoken += t.kind === 'open' ? 1 : -1;
    else if (t.name === 't' && t.kind === 'open') from = t.end;
    else if (t.name === 't' && t.kind === 'close' && spoken === 0) text += unescaped(xml.slice(from, t.at));
    if (texts.length > last) break;
  }
  return texts;
}

/** Returns which styles of cells are those of days. */
function dayStyles(xml: string): Set<number> {
  const formats = new Map<number, string>();
  const days = new Set<number>();
  let style = -1;
  for (const t of tags(xml)) {
    if (t.name === 'numFmt')
      formats.set(
        Number(t.attributes.get('numFmtId')),
        (t.attributes.get('formatCode') ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''),
      );
    if (t.name === 'cellXfs') style = t.kind === 'close' ? -1 : 0;
    if (t.name !== 'xf' || t.kind === 'close' || style < 0) continue;
    const format = Number(t.attributes.get('numFmtId') ?? 0);
    if ((format >= 14 && format <= 17) || format === 22 || /[yd]/i.test(formats.get(format) ?? '')) days.add(style);
    style++;
  }
  return days;
}

interface Cell {
  column: number;
  kind: string;
  style: number;
  value: string;
  at: number;
  end: number;
  tag: Tag;
}

interface Row {
  number: number;
  cells: Cell[];
}

/** Returns the first rows of a sheet that have something in them. */
function rowsOf(xml: string): Row[] {
  const rows: Row[] = [];
  let row: Row = { number: 0, cells: [] };
  let cell: Cell | undefined;
  let from = -1;
  for (const t of tags(xml)) {
    if (t.name === 'row' && t.kind !== 'close')
      row = { number: Number(attribute(t, 'r') ?? row.number + 1), cells: [] };
    else if (t.name === 'row' && row.cells.some((c) => c.value !== '') && rows.push(row) === looked) break;
    else if (t.name === 'c' && t.kind !== 'close') {
      const place = attribute(t, 'r');
      const column = place ? columnOf(place) : (row.cells.at(-1)?.column ?? -1) + 1;
      const style = Number(attribute(t, 's') ?? 0);
      cell = { column, kind: attribute(t, 't') ?? 'n', style, value: '', at: t.at, end: t.end, tag: t };
      row.cells.push(cell);
    } else if (t.name === 'c' && t.kind === 'close' && cell) {
      cell.end = t.end;
      cell = undefined;
    } else if ((t.name === 'v' || t.name === 't') && t.kind === 'open') from = t.end;
    else if ((t.name === 'v' || t.name === 't') && t.kind === 'close' && cell)
      cell.value += unescaped(xml.slice(from, t.at));
  }
  return rows;
}

const dayLength = 86_400_000;

export class Workbook {
  private constructor(
    private readonly file: Blob,
    private readonly archive: Archive,
    private readonly part: string,
    private readonly found: Row[],
    /** The first rows that have something in them, each as long as the longest. */
    readonly rows: string[][],
  ) {}

  /** Reads the first rows of the first sheet, which is the one that is imported; fails where the file is none it can read. */
  static async read(file: Blob): Promise<Workbook> {
    const archive = Archive.open(await file.arrayBuffer());
    const book = relations(archive, '').find((r) => r.kind === 'officeDocument')?.part ?? '';
    const related = relations(archive, book);
    const index = [...tags(archive.text(book))];
    const sheet = index.find((t) => t.name === 'sheet');
    const part = related.find((r) => r.id === (sheet && attribute(sheet, 'id')))?.part ?? '';
    const from1904 = /^(1|true)$/.test(index.find((t) => t.name === 'workbookPr')?.attributes.get('date1904') ?? '');
    const found = rowsOf(archive.text(part));
    const of = (kind: string): string => related.find((r) => r.kind === kind)?.part ?? '';
    const cells = found.flatMap((r) => r.cells);
    const last = Math.max(-1, ...cells.filter((c) => c.kind === 's' && c.value !== '').map((c) => Number(c.value)));
    const texts = last < 0 ? [] : sharedTexts(archive.text(of('sharedStrings')), last);
    const days = dayStyles(archive.text(of('styles')));
    const textOf = (c: Cell | undefined): string => {
      if (!c || c.value === '') return '';
      if (c.kind === 's') return (texts[Number(c.value)] ?? '').trim();
      if (c.kind === 'b') return c.value === '1' ? 'true' : 'false';
      const day = Number(c.value);
      if (c.kind !== 'n' || !days.has(c.style) || !(day > 0 && day < 2_958_466)) return c.value.trim();
      const first = Date.UTC(from1904 ? 1904 : 1899, from1904 ? 0 : 11, from1904 ? 1 : 30);
      return new Date(first + Math.floor(day) * dayLength).toISOString().slice(0, 10);
    };
    const width = Math.max(0, ...cells.filter((c) => c.value !== '').map((c) => c.column + 1));
    const rows = found.map((r) => Array.from({ length: width }, (_, n) => textOf(r.cells.find((c) => c.column === n))));
    return new Workbook(file, archive, part, found, rows);
  }

  /** Returns the file with other headings in one of the rows; all else stays as it is. */
  withHead(at: number, names: string[]): Blob {
    const row = this.found[at];
    const some = row?.cells[0]?.tag;
    if (!row || !some || names.every((name, n) => name === this.rows[at]?.[n])) return this.file;
    const xml = this.archive.text(this.part);
    const { prefix } = some;
    let text = '';
    let done = 0;
    for (const [n, name] of names.entries()) {
      if (name === this.rows[at]?.[n]) continue;
      const cell = row.cells.find((c) => c.column === n);
      const next = row.cells.find((c) => c.column > n)?.at ?? row.cells.at(-1)?.end ?? 0;
      const style = cell && cell.style > 0 ? ` s="${cell.style}"` : '';
      text += xml.slice(done, cell?.at ?? next);
      text += `<${prefix}c r="${lettersOf(n)}${row.number}"${style} t="inlineStr"><${prefix}is><${prefix}t xml:space="preserve">`;
      text += `${escaped(name)}</${prefix}t></${prefix}is></${prefix}c>`;
      done = cell?.end ?? next;
    }
    return this.archive.with(this.part, text + xml.slice(done));
  }
}
