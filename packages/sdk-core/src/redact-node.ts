import { REDACTED } from '../../contract/src/secret-keys.ts';
import { redactServerForms } from '../../contract/src/secret-texts.ts';
import type { RedactionPattern } from './redact.ts';

/** Keys of providers and forms of texts that are found on servers (docs/contract/clients.md 10.1). */
export const SERVER_PATTERNS: readonly RedactionPattern[] = [
  ['', redactServerForms],
  ['AKIA', (text) => text.replace(/\bAKIA[A-Z0-9]{16}\b/g, REDACTED)],
  ['gh', (text) => text.replace(/\bgh[pousr]_[A-Za-z0-9]{20,255}/g, REDACTED)],
  ['sk_live_', (text) => text.replace(/\bsk_live_[A-Za-z0-9]{10,255}/g, REDACTED)],
  ['xox', (text) => text.replace(/\bxox[a-z]-[A-Za-z0-9-]{10,255}/g, REDACTED)],
];
