import { redactDatabaseTexts } from '@culprit/contract/events/database-texts';
import { describe, expect, it } from 'vitest';
import { messageTemplate } from '../../src/events/fingerprint/template/message-template.ts';
import { redactText } from '../../src/events/redact/redact-values.ts';
import { charactersRead } from '../support/characters-read.ts';
import { DATABASE_TEXTS, UNTOUCHED } from './database-texts.ts';

/** docs/contract/clients.md 10.1: what was entered is hidden where the form of a database's message is known. */

/** What users enter: also what looks like the end of a value. */
const ENTERED = [
  'ann@planted.example',
  "O'Planted Ann",
  'planted (ann) "x"',
  'planted, ann; x',
  'planted\nann',
];
const HIDDEN = '[REDACTED]';

describe('a message of a database', () => {
  it.each(DATABASE_TEXTS)('%s: keeps its names and no value', (_of, write) => {
    for (const entered of ENTERED) {
      const text = write(entered);
      for (const form of [
        text,
        `QueryFailedError: ${text}\n    at run (/srv/app.js:3:5)\n    at next (/srv/b.js:1:1)`,
      ]) {
        const hidden = redactText(form);
        expect(hidden, form).not.toMatch(/planted/i);
        expect(hidden, form).toContain(HIDDEN);
        expect(redactText(hidden), form).toBe(hidden);
        if (form !== text) expect(hidden).toContain('at run (/srv/app.js:3:5)\n    at next (/srv/b.js:1:1)');
      }
    }
  });

  it.each(DATABASE_TEXTS)('%s: says what it says of a word', (_of, write, expected) => {
    expect(redactText(write('planted'))).toBe(expected);
  });

  it.each(DATABASE_TEXTS)('%s: is one incident, whatever was entered', (_of, write) => {
    const templates = ['ann', 'bo@shop.example', 'two words', '17'].map((entered) =>
      messageTemplate(redactText(write(entered)), 'Error'),
    );
    expect(new Set(templates).size, templates.join('\n')).toBe(1);
  });

  it.each(UNTOUCHED)('%j keeps its words', (text) => {
    expect(redactDatabaseTexts(text)).toBe(text);
  });

  it.each([
    "Duplicate entry '",
    "Duplicate entry 'x' for key ",
    'Key (a)=(',
    'Key (a)=(x)',
    ')=(',
    'failing row contains (',
    'invalid input syntax for type x: "',
    'value "',
    'value " is out of range for type',
    'at or near "',
    'dup key: {',
    'dup key: { a: "',
    'dup key: { : ',
    'keyValue: {a:',
    'failed for value ',
    'Path `a` (',
    ': `',
    'Invalid `x` invocation',
    'Invalid `x` invocation\n\n{ a: "',
    'insert into x ',
    "\nselect '",
    ': update ',
    "\nupdate x set a = '\\",
    'SQL: ',
    '(SQL: x values (',
    'Failed query: x\nparams: ',
    '\n[parameters: ',
    '[a]: version conflict',
    'with args beginning with: ',
    '"',
    "'",
    '(',
    '1, ',
    '\n\n',
  ])('is looked for in proportion to a text of %j', (unit) => {
    const text = unit.repeat(100_000 / unit.length);
    expect(charactersRead(() => redactDatabaseTexts(text))).toBeLessThan(120 * text.length);
  });
});
