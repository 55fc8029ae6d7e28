import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Builds the command line: one entry, chunks that commands load when they are chosen, and no imports of packages. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const CLI = join(ROOT, 'packages/cli');

/** Optional for users; see `keyring.ts`. */
const OPTIONAL = ['@napi-rs/keyring'];

/** Builds into `dist` of a folder. @returns the packages whose code came along, for their notices */
export async function buildCli(into: string): Promise<string[]> {
  const dist = join(into, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const bundler = await rolldown({
    input: { main: join(CLI, 'src/main.ts') },
    cwd: ROOT,
    platform: 'node',
    external: [/^node:/, ...OPTIONAL],
    tsconfig: false,
    transform: { target: 'node18', define: { CULPRIT_VERSION: JSON.stringify(versionOf()) } },
    onLog(level, log) {
      // An import that cannot be resolved would be left in the output, and its package is not installed.
      if (level === 'warn') throw new Error(log.message);
    },
  });
  try {
    const { output } = await bundler.write({
      dir: dist,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const packages = new Set(modules.flatMap((id) => packageOf(id) ?? []));
    const notices = noticesOf([...packages].sort());
    writeFileSync(join(dist, 'NOTICES.txt'), notices);
    return [...packages].sort();
  } finally {
    await bundler.close();
  }
}

/** The release of the repository. */
function versionOf(): string {
  return manifestOf(CLI).version;
}

function manifestOf(folder: string): { name: string; version: string; license: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The folder of the package that a module belongs to, when it is not ours. */
function packageOf(id: string): string | null {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  return folder ?? null;
}

/** Names, releases and licences of what is bundled: each text once, behind the packages that have it. */
function noticesOf(folders: readonly string[]): string {
  const byText = Map.groupBy(folders, licenseText);
  const parts = [...byText].map(([text, sharing]) => {
    const names = sharing
      .map(manifestOf)
      .map(({ name, version, license }) => `${name} ${version} (${license})`);
    return `${names.join('\n')}\n\n${text}`;
  });
  return `This program contains the following packages.\n\n${parts.join('\n\n')}\n`;
}

function licenseText(folder: string): string {
  for (const name of ['LICENSE', 'LICENSE.md', 'license', 'LICENCE', 'LICENSE.txt']) {
    try {
      return readFileSync(join(folder, name), 'utf8').trim();
    } catch {
      // Called otherwise there.
    }
  }
  return '';
}
