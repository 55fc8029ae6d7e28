/**
 * How the files end that a process or thread of ours begins with: `ts` when the sources run, `js` in the built server
 * (`scripts/server/build.ts`), which has them beside whatever names them.
 */
export const ENTRY_EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
