import type { Flag } from '../flag.ts';

/** Flags of every list (docs/contract/command-line.md 2.8). */
export const LIST_FLAGS: readonly Flag[] = [
  { name: 'limit', value: 'N', kind: 'integer', min: 1, max: 10_000, standard: '20', says: 'rows' },
  { name: 'all', says: 'every row, at most 10,000' },
  { name: 'cursor', value: 'C', says: 'continue after an earlier list' },
];
