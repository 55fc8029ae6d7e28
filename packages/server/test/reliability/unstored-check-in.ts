import { registerHooks } from 'node:module';

/** Loaded before the program (`--import`), it plants a defect: a check-in is answered before it is stored. */

registerHooks({
  resolve(specifier, context, next) {
    const isRecording = specifier === './record-check-in.ts' && context.parentURL?.includes('/heartbeats/');
    return next(isRecording ? new URL('late-check-in.ts', import.meta.url).href : specifier, context);
  },
});
