import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../server/test/lanes/test-files.ts';
import {
  startCulprit,
  type TestCulprit,
  type TestCulpritOptions,
} from '../../../server/test/support/culprit.ts';
import { reservePort } from '../../../server/test/support/reserved-port.ts';

export const DASHBOARD_DIRECTORY = join(ROOT, 'packages/dashboard/dist');

const BUILD_TIMEOUT_MS = 120_000;

/** Builds the dashboard as `npm start` does, where that is to be done. */
export async function ensureDashboard(): Promise<void> {
  const script = join(ROOT, 'scripts/build-beside.mjs');
  await promisify(execFile)(process.execPath, [script, '--if-stale', 'dashboard'], {
    timeout: BUILD_TIMEOUT_MS,
  });
}

/** A service whose dashboard is the real build. Its address is its own, so that the browser's cookies work. */
export async function startWithDashboard(options: TestCulpritOptions = {}): Promise<TestCulprit> {
  await ensureDashboard();
  const port = await reservePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  return await startCulprit({ port, baseUrl, dashboardDirectory: DASHBOARD_DIRECTORY, ...options });
}

/** The same as `npm start` has it: it listens at 127.0.0.1, and its address is `localhost`. */
export async function startAtLocalhost(): Promise<TestCulprit> {
  const port = await reservePort();
  return await startWithDashboard({ port, baseUrl: `http://localhost:${port}` });
}
