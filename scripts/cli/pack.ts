import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFolder } from '../packages/tarball.ts';
import { buildCli, CLI, ROOT } from './build.ts';

/** The published part of the manifest: everything that runs is in `dist`, so nothing is installed with it. */
const PUBLISHED = ['name', 'version', 'description', 'license', 'type', 'bin', 'files', 'engines'];

/**
 * Builds the command line apart from the sources and packs it in its published form.
 * @returns the path of the tarball
 */
export async function packCli(into: string): Promise<string> {
  const staging = mkdtempSync(join(tmpdir(), 'culprit-pack-cli-'));
  try {
    await stageCli(staging);
    mkdirSync(into, { recursive: true });
    return packFolder(staging, into);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Builds the command line into a folder, in its published form. */
export async function stageCli(staging: string): Promise<void> {
  await buildCli(staging);
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8'));
  const published = Object.fromEntries(PUBLISHED.map((key) => [key, manifest[key]]));
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(CLI, 'README.md'), join(staging, 'README.md'));
  cpSync(join(ROOT, 'LICENSE'), join(staging, 'LICENSE'));
}
