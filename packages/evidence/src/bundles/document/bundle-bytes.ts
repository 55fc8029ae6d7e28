import { createHash } from 'node:crypto';
import type { BundleDocument } from './bundle-document.ts';
import { canonicalMembers } from './canonical-json.ts';

/** A document in its stored form, which is also the answer. */
interface WrittenBundle {
  /** Canonical JSON in UTF-8 (docs/contract/incidents.md 3.10). */
  bytes: Buffer;
  /**
   * SHA-256 (32 bytes) of everything but `metadata`. Two documents with the same hash are the same generation: a
   * refresh that finds nothing new is not stored (docs/contract/incidents.md 3.9, Numbering).
   */
  contentSha256: Buffer;
}

/** Writes a document. Both results are of one pass over it. */
export function writeBundle(document: BundleDocument): WrittenBundle {
  const members = canonicalMembers(document);
  const content = members.filter(({ key }) => key !== 'metadata');
  return {
    bytes: Buffer.from(objectText(members), 'utf8'),
    contentSha256: createHash('sha256').update(objectText(content), 'utf8').digest(),
  };
}

function objectText(members: readonly { text: string }[]): string {
  return `{${members.map(({ text }) => text).join(',')}}`;
}
