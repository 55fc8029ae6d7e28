import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from '../../scripts/sdk/once.ts';
import { runNpm } from '../../scripts/sdk/pack.ts';
import { ROOT } from '../../scripts/sdk/sdk-packages.ts';

const FOLDER = join(ROOT, 'packages/foreign-clients');
const MODULES = join(FOLDER, 'node_modules');
const MARKER = join(MODULES, '.culprit-installed');

/** Installs what the lockfile of this folder names, once until it changes. Returns its `node_modules`. */
export async function installForeignClients(): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  const isDone = () => existsSync(MARKER) && readFileSync(MARKER, 'utf8') === hash;
  await once(join(ROOT, 'node_modules/.cache/culprit-foreign-clients.lock'), isDone, () => {
    runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], FOLDER);
    writeFileSync(MARKER, hash);
  });
  return MODULES;
}

/** A new folder in which a program finds these libraries. */
export async function clientFolder(): Promise<{
  write: (name: string, text: string) => string;
  remove: () => Promise<void>;
}> {
  const modules = await installForeignClients();
  const path = mkdtempSync(join(tmpdir(), 'culprit-client-'));
  symlinkSync(modules, join(path, 'node_modules'), 'dir');
  return {
    write(name, text) {
      const file = join(path, name);
      writeFileSync(file, text);
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
