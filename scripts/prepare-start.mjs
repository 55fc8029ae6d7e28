// The work of `npm start` before the server: installs what is missing, builds the server, and removes a dashboard and
// packages that were built from other sources, which would request what this server does not have. Prints what a shell
// evaluates: the Node to run the server with, its program, and defaults of its environment.
import { isDashboardBuilt, retireDashboard } from './dashboard-build.mjs';
import { ensureInstalled } from './install.mjs';
import { DEFAULTS, readArguments, requireNode, SOURCE_DEFAULTS } from './node24.mjs';
import { arePackagesBuilt, retirePackages } from './packages-build.mjs';
import { serverProgram } from './server-build.mjs';

const args = readArguments();
await ensureInstalled({ withDev: false });
const isStart = !args.some((arg) => /^(?:--help|-h)$/.test(arg));
// The server builds them beside its start.
if (isStart && process.env.CULPRIT_DASHBOARD !== 'off' && !isDashboardBuilt()) retireDashboard();
if (isStart && process.env.CULPRIT_PACKAGES !== 'off' && !arePackagesBuilt()) retirePackages();
console.log(`node=${quoted(requireNode())}`);
const { main, isBuilt } = await serverProgram();
console.log(`main=${quoted(main)}`);
for (const [name, value] of Object.entries(isBuilt ? DEFAULTS : SOURCE_DEFAULTS)) {
  console.log(`export ${name}="\${${name}-${value.replace(/["\\$`]/g, '\\$&')}}"`);
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
