// npm run build:dashboard: installs what is needed and builds the dashboard, whether or not it is built already.
import { ensureDashboardBuilt } from './dashboard-build.mjs';
import { ensureInstalled } from './install.mjs';
import { readArguments } from './node24.mjs';

const isForced = !readArguments().includes('--if-stale');
await ensureInstalled({ withDev: false });
process.exitCode = (await ensureDashboardBuilt({ isForced })) ? 0 : 1;
