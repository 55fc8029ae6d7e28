import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageTemplate } from '../../../src/events/fingerprint/message-template.ts';
import {
  messageTemplateV2,
  shownTemplateV2,
} from '../../../src/events/fingerprint/template/message-template-v2.ts';
import { LABELLED_MESSAGES } from './labelled-messages.ts';
import { measureAccuracy } from './measure-accuracy.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 300 });

describe('messageTemplateV2', () => {
  it.each(LABELLED_MESSAGES.filter(({ same }) => same.length > 1))(
    'reads one cause as one: $class',
    ({ same }) => {
      expect([...new Set(same.map((message) => messageTemplateV2(message, '')))]).toHaveLength(1);
    },
  );

  it('never reads two causes as one', () => {
    const causes = new Map<string, Set<string>>();
    for (const { class: name, same } of LABELLED_MESSAGES) {
      for (const message of same) {
        const template = messageTemplateV2(message, '');
        causes.set(template, (causes.get(template) ?? new Set()).add(name));
      }
    }
    expect([...causes].filter(([, names]) => names.size > 1)).toEqual([]);
  });

  it('finds more of the true groups than version 1, at full precision', () => {
    const measured = (template: (message: string, type: string) => string) =>
      measureAccuracy(
        LABELLED_MESSAGES.flatMap(({ class: truth, same }) =>
          same.map((message) => ({ truth, key: template(message, '') })),
        ),
      );
    const [v1, v2] = [measured(messageTemplate), measured(messageTemplateV2)];
    expect(v2.precision).toBe(1);
    expect(v2.precision).toBeGreaterThan(v1.precision);
    expect(v2.groupingAccuracy).toBeGreaterThan(v1.groupingAccuracy);
    expect(v2.groupingAccuracy).toBeGreaterThan(0.95);
  });

  it.each([
    ['one placeholder for every kind', 'Job 42 of a@b.example at 10:30', 'Job <*> of <*> at <*>'],
    ['protected numbers', 'exit code 137 (attempt 3)', 'exit code 137 (attempt <*>)'],
    ['a quoted word', 'no "total" here', "no 'total' here"],
    ['a quoted sentence', 'no "grand total" here', 'no <*> here'],
    ['a quote that never closes', 'no "total here', "no 'total here"],
    ['an apostrophe', "can't find the user's cart", "can't find the user's cart"],
    ['nested objects', 'got {a: {b: {c: 1}}} now', 'got {a: {b: {c: <*>}}} now'],
    ['brackets of values', 'open(1, 2) failed', 'open<*> failed'],
    ['empty brackets', 'init() {} failed', 'init failed'],
    [
      'a line that only announces the next',
      'Validation failed:\n\n  total is 5',
      'Validation failed: total is <*>',
    ],
    ['nothing', '  \n ', '<empty>'],
    ['a Java class', 'java.lang.Foo: java.io is bad', 'java.lang.Foo: java.io is bad'],
    ['a facade', 'the facade is bad', 'the facade is bad'],
  ])('%s', (_rule, message, template) => {
    expect(messageTemplateV2(message, '')).toBe(template);
  });

  it('shows the kinds of values to people', () => {
    expect(shownTemplateV2('Job 42 by a@b.example on 10.0.0.1:80 at 2026-01-02 of /a/b', '')).toBe(
      'Job <n> by <email> on <ip> at <ts> of <path>',
    );
  });

  it('takes the type off the message', () => {
    expect(messageTemplateV2('com.acme.Boom: x 5', 'com.acme.Boom')).toBe('x <*>');
  });

  it('is at most 256 code points long and never empty, for any text', () => {
    fc.assert(
      fc.property(anyText, (message) => {
        const template = messageTemplateV2(message, '');
        const points = [...template].length;
        return points > 0 && points <= 256 && template.isWellFormed();
      }),
    );
  });

  it('does not depend on the number in a message, for any words around it', () => {
    const word = fc.stringMatching(/^[a-z]{5,9}$/);
    fc.assert(
      fc.property(word, word, fc.integer(), fc.integer(), (left, right, a, b) => {
        const [one, other] = [a, b].map((n) => messageTemplateV2(`${left} ${n} ${right}`, ''));
        return one === other;
      }),
    );
  });

  it('does not depend on the length of a list', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (numbers) => {
        expect(messageTemplateV2(`Unknown ids [${numbers.join(', ')}] given`, '')).toBe(
          'Unknown ids <*> given',
        );
        expect(messageTemplateV2(numbers.map((n) => `row=${n}`).join(', '), '')).toBe('row=<*>');
      }),
    );
  });
});
