import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../../scripts/sdk/pack.ts';

/** The libraries beside ours in the table, or the reason why there are none. */
export type Peers = { nodeModules: string } | { missing: string };

const FOLDER = fileURLToPath(new URL('../peers', import.meta.url));
const NODE_MODULES = join(FOLDER, 'node_modules');
const MARKER = join(NODE_MODULES, '.culprit-installed');
const REASON_CHARACTERS_MAX = 60;

/** Installs what the lockfile of `bench/peers` names, once until it changes. */
export function installPeers(): Peers {
  const hash = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  if (existsSync(MARKER) && readFileSync(MARKER, 'utf8') === hash) return { nodeModules: NODE_MODULES };
  try {
    runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], FOLDER);
    writeFileSync(MARKER, hash);
    return { nodeModules: NODE_MODULES };
  } catch (error) {
    return { missing: reasonOf(error) };
  }
}

/** Returns npm's name of the fault, which is enough to see if a registry answered. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = /\bcode (E[A-Z0-9_]+)/.exec(text)?.[1];
  return code === undefined ? text.replaceAll(/\s+/g, ' ').slice(0, REASON_CHARACTERS_MAX) : `npm ${code}`;
}
