import { createHash } from 'node:crypto';
import type { BundleDocument } from './bundle-document.ts';
import { canonicalJson } from './canonical-json.ts';

/** The bytes that are stored and answered: canonical JSON in UTF-8 (docs/contract/incidents.md 3.10). */
export function serializeBundle(document: BundleDocument): Buffer {
  return Buffer.from(canonicalJson(document), 'utf8');
}

/**
 * SHA-256 (32 bytes) of everything but `metadata`. Two documents with the same hash are the same generation: a
 * refresh that finds nothing new is not stored (docs/contract/incidents.md 3.9, Numbering).
 */
export function bundleContentHash(document: BundleDocument): Buffer {
  const { metadata: _metadata, ...content } = document;
  return createHash('sha256').update(canonicalJson(content), 'utf8').digest();
}
