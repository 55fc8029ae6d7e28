import { registerHooks } from 'node:module';

/** Loaded before the program (`--import`), it plants a defect: directories of objects are never synced. */

registerHooks({
  resolve(specifier, context, next) {
    const isDirectories =
      specifier === './durable-directories.ts' && context.parentURL?.endsWith('/file-object-store.ts');
    return next(
      isDirectories ? new URL('unsynced-directories.ts', import.meta.url).href : specifier,
      context,
    );
  },
});
