import { redactDatabaseTexts } from '../../../contract/src/events/database-texts.ts';
import { redactServerForms } from '../../../contract/src/events/secret-texts.ts';
import { redactTokens } from '../../../contract/src/events/secret-tokens.ts';
import type { RedactionPattern } from './redact.ts';

/**
 * Tokens of known makers, forms of texts that are found on servers, and values in messages of databases
 * (docs/contract/clients.md 10.1).
 */
export const SERVER_PATTERNS: readonly RedactionPattern[] = [
  ['', (text) => redactTokens(text)],
  ['', redactServerForms],
  ['', redactDatabaseTexts],
];
