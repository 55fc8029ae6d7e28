import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runNpm } from '../sdk/pack.ts';
import { buildCli, CLI, ROOT } from './build.ts';

/** Of the manifest, what is published: everything that runs is in `dist`, so nothing is installed with it. */
const PUBLISHED = ['name', 'version', 'description', 'license', 'type', 'bin', 'files', 'engines'];

/** Builds the command line apart from the sources and packs it as it is published. @returns the path of the tarball */
export async function packCli(into: string): Promise<string> {
  const staging = mkdtempSync(join(tmpdir(), 'culprit-pack-cli-'));
  try {
    await buildCli(staging);
    const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8'));
    const published = PUBLISHED.map((key) => [key, manifest[key]] as const);
    writeFileSync(
      join(staging, 'package.json'),
      `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`,
    );
    cpSync(join(CLI, 'README.md'), join(staging, 'README.md'));
    cpSync(join(ROOT, 'LICENSE'), join(staging, 'LICENSE'));
    mkdirSync(into, { recursive: true });
    const output = runNpm(['pack', '--silent', '--ignore-scripts', '--pack-destination', into], staging);
    return join(into, basename(output.trim().split('\n').at(-1) ?? ''));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
