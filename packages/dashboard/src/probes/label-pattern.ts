/** Why no library would match a pattern; null when one would (docs/contract/ingestion.md 6.1). */
export function faultOfPattern(pattern: string): string | null {
  if (pattern === '') return 'Name a probe, or * for every one.';
  const name = pattern.endsWith('.*') ? pattern.slice(0, -2) : pattern === '*' ? 'every' : pattern;
  return name === '' || /[*?[]/.test(name) ? 'A * stands alone, or at the end after a dot: auth.*' : null;
}

/** Which probes a sound pattern names, in words. */
export function patternWords(pattern: string): string {
  if (pattern === '*') return 'every probe';
  if (!pattern.endsWith('.*')) return `the probe ${pattern} alone`;
  const name = pattern.slice(0, -2);
  return `${name} and every probe that begins with ${name}.`;
}
