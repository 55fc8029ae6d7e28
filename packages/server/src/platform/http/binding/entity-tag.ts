import { hash } from 'node:crypto';

/** The strong `ETag` of an answer's bytes, quotes included: equal tags mean equal bytes. */
export function entityTag(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url')}"`;
}

/** One tag of a list, weak or strong; the quotes can contain commas. */
const TAG = /(?:W\/)?("[^"]*")/g;

/** Returns true if `If-None-Match` names the tag: as one of a list, in its weak form, or with `*`. */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(TAG)].some(([, strong]) => strong === tag);
}
