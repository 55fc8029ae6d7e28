/**
 * What is wrong with a pattern of labels, in ASCII words; null when libraries read it as it is meant
 * (docs/contract/ingestion.md 6.1). They know `*`, a trailing `.*` and plain labels: any other wildcard would be taken
 * literally and match nothing.
 */
export function labelPatternFault(pattern: string): string | null {
  if (pattern === '*') return null;
  const wildcard = ['?', '['].find((each) => pattern.includes(each));
  if (wildcard !== undefined) {
    return `"${wildcard}" is no wildcard and cannot be part of a pattern; ${ALLOWED}`;
  }
  const label = pattern.endsWith('.*') ? pattern.slice(0, -2) : pattern;
  if (label === '') return `nothing stands before ".*"; ${ALLOWED}`;
  return label.includes('*') ? `"*" stands alone or after the last dot only; ${ALLOWED}` : null;
}

const ALLOWED = 'allowed are "*", "name.*" and one whole label';
