// Proves 32.
import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { NamespaceReport } from './namespace-child.ts';

const CHILD = fileURLToPath(new URL('./namespace-child.ts', import.meta.url));
/** Every address of the world becomes one of this machine, in a network of its own. */
const WORLD_AT_HOME =
  'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo';

/** Needs a system that lets us make networks; everywhere else the form with loopback aliases must do. */
function canMakeNetworks(): boolean {
  try {
    execFileSync('unshare', ['-rn', 'sh', '-c', WORLD_AT_HOME], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the outgoing battery, in the form with a network of its own', () => {
  it.skipIf(!canMakeNetworks())(
    'begins no connection for blocked targets, reaches all good ones, and heeds no proxy of the environment',
    async () => {
      const script = `${WORLD_AT_HOME} && exec "$0" "$1"`;
      // A proxy that is not there: whoever heeds it reaches nothing.
      const proxy = 'http://127.0.0.1:9';
      const { stdout } = await promisify(execFile)(
        'unshare',
        ['-rn', 'sh', '-c', script, process.execPath, CHILD],
        {
          env: {
            ...process.env,
            NODE_USE_ENV_PROXY: '1',
            HTTP_PROXY: proxy,
            HTTPS_PROXY: proxy,
            ALL_PROXY: proxy,
            http_proxy: proxy,
            https_proxy: proxy,
            // For the child's own look at its network.
            NO_PROXY: '198.51.100.77',
          },
        },
      );
      const report: NamespaceReport = JSON.parse(stdout);
      expect(report.isWorldHere).toBe(true);
      expect(report.battery.wrong).toEqual([]);
      expect(report.battery.targets).toBeGreaterThanOrEqual(110);
      expect(report.canaryConnections).toEqual([]);
      expect(report.connectionsBegun).toBe(0);
      expect(report.good.wrong).toEqual([]);
      expect(report.good.targets).toBeGreaterThanOrEqual(40);
    },
  );
});
