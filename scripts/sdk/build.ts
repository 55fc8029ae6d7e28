import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { emitDeclarations, writeDeclarations } from './declarations.ts';
import { shortenNames } from './internal-names.ts';
import { ROOT, SDK_PACKAGES, type SdkPackage, sourceFolder } from './sdk-packages.ts';

const CHUNKS = 'chunks/[name]-[hash]';
/** The folder of `dist` for older tools. */
export const OLD = 'old';

/** Builds every client library into `dist` of the folder that `into` names for it. */
export async function buildSdk(into: (built: SdkPackage) => string): Promise<void> {
  const declarations = emitDeclarations();
  try {
    for (const built of SDK_PACKAGES) {
      const dist = join(into(built), 'dist');
      rmSync(dist, { recursive: true, force: true });
      await buildCode(built, dist);
      writeDeclarations(built, declarations.folder, join(dist, 'types'));
    }
  } finally {
    declarations.remove();
  }
}

async function buildCode(built: SdkPackage, dist: string): Promise<void> {
  if (built.format === 'wrapped') {
    for (const chunk of await bundle(built, built.entries, dist, 'cjs')) writeWrapper(chunk, dist);
    // Apart, so that nothing of Node reaches them.
    for (const format of built.edgeEntries.length > 0 ? (['esm', 'cjs'] as const) : []) {
      await bundle({ ...built, platform: 'neutral' }, built.edgeEntries, dist, format);
    }
  } else {
    await bundle(built, built.entries, dist, 'esm');
    if (built.format === 'both') await bundle(built, built.entries, dist, 'cjs');
  }
  if (built.developmentSources !== undefined) {
    const folder = join(dist, 'development');
    await bundle(built, built.entries, folder, 'esm', { replaced: built.developmentSources });
  }
  if (built.old !== undefined) await bundleOld(built, join(dist, OLD));
  if (built.script !== undefined) {
    await bundle(built, [built.script.entry], dist, 'iife', { replaced: built.script.sources });
  }
}

/**
 * For tools that know no exports map, and so no syntax that is newer: CommonJS as `.js`, because some of them take
 * `.cjs` for an asset, and modules beside it.
 */
async function bundleOld(built: SdkPackage, folder: string): Promise<void> {
  const older = { ...built, target: built.old ?? built.target };
  await bundle(older, built.entries, folder, 'cjs', { extension: 'js' });
  await bundle(older, built.entries, folder, 'esm', { extension: 'mjs' });
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs","sideEffects":false}\n');
}

/** Returns the chunks of the entries. */
async function bundle(
  built: SdkPackage,
  entries: readonly string[],
  dist: string,
  format: 'esm' | 'cjs' | 'iife',
  {
    extension = format === 'cjs' ? 'cjs' : 'js',
    replaced = {},
  }: { extension?: 'js' | 'cjs' | 'mjs'; replaced?: Readonly<Record<string, string>> } = {},
): Promise<OutputChunk[]> {
  const isOfNode = built.platform === 'node' && format === 'cjs';
  const bundler = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(sourceFolder(built), `${entry}.ts`)])),
    cwd: ROOT,
    platform: isOfNode ? 'node' : 'browser',
    external: isOfNode ? [/^node:/] : [],
    transform: { target: built.target },
    tsconfig: false,
    plugins: [
      standIn(sourceFolder(built), replaced),
      ...(built.internalNames === undefined ? [] : [shortenNames(built.internalNames)]),
    ],
    onLog(level, log) {
      // An import that cannot be resolved would be left in the output, and its package is not installed.
      if (level === 'warn') throw new Error(`${built.name}: ${log.message}`);
    },
  });
  try {
    const { output } = await bundler.write({
      dir: dist,
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `${CHUNKS}.${extension}`,
      comments: { legal: true, annotation: true, jsdoc: false },
      minify: format === 'iife',
      generatedCode: { symbols: format !== 'iife' },
      ...(format === 'iife' && built.script !== undefined ? { name: built.script.global } : {}),
    } as const);
    return output.flatMap((file) => (file.type === 'chunk' && file.isEntry ? [file] : []));
  } finally {
    await bundler.close();
  }
}

/** Bundles other files in place of some, by their names in a folder. */
function standIn(folder: string, replaced: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'stand-in',
    load(id) {
      const other = dirname(id) === folder ? replaced[basename(id)] : undefined;
      return other === undefined
        ? null
        : { code: readFileSync(join(folder, other), 'utf8'), moduleType: 'ts' };
    },
  };
}

/** A module that exports by name what the CommonJS file of the same entry does. */
function writeWrapper(chunk: OutputChunk, dist: string): void {
  const target = `./${chunk.fileName}`;
  const names = chunk.exports.filter((name) => name !== 'default');
  const lines =
    names.length === 0
      ? [`import '${target}';`]
      : [
          `import implementation from '${target}';`,
          `export const { ${names.sort().join(', ')} } = implementation;`,
        ];
  const path = join(dist, chunk.fileName.replace(/\.cjs$/, '.js'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
