import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The first load: everything until signing in is usable, in bytes of brotli. */
const firstLoadBudget = 200_000;
/** The same with the pages of who is signed in, up to the list of events. */
const signedInBudget = 240_000;

/** Keeps every asset compressed only, and holds what is loaded first to its budgets. */
function precompress(): Plugin {
  let dir = '';
  const signedIn: string[] = [];
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      dir = join(config.root, config.build.outDir);
    },
    // The pages of who is signed in begin to load with the page, behind what signing in needs.
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const need = (name: string): void => {
          const chunk = bundle[name];
          if (chunk?.type !== 'chunk' || html.includes(name) || signedIn.includes(name)) return;
          signedIn.push(name);
          chunk.imports.forEach(need);
        };
        for (const chunk of Object.values(bundle)) if (chunk.name === 'signedIn') need(chunk.fileName);
        if (signedIn.length === 0) throw new Error('the pages of who is signed in are not in a file of their own');
        return signedIn.map((name) => ({
          tag: 'link',
          injectTo: 'head',
          attrs: {
            rel: 'modulepreload',
            crossorigin: true,
            href: `/${name}`,
            nonce: '__NONCE__',
          },
        }));
      },
    },
    closeBundle() {
      const assets = join(dir, 'assets');
      const sizes = new Map<string, number>();
      for (const name of readdirSync(assets)) {
        if (name.endsWith('.br') || name.endsWith('.gz')) continue;
        const text = readFileSync(join(assets, name));
        const br = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
        writeFileSync(join(assets, `${name}.br`), br);
        writeFileSync(join(assets, `${name}.gz`), gzipSync(text, { level: 9 }));
        rmSync(join(assets, name));
        sizes.set(name, br.length);
      }
      const page = readFileSync(join(dir, 'index.html'), 'utf8');
      const all = [...page.matchAll(/\/assets\/([^"]+)"/g)].map((m) => m[1] ?? '');
      const measure = (what: string, names: string[], budget: number): void => {
        const files = new Set(names);
        const total = [...files].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
        console.log(`${what}: ${total} bytes of brotli in ${files.size} files (budget ${budget})`);
        if (total > budget) throw new Error(`${what} is over its budget`);
      };
      measure(
        'the first load',
        all.filter((name) => !signedIn.includes(`assets/${name}`)),
        firstLoadBudget,
      );
      measure('the list of events', all, signedInBudget);
    },
  };
}

export default defineConfig({
  plugins: [react(), precompress()],
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    reportCompressedSize: false,
    sourcemap: false,
  },
  test: { include: ['tests/**/*.test.ts'], environment: 'node' },
  server: {
    port: 5173,
    fs: { allow: ['.', '../../../libs/messages'] },
    proxy: Object.fromEntries(
      ['/session', '/api', '/methodology'].map((p) => [p, { target: process.env.ECF_URL ?? 'http://127.0.0.1:8080' }]),
    ),
  },
});
