/** `reportErrors` where the runtime is not Node: it reports nothing. */
export function reportErrors(_errors: readonly unknown[] | undefined): string[] {
  return [];
}
