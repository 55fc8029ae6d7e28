import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where `scripts/test.mjs` had the server put together, as `npm start` runs it; its sources run without. */
const BUILT = process.env.CULPRIT_TEST_SERVER;

/** The server that operators start, as sources: a module that is loaded before it can put others in their place. */
const SERVER_SOURCES = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** The same, repeating what failed after a twentieth of the delays. */
export const IMPATIENT_SERVER_SOURCES = fileURLToPath(new URL('./impatient-main.ts', import.meta.url));

/** The server that operators start, as they start it. */
export const SERVER = BUILT === undefined ? SERVER_SOURCES : join(BUILT, 'main.js');
/** The same, repeating what failed after a twentieth of the delays. */
export const IMPATIENT_SERVER =
  BUILT === undefined ? IMPATIENT_SERVER_SOURCES : join(BUILT, 'impatient-main.js');
/** A program of `test/support` that runs roles of the server: built where the server is. */
export function supportProgram(name: 'worker-child' | 'api-child'): string {
  return BUILT === undefined
    ? fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
    : join(BUILT, `${name}.js`);
}
/** What worker threads of a service in the process of a test run: built, because they start in a third of the time. */
export const THREAD_PROGRAM =
  BUILT === undefined ? undefined : pathToFileURL(join(BUILT, 'worker-thread.js'));
