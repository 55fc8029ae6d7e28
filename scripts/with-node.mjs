// node scripts/with-node.mjs <file.ts> [arguments]: runs a program of ours with everything it needs. Writes nothing
// to standard output itself, because that belongs to the program (`npm run -s admin -- … --json`).
import { ensureInstalled } from './install.mjs';
import { exitLike, runNode } from './node24.mjs';

if (process.argv.length < 3) {
  console.error('Usage: node scripts/with-node.mjs <file.ts> [arguments]');
  process.exit(1);
}
await ensureInstalled({ withDev: false });
await exitLike(await runNode(process.argv.slice(2)));
