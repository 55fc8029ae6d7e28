// node scripts/build-beside.mjs [--if-stale] dashboard|packages…: installs what is needed and builds what the service
// serves besides its API, in this order; without `--if-stale` whether or not it is built already.
import { ensureDashboardBuilt } from './dashboard-build.mjs';
import { ensureInstalled } from './install.mjs';
import { readArguments } from './node24.mjs';
import { ensurePackagesBuilt } from './packages-build.mjs';

const BUILDS = { dashboard: ensureDashboardBuilt, packages: ensurePackagesBuilt };

const args = readArguments();
const isForced = !args.includes('--if-stale');
await ensureInstalled({ withDev: false });
let isWhole = true;
for (const [name, build] of Object.entries(BUILDS)) {
  if (args.includes(name)) isWhole = (await build({ isForced })) && isWhole;
}
process.exitCode = isWhole ? 0 : 1;
