/** The module that acts on directives. */
export type ActiveProbes = typeof import('./active-probes.ts');

/** Loads it; in the script it is a part of it (`loaded-probes.ts`). */
export function loadProbes(): Promise<ActiveProbes> {
  return import('./active-probes.ts');
}
