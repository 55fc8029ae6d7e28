import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build as viteBuild } from 'vite';
import { HOSTS_ROOT } from '../../../sdk-test-hosts/hosts.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { reservePort } from '../../../server/test/support/reserved-port.ts';
import { serveFolder } from './static-site.ts';

/** Applications as the starters of Vite, webpack and Next.js begin them, with one failure in the page and on the server. */

/** A caught failure: what its stack says, and which ids its scripts registered. */
export interface Broken {
  name: string;
  message: string;
  stack: string;
  /** Of `_debugIds`: a stack of the script, and its id. */
  ids: Record<string, string>;
}

export interface Starter {
  /** Writes the application, in the version whose code lies further down. */
  write: (folder: string, filler: string) => void;
  build: (folder: string) => Promise<void>;
  /** Folders that are uploaded. */
  outputs: readonly string[];
  /** Serves the page until `close`. */
  serve: (folder: string) => Promise<{ origin: string; close: () => void }>;
  /** Breaks it on the server. */
  breakServer: (folder: string, origin: string) => Promise<Broken>;
  /** The original file, as a frame has it. */
  file: RegExp;
}

const CART = `export function total(items) {
  return items.reduce((sum, { price }) => sum + price, 0);
}
export function checkout(cart) {
  return { due: total(cart.items) };
}
`;
/** Takes the failure apart as libraries do. */
const CAUGHT = `export function caught(work) {
  try {
    work();
  } catch ({ name, message, stack }) {
    return { name, message, stack, ids: globalThis._debugIds ?? {} };
  }
  return null;
}
`;

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const sources = (filler: string) => ({
  'src/cart.js': `${filler}${CART}`,
  'src/caught.js': CAUGHT,
  'src/server.js': `import { checkout } from './cart.js';
import { caught } from './caught.js';
process.stdout.write(JSON.stringify(caught(() => checkout({ items: globalThis.nothing ?? null }))));
`,
});
const PAGE = `import { checkout } from './cart.js';
import { caught } from './caught.js';
globalThis.broken = () => caught(() => checkout({ items: globalThis.nothing ?? null }));
`;

function runServer(path: string): Promise<Broken> {
  const out = execFileSync(process.execPath, [path], { encoding: 'utf8' });
  return Promise.resolve(JSON.parse(out.slice(out.indexOf('{'))));
}

const vite: Starter = {
  write(folder, filler) {
    cpSync(join(HOSTS_ROOT, 'node_modules/create-vite/template-vanilla-ts'), folder, { recursive: true });
    const main = `import './counter.ts';\nimport './style.css';\n${PAGE}`;
    writeAll(folder, { ...sources(filler), 'src/main.ts': `// @ts-nocheck\n${main}` });
  },
  async build(folder) {
    const options = { root: folder, configFile: false as const, logLevel: 'error' as const };
    await viteBuild({
      ...options,
      build: { sourcemap: 'hidden', rolldownOptions: { output: { entryFileNames: 'assets/[name].js' } } },
    });
    await viteBuild({
      ...options,
      build: { ssr: 'src/server.js', outDir: 'dist-server', sourcemap: true, minify: true },
    });
  },
  outputs: ['dist', 'dist-server'],
  serve: async (folder) => await serveFolder(join(folder, 'dist'), 'assets/index.js', true),
  breakServer: (folder) => runServer(join(folder, 'dist-server/server.js')),
  file: /^src\/cart\.js$/,
};

const webpack: Starter = {
  write(folder, filler) {
    const build = `const webpack = require(${JSON.stringify(
      createRequire(join(HOSTS_ROOT, 'package.json')).resolve('webpack'),
    )});
const shared = { mode: 'production', context: __dirname, devtool: 'hidden-source-map' };
webpack([
  { ...shared, entry: './src/index.js', output: { filename: 'main.js', path: __dirname + '/dist' } },
  { ...shared, target: 'node', entry: './src/server.js', output: { filename: 'server.js', path: __dirname + '/dist-server' } },
], (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1); } });
`;
    writeAll(folder, {
      ...sources(filler),
      'package.json': '{"name": "webpack-demo", "version": "1.0.0", "private": true}',
      'dist/index.html': '<!doctype html><title>Getting Started</title><script src="main.js"></script>',
      'src/index.js': `function component() {
  const element = document.createElement('div');
  element.innerHTML = ['Hello', 'webpack'].join(' ');
  return element;
}
document.body.appendChild(component());
${PAGE}`,
      'build.cjs': build,
    });
  },
  build: (folder) => {
    execFileSync(process.execPath, ['build.cjs'], { cwd: folder });
    return Promise.resolve();
  },
  outputs: ['dist', 'dist-server'],
  serve: async (folder) => await serveFolder(join(folder, 'dist'), 'main.js', false, '<body></body>'),
  breakServer: (folder) => runServer(join(folder, 'dist-server/server.js')),
  file: /^src\/cart\.js$/,
};

const NEXT = 'node_modules/next/dist/bin/next';

const next: Starter = {
  write(folder, filler) {
    const settings = { productionBrowserSourceMaps: true, turbopack: { root: HOSTS_ROOT, debugIds: true } };
    writeAll(folder, {
      'src/cart.js': `${filler}${CART}`,
      'src/caught.js': CAUGHT,
      'package.json': '{"name": "my-app", "version": "0.1.0", "private": true}',
      'next.config.mjs': `export default ${JSON.stringify(settings)};\n`,
      'app/layout.js':
        'export default function RootLayout({ children }) { return <html lang="en"><body>{children}</body></html>; }\n',
      'app/page.js':
        "import Cart from './cart-button';\nexport default function Home() { return <Cart />; }\n",
      'app/cart-button.js': `'use client';
import { useEffect } from 'react';
import { checkout } from '../src/cart';
import { caught } from '../src/caught';
export default function Cart() {
  useEffect(() => { globalThis.broken = () => caught(() => checkout({ items: globalThis.nothing ?? null })); }, []);
  return <main>To get started, edit the page.js file.</main>;
}
`,
      'app/api/broken/route.js': `import { checkout } from '../../../src/cart';
import { caught } from '../../../src/caught';
export const dynamic = 'force-dynamic';
export function GET() { return Response.json(caught(() => checkout({ items: globalThis.nothing ?? null }))); }
`,
    });
  },
  build: (folder) => {
    execFileSync(process.execPath, [join(HOSTS_ROOT, NEXT), 'build'], {
      cwd: folder,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return Promise.resolve();
  },
  outputs: ['.next'],
  async serve(folder) {
    const port = await reservePort();
    const child = spawn(process.execPath, [join(HOSTS_ROOT, NEXT), 'start', '-p', String(port)], {
      cwd: folder,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
      stdio: 'ignore',
    });
    const origin = `http://127.0.0.1:${port}`;
    await eventually(async () => {
      if (!(await fetch(origin)).ok) throw new Error('it does not answer yet');
    }, 120_000);
    return { origin, close: () => child.kill('SIGKILL') };
  },
  breakServer: async (_, origin) => JSON.parse(await (await fetch(`${origin}/api/broken`)).text()),
  file: /(?:^|\/)src\/cart\.js$/,
};

export const STARTERS: Readonly<Record<string, Starter>> = { Vite: vite, webpack, 'Next.js': next };
