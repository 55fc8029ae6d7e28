import { redactServerForms } from '../../contract/src/secret-texts.ts';
import { redactTokens } from '../../contract/src/secret-tokens.ts';
import type { RedactionPattern } from './redact.ts';

/** Tokens of known makers, and forms of texts that are found on servers (docs/contract/clients.md 10.1). */
export const SERVER_PATTERNS: readonly RedactionPattern[] = [
  ['', (text) => redactTokens(text)],
  ['', redactServerForms],
];
