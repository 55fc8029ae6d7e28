// npm start: on a fresh clone installs what is needed, then runs the server with embedded defaults.
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';
import { exitLike, runNode } from './node24.mjs';

await ensureInstalled({ withDev: false });
await exitLike(await runNode([join(ROOT, 'packages/server/src/main.ts'), ...process.argv.slice(2)]));
