import type { ReleasesBlock } from '../incidents/bundle-context.ts';

/** Between which releases an incident was seen, and in which it came back, in a sentence; null where none is known. */
export function releasesSentence(releases: ReleasesBlock | undefined): string | null {
  if (releases === undefined) return null;
  const { first, last, regressed_in: back } = releases;
  const parts = [
    first === null ? null : first === last ? `only seen in ${first}` : `first seen in ${first}`,
    last === null || last === first ? null : `last seen in ${last}`,
    back === null ? null : `came back in ${back}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}
