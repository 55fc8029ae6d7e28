import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const KIB = 1024;

/**
 * The code that an application bundles from the built browser library, and its limit, which may only be lowered. The
 * goals are those of docs/contract/clients.md 1.3.
 */
const BUNDLES = [
  { name: '@culprit/browser', limitKib: 16.43, source: "export * from './index.js';" },
  {
    name: '  init and captureException of it',
    limitKib: 15.23,
    source: "export { captureException, init } from './index.js';",
  },
  { name: '@culprit/browser/errors', limitKib: 12.18, source: "export * from './errors.js';" },
  {
    name: '@culprit/browser with every integration',
    limitKib: 19.54,
    source: "export * from './index.js'; export * from './integrations.js';",
  },
] as const;
const SCRIPT = { name: '@culprit/browser/script', limitKib: 19.92, file: 'script.js' } as const;

/** The size of one bundle as it travels to a browser. */
interface BundleSize {
  name: string;
  /** After gzip at level 9. */
  bytes: number;
  limitBytes: number;
}

/** Bundles and minifies as an application would, and measures. `dist` is the built browser library. */
export async function measureSizes(dist: string): Promise<BundleSize[]> {
  const sizes: BundleSize[] = [];
  for (const { name, limitKib, source } of BUNDLES) {
    sizes.push({ name, bytes: gzipped(await minified(dist, source)), limitBytes: limitKib * KIB });
  }
  const script = readFileSync(join(dist, SCRIPT.file));
  return [...sizes, { name: SCRIPT.name, bytes: gzipped(script), limitBytes: SCRIPT.limitKib * KIB }];
}

/** The sizes as lines for a terminal. */
export function sizeTable(sizes: readonly BundleSize[]): string {
  const kib = (bytes: number) => (bytes / KIB).toFixed(2).padStart(6);
  return sizes
    .map(({ name, bytes, limitBytes }) => `${name.padEnd(42)}${kib(bytes)} of ${kib(limitBytes)} KiB`)
    .join('\n');
}

/** The code of a module that is bundled with what it imports from `from`. */
export async function minified(from: string, source: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-size-'));
  try {
    const input = join(folder, 'application.js');
    writeFileSync(input, source.replaceAll("'./", `'${from}/`));
    const bundler = await rolldown({ input, platform: 'browser', tsconfig: false });
    const { output } = await bundler.generate({ format: 'esm', minify: true, comments: false });
    await bundler.close();
    // Code that a page loads later is not part of it.
    return output.map((file) => (file.type === 'chunk' && !file.isDynamicEntry ? file.code : '')).join('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bytes as they travel to a browser. */
export function gzipped(text: string | Buffer): number {
  return gzipSync(text, { level: 9 }).length;
}
