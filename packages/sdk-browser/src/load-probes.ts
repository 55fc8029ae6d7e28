/** Loads what acts on directives; in the script it is a part of it (`loaded-probes.ts`). */
export const loadProbes = () => import('./active-probes.ts');
