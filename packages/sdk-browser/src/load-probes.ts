import type { activeProbes } from './active-probes.ts';

/** Loads what acts on directives; in the script it is a part of it (`loaded-probes.ts`). */
export const loadProbes = (): Promise<{ activeProbes: typeof activeProbes }> => import('./active-probes.ts');
