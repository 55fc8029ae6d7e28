import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packFolder } from '../packages/tarball.ts';
import { buildSdk, OLD } from './build.ts';
import { ROOT, SDK_PACKAGES, type SdkPackage } from './sdk-packages.ts';

/** The files published beside `dist`, if the package has them. The license is that of the repository. */
const FILES = ['package.json', 'README.md', 'culprit-setup.json'];

/** Builds every client library apart from the sources and packs it: the paths of the tarballs, by package name. */
export async function packSdk(into: string): Promise<Map<string, string>> {
  const staging = mkdtempSync(join(tmpdir(), 'culprit-pack-'));
  try {
    await stageSdk(staging);
    mkdirSync(into, { recursive: true });
    return new Map(SDK_PACKAGES.map(({ name, folder }) => [name, packFolder(join(staging, folder), into)]));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Builds every client library in its published form, in a folder named as below `packages`. */
export async function stageSdk(staging: string): Promise<void> {
  await buildSdk(({ folder }) => join(staging, folder));
  for (const built of SDK_PACKAGES) {
    const staged = join(staging, built.folder);
    for (const file of FILES) {
      const source = join(ROOT, 'packages', built.folder, file);
      if (existsSync(source)) cpSync(source, join(staged, file));
    }
    cpSync(join(ROOT, 'LICENSE'), join(staged, 'LICENSE'));
    writeEntryFolders(built, staged);
  }
}

/**
 * A folder for each entry below the first: what `@culprit/node/express` is for tools that know no exports map, such as
 * TypeScript with `node10`, webpack 4 and Jest 27.
 */
function writeEntryFolders({ entries, old }: SdkPackage, staged: string): void {
  const path = join(staged, 'package.json');
  const manifest: { files: string[] } = JSON.parse(readFileSync(path, 'utf8'));
  const folders = entries.filter((entry) => entry !== 'index');
  for (const entry of folders) {
    const code =
      old === undefined
        ? { main: `../dist/${entry}.cjs` }
        : { main: `../dist/${OLD}/${entry}.js`, module: `../dist/${OLD}/${entry}.mjs`, sideEffects: false };
    mkdirSync(join(staged, entry), { recursive: true });
    const text = JSON.stringify({ ...code, types: `../dist/types/${entry}.d.ts` });
    writeFileSync(join(staged, entry, 'package.json'), `${text}\n`);
  }
  manifest.files.push(...folders);
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Runs the npm that runs this command, else the one of the path. Returns what it writes. */
export function runNpm(args: readonly string[], cwd: string): string {
  const program = process.env.npm_execpath ?? '';
  const [command, ...before] = basename(program).startsWith('npm-cli')
    ? [process.execPath, program]
    : ['npm'];
  const { status, stdout, stderr } = spawnSync(command ?? 'npm', [...before, ...args], {
    cwd,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed.\n${stderr}`);
  return stdout;
}
