// node scripts/with-node.mjs [--dev] <file.ts> [arguments]: runs a program of ours with everything it needs, with
// `--dev` the tools of development too. Writes nothing to standard output itself, because that belongs to the program
// (`npm run -s admin -- … --json`).
import { ensureInstalled } from './install.mjs';
import { exitLike, readArguments, runNode } from './node24.mjs';

const all = readArguments();
const withDev = all[0] === '--dev';
const args = withDev ? all.slice(1) : all;
if (args.length === 0) {
  console.error('Usage: node scripts/with-node.mjs [--dev] <file.ts> [arguments]');
  process.exit(1);
}
await ensureInstalled({ withDev });
await exitLike(await runNode(args, { isWatched: true }));
