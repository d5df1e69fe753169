import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Workbook } from '../src/sheet/workbook';

const fixture = async (name: string): Promise<Blob> =>
  new Blob([await readFile(new URL(`../e2e/testdata/${name}`, import.meta.url))]);

test('the first rows of a workbook are read, with its days as days', async () => {
  const { rows } = await Workbook.read(await fixture('stays.xlsx'));
  expect(rows).toEqual([
    ['Room list, spring & summer', '', '', '', ''],
    ['Guest house', 'Anreise', 'Rooms booked', 'Nights', 'Remark'],
    ['Zur Post', '2026-09-01', '2', '3', 'late'],
    ['Zur Post', '2026-09-02', '1', '2', ''],
  ]);
});

test('a workbook with other headings is the same but for them', async () => {
  const book = await Workbook.read(await fixture('stays.xlsx'));
  const [title, , ...below] = book.rows;
  const heads = ['Guest house', 'date', 'rooms', 'Nights', 'a < b & "c"'];
  const renamed = await Workbook.read(book.withHead(1, heads));
  expect(renamed.rows).toEqual([title, heads, ...below]);
  const added = await Workbook.read(book.withHead(0, ['Room list, spring & summer', 'x', '', '', 'y']));
  expect(added.rows[0]).toEqual(['Room list, spring & summer', 'x', '', '', 'y']);
  expect(added.rows.slice(1)).toEqual(book.rows.slice(1));
});

test('where no heading is another the file is sent as it is', async () => {
  const file = await fixture('flights.xlsx');
  const book = await Workbook.read(file);
  expect(book.withHead(0, book.rows[0] ?? [])).toBe(file);
  await expect(Workbook.read(new Blob(['no workbook, whatever its name says, and a little longer']))).rejects.toThrow();
});
