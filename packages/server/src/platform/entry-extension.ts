/**
 * The extension of the files with which a process or thread of ours starts: `ts` when the sources run, `js` in the
 * built server (`scripts/server/build.ts`), which stores them next to the file that names them.
 */
export const ENTRY_EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
