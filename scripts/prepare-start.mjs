// What `npm start` does before the server: installs what is missing, puts the server together, and takes away a
// dashboard that was built from other sources, whose pages would ask for what this server does not have. Prints what a
// shell evaluates: the Node to run the server with, its program, and defaults of its environment.
import { isDashboardBuilt, retireDashboard } from './dashboard-build.mjs';
import { ensureInstalled } from './install.mjs';
import { DEFAULTS, readArguments, requireNode, SOURCE_DEFAULTS } from './node24.mjs';
import { serverProgram } from './server-build.mjs';

const args = readArguments();
await ensureInstalled({ withDev: false });
const isWanted = process.env.CULPRIT_DASHBOARD !== 'off' && !args.some((arg) => /^(?:--help|-h)$/.test(arg));
// The server builds it beside its start.
if (isWanted && !isDashboardBuilt()) retireDashboard();
console.log(`node=${quoted(requireNode())}`);
const { main, isBuilt } = await serverProgram();
console.log(`main=${quoted(main)}`);
for (const [name, value] of Object.entries(isBuilt ? DEFAULTS : SOURCE_DEFAULTS)) {
  console.log(`export ${name}="\${${name}-${value.replace(/["\\$`]/g, '\\$&')}}"`);
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
