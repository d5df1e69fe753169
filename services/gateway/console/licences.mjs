// Lists the packages that are shipped, with their licences, for the page about
// the product. It follows the dependencies from package.json, not those that
// only build or test.
import { readFileSync, writeFileSync } from 'node:fs';

const seen = new Map();
function visit(name, from) {
  if (seen.has(name)) return;
  let p;
  for (const at of [`node_modules/${from}/node_modules/${name}`, `node_modules/${name}`]) {
    try {
      p = JSON.parse(readFileSync(`${at}/package.json`, 'utf8'));
      break;
    } catch {}
  }
  if (!p) return;
  seen.set(name, { name, version: p.version, licence: typeof p.license === 'string' ? p.license : 'see package' });
  for (const d of Object.keys(p.dependencies ?? {})) visit(d, name);
}
const own = JSON.parse(readFileSync('package.json', 'utf8'));
for (const d of Object.keys(own.dependencies)) visit(d, '');
const list = [...seen.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
writeFileSync('src/licences.json', `${JSON.stringify(list, null, 2)}\n`);
