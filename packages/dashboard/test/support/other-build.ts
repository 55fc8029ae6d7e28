import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DASHBOARD_DIRECTORY } from './dashboard.ts';

/**
 * The same dashboard as a later release would have it: every script has another name, and none of the former ones is
 * left. Without `missing`, it is whole; with it, the scripts whose names begin so are gone.
 */
export function copyBuild({ isRenamed = true, missing = [] as string[] } = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-build-'));
  cpSync(DASHBOARD_DIRECTORY, directory, { recursive: true });
  const assets = join(directory, 'assets');
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const texts = [join(directory, 'index.html'), ...scripts.map((name) => join(assets, name))];
  // The service takes the text where there is no compressed form beside it.
  for (const path of texts) rmSync(`${path}.br`, { force: true });
  if (isRenamed) {
    for (const path of texts) writeFileSync(path, rename(readFileSync(path, 'utf8'), scripts));
    for (const name of scripts) {
      const content = readFileSync(join(assets, name));
      rmSync(join(assets, name));
      writeFileSync(join(assets, laterName(name)), content);
    }
    rmSync(join(assets, 'build.json.br'), { force: true });
    writeFileSync(join(assets, 'build.json'), '{"build":"later"}\n');
  }
  for (const name of readdirSync(assets)) {
    if (missing.some((start) => name.startsWith(start)) && name.endsWith('.js')) rmSync(join(assets, name));
  }
  return directory;
}

function rename(text: string, names: readonly string[]): string {
  return names.reduce((renamed, name) => renamed.replaceAll(name, laterName(name)), text);
}

function laterName(name: string): string {
  return name.replace(/\.js$/, 'later.js');
}
