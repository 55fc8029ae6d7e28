import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../scripts/sdk/once.ts';
import { packSdk } from '../../scripts/sdk/pack.ts';
import { ROOT, SDK_PACKAGES } from '../../scripts/sdk/sdk-packages.ts';
import { hashOfSources } from '../../scripts/sdk/source-hash.ts';

const CACHE = join(ROOT, 'node_modules/.cache/culprit-packed');
/** Older builds are removed beyond this many. */
const KEPT_MAX = 5;

/** The client libraries as they are published. Nobody changes these files: several tests share them. */
export interface PackedSdk {
  /** Paths of the tarballs, by package name. */
  tarballs: ReadonlyMap<string, string>;
  /** A folder in which every tarball is unpacked as npm would: `<nodeModules>/@culprit/node`. */
  nodeModules: string;
}

/** Builds and packs the client libraries, once for all tests until a source changes. */
export async function packedSdk(): Promise<PackedSdk> {
  const folder = join(CACHE, hashOfSources());
  const isDone = () => existsSync(folder);
  await once(`${folder}.lock`, isDone, async () => {
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    for (const [name, tarball] of await packSdk(unfinished))
      unpack(tarball, join(unfinished, 'node_modules', name));
    renameSync(unfinished, folder);
    removeOld();
  });
  const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const tarballs = SDK_PACKAGES.map(({ name }): [string, string] => {
    const file = files.find((candidate) => candidate.startsWith(`${name.slice(1).replace('/', '-')}-`));
    if (file === undefined) throw new Error(`${folder} has no tarball of ${name}`);
    return [name, join(folder, file)];
  });
  return { tarballs: new Map(tarballs), nodeModules: join(folder, 'node_modules') };
}

function unpack(tarball: string, into: string): void {
  mkdirSync(into, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', into, '--strip-components=1'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${tarball} cannot be unpacked. ${stderr}`);
}

function removeOld(): void {
  const folders = readdirSync(CACHE, { withFileTypes: true }).filter((entry) =>
    /^[0-9a-f]{16}$/.test(entry.name),
  );
  const oldest = folders
    .map(({ name }) => join(CACHE, name))
    .sort((a, b) => modifiedAt(b) - modifiedAt(a))
    .slice(KEPT_MAX);
  for (const path of oldest) rmSync(path, { recursive: true, force: true });
}

function modifiedAt(path: string): number {
  return statSync(path).mtimeMs;
}
