import { REDACTED } from '@culprit/contract/events/secret-keys';
import type { RedactionReport } from '@culprit/contract/incidents/bundle';
import type { BundleDocument } from '../document/bundle-document.ts';
import { cutText } from '../document/size-bounds.ts';
import { compareText } from './choose-evidence.ts';

const FIELDS_MAX = 200;
/** Keys are the application's and may be long. */
const PATH_BYTES_MAX = 256;

/**
 * Which places of the document carry a mark (docs/contract/incidents.md 3.7): sorted paths such as
 * `context.request.headers.authorization`, at most 200. The reproduction repeats the request, so its places are
 * listed only when they are the only ones.
 */
export function redactionReport(document: Omit<BundleDocument, 'redaction'>): RedactionReport {
  const { reproduction, ...evidence } = document;
  const evidencePaths = markedPaths(evidence, '');
  const paths = evidencePaths.length > 0 ? evidencePaths : markedPaths(reproduction, 'reproduction');
  const sorted = [...new Set(paths)].sort(compareText);
  return {
    redacted: sorted.length > 0,
    fields: sorted.slice(0, FIELDS_MAX),
    notes: sorted.length > FIELDS_MAX ? `${sorted.length - FIELDS_MAX} more fields` : null,
  };
}

function markedPaths(value: unknown, path: string): string[] {
  if (typeof value === 'string') return value.includes(REDACTED) ? [cutText(path, PATH_BYTES_MAX)] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => markedPaths(item, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    markedPaths(member, path === '' ? key : `${path}.${key}`),
  );
}
