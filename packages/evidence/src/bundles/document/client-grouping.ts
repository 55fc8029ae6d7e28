import type { BundleDocument } from './bundle-document.ts';

const CHARS_MAX = 500;

/**
 * The fingerprint that the client gave the event of a document, as text; null where it gave none. Evidence for people:
 * it brings no events together (docs/contract/foreign-protocols.md 5.7).
 */
export function clientGroupingOf({ context }: BundleDocument): string | null {
  const sentry = context.custom?.context.sentry;
  if (typeof sentry !== 'object' || sentry === null || Array.isArray(sentry)) return null;
  const { fingerprint } = sentry;
  if (!Array.isArray(fingerprint) || fingerprint.length === 0) return null;
  // Such a one parts groups that the client makes otherwise, and ties none.
  if (fingerprint.some((part) => typeof part === 'string' && /^\{\{ ?default ?\}\}$/.test(part))) return null;
  return JSON.stringify(fingerprint).slice(0, CHARS_MAX);
}
