import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The first load: everything until signing in is usable, in bytes of brotli. */
const firstLoadBudget = 250_000;

/** Keeps every asset compressed only, and holds the first load to its budget. */
function precompress(): Plugin {
  let dir = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      dir = join(config.root, config.build.outDir);
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
      const first = [...page.matchAll(/\/assets\/([^"]+)"/g)].map((m) => m[1] ?? '');
      const total = first.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
      console.log(`first load: ${total} bytes of brotli in ${first.length} files (budget ${firstLoadBudget})`);
      if (total > firstLoadBudget) throw new Error('the first load is over its budget');
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
