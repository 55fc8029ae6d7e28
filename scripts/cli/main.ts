import { buildCli, CLI } from './build.ts';

/** npm run build:cli builds the command line into `packages/cli/dist`. */
const packages = await buildCli(CLI);
console.log(`Built packages/cli/dist with ${packages.length} packages inside.`);
