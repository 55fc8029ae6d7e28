import { registerHooks } from 'node:module';

/** Loaded before the program (`--import`), it plants a defect: the intake window answers before it has committed. */

registerHooks({
  resolve(specifier, context, next) {
    const isCommit = specifier === './ingest.queries.ts' && context.parentURL?.endsWith('/intake-window.ts');
    return next(isCommit ? new URL('late-commit.ts', import.meta.url).href : specifier, context);
  },
});
