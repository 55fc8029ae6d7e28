import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The folder in which the build of the dashboard puts its files; absent until it is complete. */
export const DASHBOARD_DIRECTORY = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

/** The same of the packages that the service hands out. */
export const PACKAGES_DIRECTORY = fileURLToPath(new URL('../../packed', import.meta.url));

const BUILD_SCRIPT = fileURLToPath(new URL('../../../../scripts/build-beside.mjs', import.meta.url));
const POLL_MS = 250;
/** After a build that failed, an operator may run it by hand. */
const POLL_MAX_MS = 16_000;

/** Builds the wanted and missing parts in a separate process, which ends with this one and reports the result. */
export function buildBeside(wanted: { dashboard: boolean; packages: boolean }): void {
  const missing = [
    ...(wanted.dashboard && !existsSync(DASHBOARD_DIRECTORY) ? ['dashboard'] : []),
    ...(wanted.packages && !existsSync(PACKAGES_DIRECTORY) ? ['packages'] : []),
  ];
  if (missing.length === 0) return;
  const args = [BUILD_SCRIPT, '--started-by', String(process.pid), '--if-stale', ...missing];
  const build = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  // No process could be made: the page in its place says how to repeat it.
  build.on('error', () => {});
}

/** Resolves when there is a dashboard to show, which on a fresh clone takes some seconds. Keeps no process alive. */
export async function dashboardBuilt(): Promise<void> {
  for (let waitMs = POLL_MS; !existsSync(DASHBOARD_DIRECTORY); waitMs = Math.min(waitMs * 1.1, POLL_MAX_MS)) {
    await delay(waitMs, undefined, { ref: false });
  }
}
