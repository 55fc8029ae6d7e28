import { REDACTED } from '../../../contract/src/events/secret-keys.ts';
import type { ValuePattern } from '../options.ts';
import type { RedactionPattern } from './redact.ts';

/** A whole run of the characters that can precede the `@`: each of them is read only one time. */
const EMAIL = /[\w.+-]+(@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})?/g;
const ADDRESS =
  /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[\da-f]{1,4}:){7}[\da-f]{1,4}\b|\b(?:[\da-f]{1,4}:){1,6}(?::[\da-f]{1,4}){1,6}\b/gi;
/** The part of a text that an expression of the host sees in one call: it may be a slow one. */
const PIECE = /[\s\S]{1,2048}/g;

/** The patterns of the option `redactValues`. Own expressions replace every occurrence. */
export function readValuePatterns(patterns: readonly ValuePattern[]): RedactionPattern[] {
  return patterns.flatMap((pattern): RedactionPattern[] => {
    if (pattern === 'email')
      return [['@', (text) => text.replace(EMAIL, (run, domain) => (domain ? REDACTED : run))]];
    if (pattern === 'ip') return [['', (text) => text.replace(ADDRESS, REDACTED)]];
    if (!(pattern instanceof RegExp)) return [];
    const { source, flags } = pattern;
    const own = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
    return [['', (text) => text.replace(PIECE, (piece) => piece.replace(own, REDACTED))]];
  });
}
