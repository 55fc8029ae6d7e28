import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@culprit/contract/endpoints/client';
import type { HandedOut } from '@culprit/contract/endpoints/server';
import { getServer } from '@culprit/contract/endpoints/server';
import { ROOT } from '../lanes/test-files.ts';
import { startCulprit, type TestCulprit, type TestCulpritOptions } from './culprit.ts';
import { reservePort } from './reserved-port.ts';

export const PACKAGES_DIRECTORY = join(ROOT, 'packages/server/packed');

const BUILD_TIMEOUT_MS = 120_000;

/** Builds what the service hands out as `npm start` does, where that is to be done. */
export async function ensurePackages(): Promise<void> {
  const script = join(ROOT, 'scripts/build-beside.mjs');
  await promisify(execFile)(process.execPath, [script, '--if-stale', 'packages'], {
    timeout: BUILD_TIMEOUT_MS,
  });
}

/** A service that hands out its packages under its own address. */
export async function startWithPackages(options: TestCulpritOptions = {}): Promise<TestCulprit> {
  await ensurePackages();
  const port = await reservePort();
  return await startCulprit({
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    packagesDirectory: PACKAGES_DIRECTORY,
    ...options,
  });
}

/** What the service says that it hands out. */
export async function handedOutBy(culprit: TestCulprit): Promise<HandedOut> {
  const answer = await createClient({ baseUrl: culprit.url, token: null }).call(getServer, {});
  if (!answer.ok || answer.body.packages === null) throw new Error('no packages are handed out');
  return answer.body.packages;
}
