import { readMarksAsNumbers } from '../redact/redact-values.ts';
import { cutCodePoints } from './bounded-text.ts';
import { statementOf } from './statement/statement.ts';

const MESSAGE_CODE_POINTS_MAX = 2000;
/** NFC makes one code point of at most four; sorting long runs of marks takes quadratic time. */
const UNCOMPOSED_CODE_POINTS_MAX = 4 * MESSAGE_CODE_POINTS_MAX;
const LEADS_REMOVED_MAX = 3;
/** Below, every character is composed. */
const MAY_BE_COMPOSED = /[^\0-\u02ff]/;
/** Anything but single blanks. */
const OTHER_BLANKS = /[^\S ]| {2}/;

/**
 * The line of a message that a template is made of: well formed, composed, bounded, one space between words, without
 * what runtimes put before it (contract incidents 5.4.3, T01 to T06).
 */
export function messageLine(message: string, type: string): string {
  const uncomposed = cutCodePoints(readMarksAsNumbers(message.toWellFormed()), UNCOMPOSED_CODE_POINTS_MAX);
  const composed = MAY_BE_COMPOSED.test(uncomposed) ? uncomposed.normalize('NFC') : uncomposed;
  const bounded = cutCodePoints(composed, MESSAGE_CODE_POINTS_MAX);
  const stated = statementOf(bounded);
  const line = plainRubyForms(OTHER_BLANKS.test(stated) ? stated.replace(/\s+/g, ' ') : stated);
  return withoutType(withoutLeads(line), type);
}

/** T04. */
function plainRubyForms(line: string): string {
  let text = line;
  if (text.includes('`')) text = text.replace(/`([^`'\s]+)'/g, "'$1'");
  if (text.includes('nil:NilClass')) text = text.replace(/\bnil:NilClass\b/g, 'nil');
  if (text.includes('#<')) text = text.replace(/#<([A-Za-z_]\w*(?:::\w+)*)[^>]*>/g, '#<$1>');
  return text;
}

const LEAD =
  /^(?:(?:uncaught \(in promise\)|uncaught|unhandled rejection|unhandled promise rejection|panic|called ['`]Result::(?:unwrap|expect)\(\)['`] on an ['`]Err['`] value)(?:: ?| )|thread '[^']{0,100}'(?: \(\d{1,10}\))? panicked at )(?=\S)/i;

/** Go's words behind the value of a panic that was recovered. */
const RECOVERED = / \[recovered(?:, repanicked)?\]$/;

/** Returns true if a text begins with one of the first letters of a lead, which most texts do not. */
function beginsLead(text: string): boolean {
  const letter = text.charCodeAt(0) | 0x20;
  return letter === 0x75 || letter === 0x70 || letter === 0x63 || letter === 0x74;
}

/** T05. */
function withoutLeads(line: string): string {
  let text = line;
  for (let removed = 0; removed < LEADS_REMOVED_MAX && beginsLead(text); removed++) {
    const rest = text.replace(LEAD, '');
    if (rest === text) break;
    text = rest;
  }
  return text.endsWith('ed]') ? text.replace(RECOVERED, '') : text;
}

/** T06: the full type, or its last segment. */
function withoutType(text: string, type: string): string {
  if (type === '') return text;
  if (beginsWith(text, type)) return text.slice(type.length + 2);
  const last = type.slice(1 + Math.max(type.lastIndexOf('.'), type.lastIndexOf('\\'), type.lastIndexOf(':')));
  return last !== '' && beginsWith(text, last) ? text.slice(last.length + 2) : text;
}

function beginsWith(text: string, type: string): boolean {
  return text.startsWith(type) && text.startsWith(': ', type.length);
}
