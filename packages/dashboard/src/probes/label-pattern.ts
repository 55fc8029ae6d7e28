/** Returns the fault in a pattern; null for a sound one (docs/contract/ingestion.md 6.1). */
export function faultOfPattern(pattern: string): string | null {
  if (pattern === '') return 'Enter a label, or * for every probe.';
  return pattern === '.*' || pattern.includes('[')
    ? 'In a label, * matches any text and ? one character, such as auth.*. [ is not allowed'
    : null;
}

/** Which probes a sound pattern names, in words. */
export function patternWords(pattern: string): string {
  if (pattern === '*') return 'every probe';
  const name = pattern.endsWith('.*') ? pattern.slice(0, -2) : pattern;
  if (/[*?]/.test(name)) return `every probe that matches ${pattern}, in Culprit's own libraries`;
  if (name === pattern) return `the probe ${pattern} alone`;
  return `${name} and every probe that begins with ${name}.`;
}
