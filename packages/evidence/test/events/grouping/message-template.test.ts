import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathRouteTemplate } from '../../../src/events/fingerprint/route-template.ts';
import { messageTemplate } from '../../../src/events/fingerprint/template/message-template.ts';
import { redactText } from '../../../src/events/redact/redact-values.ts';
import { LABELLED_MESSAGES } from './labelled-messages.ts';
import { measureAccuracy } from './measure-accuracy.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 300 });

describe('messageTemplate', () => {
  it.each(LABELLED_MESSAGES.filter(({ same }) => same.length > 1))(
    'reads one cause as one: $class',
    ({ same }) => {
      expect([...new Set(same.map((message) => messageTemplate(message, '')))]).toHaveLength(1);
    },
  );

  it('never reads two causes as one', () => {
    const causes = new Map<string, Set<string>>();
    for (const { class: name, same } of LABELLED_MESSAGES) {
      for (const message of same) {
        const template = messageTemplate(message, '');
        causes.set(template, (causes.get(template) ?? new Set()).add(name));
      }
    }
    expect([...causes].filter(([, names]) => names.size > 1)).toEqual([]);
  });

  it('finds nearly all of the true groups, at full precision', () => {
    const { precision, groupingAccuracy } = measureAccuracy(
      LABELLED_MESSAGES.flatMap(({ class: truth, same }) =>
        same.map((message) => ({ truth, key: messageTemplate(message, '') })),
      ),
    );
    expect(precision).toBe(1);
    expect(groupingAccuracy).toBeGreaterThan(0.95);
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
    expect(messageTemplate(message, '')).toBe(template);
  });

  it.each([
    ['composed form', 'Cafe\u0301 is closed', 'Café is closed'],
    ['three leads', 'Uncaught Unhandled rejection panic: it broke', 'it broke'],
    ['four leads', 'panic: panic: panic: panic: it broke', 'panic: it broke'],
    ['lead in other letters', 'UNCAUGHT (IN PROMISE): it broke', 'it broke'],
    ['lead without text', 'panic:', 'panic:'],
    ['word that begins like a lead', 'panicking now', 'panicking now'],
    ['back-quoted word', "undefined local variable `total' here", "undefined local variable 'total' here"],
    ['Ruby object', 'bad #<User id: 5, name: "x">', 'bad #<User>'],
    ['vendor codes', 'ORA-00942 TS2304 E11000 WFLYCTL0212', 'ORA-00942 TS2304 E11000 WFLYCTL0212'],
    ['SQLSTATE', "SQLSTATE[42S02]: table 'a.b'", "SQLSTATE[42S02]: table 'a.b'"],
  ])('%s', (_rule, message, template) => {
    expect(messageTemplate(message, '')).toBe(template);
  });

  it.each([
    ['com.acme.Boom', 'com.acme.Boom: x 5', 'x <*>'],
    ['com.acme.Boom', 'Boom: x', 'x'],
    ['App\\Errors\\Boom', 'Boom: x', 'x'],
    ['Shop::Boom', 'Boom: x', 'x'],
    ['TypeError', 'RangeError: x', 'RangeError: x'],
    ['TypeError', 'TypeError: TypeError: x', 'TypeError: x'],
    ['Error', 'Uncaught Error: x', 'x'],
    ['', ': x', ': x'],
    ['a.', ': x', ': x'],
  ])('takes the type %s off %s', (type, message, template) => {
    expect(messageTemplate(message, type)).toBe(template);
  });

  it('reads 2000 code points and keeps 256', () => {
    expect(messageTemplate('x'.repeat(5000), '')).toBe('x'.repeat(256));
    expect(messageTemplate('😀'.repeat(300), '')).toBe('😀'.repeat(256));
    expect(messageTemplate(`${' '.repeat(1999)}ab`, '')).toBe('a');
    expect(messageTemplate(`${' '.repeat(2000)}ab`, '')).toBe('<empty>');
  });

  it('is at most 256 code points long and never empty, for any text', () => {
    fc.assert(
      fc.property(anyText, (message) => {
        const template = messageTemplate(message, '');
        const points = [...template].length;
        return points > 0 && points <= 256 && template.isWellFormed();
      }),
    );
  });

  it('does not depend on the number in a message, for any words around it', () => {
    const word = fc.stringMatching(/^[a-z]{5,9}$/);
    fc.assert(
      fc.property(word, word, fc.integer(), fc.integer(), (left, right, a, b) => {
        const [one, other] = [a, b].map((n) => messageTemplate(`${left} ${n} ${right}`, ''));
        return one === other;
      }),
    );
  });

  it('does not depend on the length of a list', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (numbers) => {
        expect(messageTemplate(`Unknown ids [${numbers.join(', ')}] given`, '')).toBe(
          'Unknown ids <*> given',
        );
        expect(messageTemplate(numbers.map((n) => `row=${n}`).join(', '), '')).toBe('row=<*>');
      }),
    );
  });
});

describe('card-like numbers', () => {
  it('leave the template of a message alone whether or not they pass the Luhn check', () => {
    const templates = ['4111111111111111', '4111111111111112'].map((number) =>
      messageTemplate(redactText(`order ${number} failed`), 'Error'),
    );
    expect(templates).toEqual(['order <*> failed', 'order <*> failed']);
  });

  it('leave the template of a route alone too', () => {
    expect(pathRouteTemplate(redactText('/orders/4111111111111111/pay'))).toBe('/orders/{param}/pay');
  });
});
