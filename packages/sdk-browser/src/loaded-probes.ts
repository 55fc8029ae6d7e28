import { activeProbes } from './active-probes.ts';

/** Stands for `load-probes.ts` in the script, which is one file. */
export const loadProbes = (): Promise<{ activeProbes: typeof activeProbes }> =>
  Promise.resolve({ activeProbes });
