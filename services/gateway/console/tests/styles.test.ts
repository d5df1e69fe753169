import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const library = join(root, 'node_modules/@mantine/core');

/** Returns what the files of a folder import from the library. */
function used(folder: string): string[] {
  const names: string[] = [];
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(tsx?|mjs)$/.test(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    for (const m of text.matchAll(/import (?:type )?\{([^}]*)\} from ['"]@mantine\/core['"]/g))
      for (const name of (m[1] ?? '').split(',')) names.push(name.replace('type ', '').trim());
  }
  return names;
}

/** Returns the files that a file of the library imports, itself included. */
function reached(file: string, seen: Set<string>): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen;
  seen.add(file);
  for (const m of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+\.mjs)"/g))
    reached(resolve(dirname(file), m[1] ?? ''), seen);
  return seen;
}

test('the page has the styles of the components that it draws, in the order of the library, and no others', () => {
  const index = readFileSync(join(library, 'esm/index.mjs'), 'utf8');
  const files = new Set<string>();
  for (const name of [...used(join(root, 'src')), ...used(join(root, 'node_modules/@mantine/notifications/esm'))]) {
    const from = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "(\\.[^"]+)"`).exec(index)?.[1];
    if (from) reached(join(library, 'esm', from), files);
  }
  const needed = new Set(
    [...files].map((f) => /([A-Za-z]+)\.module\.mjs$/.exec(f)?.[1]).filter((name) => name !== undefined),
  );
  const all = readFileSync(join(library, 'styles.css'), 'utf8');
  const sheet = (name: string): string => readFileSync(join(library, 'styles', `${name}.css`), 'utf8');
  const order = (name: string): number => all.indexOf(/\.m_[0-9a-f]+/.exec(sheet(name))?.[0] ?? name);
  const expected = [...needed].sort((a, b) => order(a) - order(b) || a.localeCompare(b));
  const imported = [
    ...readFileSync(join(root, 'src/ui/library.ts'), 'utf8').matchAll(/'@mantine\/core\/styles\/([\w-]+)\.css'/g),
  ].map((m) => m[1] ?? '');
  const base = ['baseline', 'default-css-variables', 'global'];
  expect(imported).toEqual([...base, ...expected]);
});
