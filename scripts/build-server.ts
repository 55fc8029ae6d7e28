// node scripts/build-server.ts FOLDER [FILE...]: puts the server together in a folder that is not there yet, with further
// programs of our own beside it.
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** A process or thread begins with each. They name each other, as files of one folder: `entry-extension.ts`. */
const PROGRAMS = [
  'main.ts',
  'roles/role-process.ts',
  'roles/worker-thread.ts',
  'capture/fingerprint-thread.ts',
  'maps/making/form-thread.ts',
];

/** A library asks for it and does without. */
const ABSENT = ['pg-native'];

const [folder, ...further] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node scripts/build-server.ts FOLDER [FILE...]');
const files = [...PROGRAMS.map((path) => join(ROOT, 'packages/server/src', path)), ...further];
const bundler = await rolldown({
  input: Object.fromEntries(files.map((path) => [basename(path, '.ts'), path])),
  cwd: ROOT,
  platform: 'node',
  external: [/^node:/, ...ABSENT],
  tsconfig: false,
  transform: { target: 'node24' },
  onLog(level, log) {
    // An import that cannot be resolved would be left in the output, and its package is not installed.
    if (level === 'warn') throw new Error(log.message);
  },
});
try {
  await bundler.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // One character beyond Latin-1 would double a whole file in memory.
    charset: 'ascii',
    // Stacks in the log keep their names and lines; without them the program is hardly smaller in memory.
    minify: false,
    comments: { legal: false, annotation: false, jsdoc: false },
  });
} finally {
  await bundler.close();
}
