import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Preloaded into the program: a file system that keeps no permissions, where everybody may enter every directory. */

const mkdirSync = fs.mkdirSync;
function mkdirOpen(path: fs.PathLike): undefined {
  mkdirSync(path);
  fs.chmodSync(path, 0o777);
}
Object.assign(fs, { mkdirSync: mkdirOpen });
syncBuiltinESMExports();
