import type { JsonValue } from '../../events/envelope/json.ts';
import type { BundleDocument } from '../document/bundle-document.ts';
import { redactValue } from './redact-evidence.ts';

/**
 * The last pass before a document is written (docs/contract/incidents.md 3.7, Order). Every block redacts its own text
 * before cutting it; this pass covers texts that a new block might leave out. It leaves out ids, times and the
 * reproduction: those are no evidence, and a command is made of redacted parts, while a mark put across its quotes would
 * break it.
 */
export function lastRedaction<Document extends Omit<BundleDocument, 'redaction'>>(
  document: Document,
): Document {
  const { occurrences, ...blocks } = document.context;
  return {
    ...document,
    sdk: redacted(document.sdk),
    service: { ...redacted(document.service), id: document.service.id },
    summary: redacted(document.summary),
    context: { ...redacted(blocks), ...(occurrences === undefined ? {} : { occurrences }) },
  };
}

/** Redaction changes strings into strings and keeps every other value, so the layout stays what it was. */
function redacted<Part extends object>(part: Part): Part {
  return redactValue(part as unknown as JsonValue) as unknown as Part;
}
