import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build as viteBuild } from 'vite';
import { ROOT } from '../../../../scripts/sdk/sdk-packages.ts';
import { HOSTS_ROOT, installHosts } from '../../../sdk-test-hosts/hosts.ts';

/** A small application that fails at known places, as bundlers build it. */

const CART = `export interface Item { price: number; name: string }

export class Cart {
  readonly items: Item[] = [];

  add(item: Item): this {
    this.items.push(item);
    return this;
  }

  computeTotal(rate: number): number {
    let sum = 0;
    for (const item of this.items) sum += priceOf(item) * rate;
    return sum;
  }
}

function priceOf(item: Item): number {
  if (item.name === 'ghost') {
    throw new TypeError('no price for ' + item.name);
  }
  return item.price;
}
`;
const LATER = `import { Cart } from './cart.ts';

export function openLater(name: string): number {
  return new Cart().add({ price: 2, name }).computeTotal(3);
}
`;
const MAIN = `import { Cart } from './cart.ts';

const shop = globalThis as unknown as { failNow: () => number; failLater: () => Promise<number> };
shop.failNow = () => new Cart().add({ price: 1, name: 'cup' }).add({ price: 2, name: 'ghost' }).computeTotal(2);
shop.failLater = async () => (await import('./later.ts')).openLater('ghost');
`;

/** What a stack of both failures names, innermost first. */
export const PLACES = [
  { file: 'src/cart.ts', text: "throw new TypeError('no price for ' + item.name);" },
  { file: 'src/cart.ts', text: 'for (const item of this.items) sum += priceOf(item) * rate;' },
] as const;
export const SOURCES: Readonly<Record<string, string>> = {
  'src/cart.ts': CART,
  'src/later.ts': LATER,
  'src/main.ts': MAIN,
};

export interface BuiltApplication {
  folder: string;
  /** The folder of the output, below it. */
  output: string;
  /** The script that a page loads, below the output. */
  entry: string;
  isModule: boolean;
}

export type Bundler = (folder: string) => Promise<Omit<BuiltApplication, 'folder'>>;

/**
 * Builds the application in a folder of its own.
 * @param first code in front of everything else, which makes it another version
 */
export async function buildApplication(
  bundler: Bundler,
  first = '',
): Promise<BuiltApplication & { remove: () => void }> {
  await installHosts();
  mkdirSync(join(HOSTS_ROOT, '.hosts'), { recursive: true });
  const folder = mkdtempSync(join(HOSTS_ROOT, '.hosts/bundled-'));
  const files = {
    ...SOURCES,
    'src/cart.ts': first + CART,
    'package.json': JSON.stringify({ name: 'shop', private: true, type: 'module' }),
    'index.html': '<!doctype html><title>shop</title><script type="module" src="/src/main.ts"></script>',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const built = await bundler(folder);
  return { folder, ...built, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A package of the hosts, which is not installed where this file is. */
function hostPackage(name: string): string {
  return createRequire(join(HOSTS_ROOT, 'package.json')).resolve(name);
}

const esbuild =
  (options: readonly string[], isModule: boolean): Bundler =>
  (folder) => {
    const program = join(
      HOSTS_ROOT,
      'node_modules/@esbuild',
      `${process.platform}-${process.arch}`,
      'bin/esbuild',
    );
    execFileSync(program, ['src/main.ts', '--bundle', '--outdir=dist', '--log-level=error', ...options], {
      cwd: folder,
    });
    return Promise.resolve({ output: 'dist', entry: 'main.js', isModule });
  };

const vite =
  (sourcemap: boolean | 'inline' | 'hidden', output: object = {}): Bundler =>
  async (folder) => {
    await viteBuild({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: {
        sourcemap,
        rolldownOptions: { output: { ...output, entryFileNames: 'assets/main.js' } },
      },
    });
    return { output: 'dist', entry: 'assets/main.js', isModule: true };
  };

/** Rollup and webpack read what esbuild or tsc made of TypeScript, with its map. */
function toJavaScript(folder: string): void {
  const program = join(
    HOSTS_ROOT,
    'node_modules/@esbuild',
    `${process.platform}-${process.arch}`,
    'bin/esbuild',
  );
  const files = Object.keys(SOURCES);
  execFileSync(program, [...files, '--outdir=js', '--format=esm', '--log-level=error'], { cwd: folder });
}

const rollup =
  (sourcemap: string): Bundler =>
  (folder) => {
    toJavaScript(folder);
    const source =
      "const names = { resolveId: (id, from) => id.endsWith('.ts') ? { id: new URL(id.replace(/ts$/, 'js'), 'file://' + from).pathname } : null };";
    writeFileSync(
      join(folder, 'rollup.config.mjs'),
      `${source}\nexport default { input: 'js/main.js', plugins: [names], output: { dir: 'dist', format: 'es', sourcemap: ${sourcemap} } };\n`,
    );
    execFileSync(
      process.execPath,
      [join(HOSTS_ROOT, 'node_modules/rollup/dist/bin/rollup'), '-c', '--silent'],
      { cwd: folder },
    );
    return Promise.resolve({ output: 'dist', entry: 'main.js', isModule: true });
  };

const webpack =
  (devtool: string): Bundler =>
  (folder) => {
    toJavaScript(folder);
    writeFileSync(
      join(folder, 'build.cjs'),
      `const webpack = require(${JSON.stringify(hostPackage('webpack'))});
       webpack({ mode: 'production', context: __dirname, entry: './js/main.js', devtool: '${devtool}',
         resolve: { extensionAlias: { '.ts': ['.js', '.ts'] } },
         output: { path: __dirname + '/dist', publicPath: 'auto' } },
         (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1); } });`,
    );
    execFileSync(process.execPath, ['build.cjs'], { cwd: folder });
    return Promise.resolve({ output: 'dist', entry: 'main.js', isModule: false });
  };

const tsc: Bundler = (folder) => {
  const options =
    '--ignoreConfig --outDir dist --rootDir src --sourceMap --module nodenext --target es2022 --rewriteRelativeImportExtensions --noCheck';
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options.split(' '), 'src/main.ts'],
    { cwd: folder },
  );
  return Promise.resolve({ output: 'dist', entry: 'main.js', isModule: true });
};

/** Ways in which an application is built; each must work without a setting of ours. */
export const BUNDLERS: Readonly<Record<string, Bundler>> = {
  Vite: vite(true),
  'Vite with hidden maps': vite('hidden'),
  'Vite with inline maps': vite('inline'),
  'Vite with ids of its own': vite(true, { sourcemapDebugIds: true }),
  'esbuild, modules in parts': esbuild(['--minify', '--sourcemap', '--format=esm', '--splitting'], true),
  'esbuild, one script, no comment': esbuild(['--minify', '--sourcemap=external', '--format=iife'], false),
  'esbuild, inline map': esbuild(
    ['--minify', '--sourcemap=inline', '--format=iife', '--banner:js="use strict";'],
    false,
  ),
  Rollup: rollup('true'),
  'Rollup with hidden maps': rollup("'hidden'"),
  webpack: webpack('source-map'),
  'webpack with hidden maps': webpack('hidden-source-map'),
  'webpack with inline maps': webpack('inline-source-map'),
  'webpack with ids of its own': webpack('source-map-debugids'),
  tsc,
};
