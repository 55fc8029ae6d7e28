import { redactText } from '../../events/redact/redact-values.ts';
import { stripUrl, stripUrlSecrets } from '../../events/redact/strip-url-secrets.ts';
import { cutText, SHORT_TEXT_BYTES_MAX } from '../document/size-bounds.ts';

/** Text of an event as a document may show it: redacted, then cut. */
export function evidenceText(text: string, bytesMax: number = SHORT_TEXT_BYTES_MAX): string {
  return cutText(redactText(text), bytesMax);
}

/** `evidenceText` of a text that may be absent. */
export function evidenceTextOrNull(
  text: string | null,
  bytesMax: number = SHORT_TEXT_BYTES_MAX,
): string | null {
  return text === null ? null : evidenceText(text, bytesMax);
}

/**
 * `evidenceText` of a text from a browser: URLs in it lose user-info, query and fragment (docs/contract/incidents.md
 * 3.7).
 */
export function browserText(text: string, bytesMax: number = SHORT_TEXT_BYTES_MAX): string {
  return evidenceText(stripUrlSecrets(text), bytesMax);
}

/** A route or address from a browser: without user-info, query and fragment, also when it is not absolute. */
export function browserAddress(address: string): string {
  return evidenceText(stripUrl(address));
}
