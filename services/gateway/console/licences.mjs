// Lists the packages that are shipped, with their licences, for the page about
// the product, and writes the texts of these licences, which have to accompany the
// code. It follows the dependencies from package.json, not those that only build or test.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const seen = new Map();
const notices = new Map();
function visit(name, from) {
  if (seen.has(name)) return;
  let p;
  let dir;
  for (const at of [`node_modules/${from}/node_modules/${name}`, `node_modules/${name}`]) {
    try {
      p = JSON.parse(readFileSync(`${at}/package.json`, 'utf8'));
      dir = at;
      break;
    } catch {}
  }
  if (!p) return;
  seen.set(name, { name, version: p.version, licence: typeof p.license === 'string' ? p.license : 'see package' });
  const texts = readdirSync(dir).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const author = p.author?.name ?? p.author;
  notices.set(
    name,
    texts.length > 0
      ? texts.map((file) => readFileSync(`${dir}/${file}`, 'utf8').replaceAll('\r', '').trim()).join('\n\n')
      : `Published without the text of the licence. Author: ${author}`,
  );
  for (const d of Object.keys(p.dependencies ?? {})) visit(d, name);
}
const own = JSON.parse(readFileSync('package.json', 'utf8'));
for (const d of Object.keys(own.dependencies)) visit(d, '');
const list = [...seen.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
writeFileSync('src/licences.json', `${JSON.stringify(list, null, 2)}\n`);

writeFileSync(
  'src/notices.txt',
  list
    .map(({ name, version, licence }) => `${name} ${version} (${licence})\n\n${notices.get(name)}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`),
);
