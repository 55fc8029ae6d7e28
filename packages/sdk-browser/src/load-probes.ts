/** Loads what acts on directives; in the script it is a part of it (`loaded-probes.ts`). */
export const loadProbes = (): Promise<typeof import('./active-probes.ts')> => import('./active-probes.ts');
