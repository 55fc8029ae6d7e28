import { registerHooks } from 'node:module';

/**
 * Loaded before everything else (`--import`) by worker processes of tests: in worker threads it puts modules of the
 * tests in the place of the program's own. The program knows nothing of it.
 */

/** The program's modules as the worker thread names them, and what takes their place. */
const REPLACED = new Map([
  [
    '@culprit/evidence/events/fingerprint/memoized-fingerprint',
    new URL('poison-fingerprint.ts', import.meta.url).href,
  ],
  ['../platform/db/database.ts', new URL('mortal-database.ts', import.meta.url).href],
]);

registerHooks({
  resolve(specifier, context, next) {
    const replacement = context.parentURL?.endsWith('/src/roles/worker-thread.ts')
      ? REPLACED.get(specifier)
      : undefined;
    return next(replacement ?? specifier, context);
  },
});
