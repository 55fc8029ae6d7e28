import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageTemplate } from '../../../src/events/fingerprint/message-template.ts';
import { pathRouteTemplate } from '../../../src/events/fingerprint/route-template.ts';
import { redactText } from '../../../src/events/redact/redact-values.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 300 });

describe('messageTemplate', () => {
  it.each([
    ['composed form', 'Cafe\u0301 is closed', 'Café is closed'],
    ['first line that is not blank', '\n  \n  first\tline  \nsecond', 'first line'],
    ['white space', 'a   b\u00a0\u2003c', 'a b c'],
    ['back-quoted word', "undefined local variable `total' here", "undefined local variable 'total' here"],
    ['back-quoted word and an apostrophe further on', "`foo` isn't here", "<str> isn't here"],
    [
      'Ruby object',
      'bad #<User id: 5, name: "x"> and #<Shop::Cart:0x00007f>',
      'bad #<User> and #<Shop::Cart>',
    ],
    ['three leads', 'Uncaught Unhandled rejection panic: it broke', 'it broke'],
    ['four leads', 'panic: panic: panic: panic: it broke', 'panic: it broke'],
    ['lead in other letters', 'UNCAUGHT (IN PROMISE): it broke', 'it broke'],
    ['lead without text', 'panic:', 'panic:'],
    ['word that begins like a lead', 'panicking now', 'panicking now'],
    ['vendor codes', 'ORA-00942 TS2304 E11000 WFLYCTL0212', 'ORA-00942 TS2304 E11000 WFLYCTL0212'],
    ['HTTP codes', 'got HTTP/1.1 503, code=404, code: 999', 'got HTTP/1.1 503, code=404, code: <n>'],
    ['named identifier', "unknown column 'users.id' in 'list'", "unknown column 'users.id' in <str>"],
    ['named value that is no identifier', "no property 'two words'", 'no property <str>'],
    ['named value with a run of digits', 'no field "f_2024"', 'no field <str>'],
    ['URL', 'GET wss://h.example/x?y=1#z, then', 'GET <url> then'],
    ['e-mail', 'to a.b+c@mail.example.com.', 'to <email>.'],
    ['uuid', 'id 550E8400-E29B-41D4-A716-446655440000!', 'id <uuid>!'],
    ['date', 'on 2026-03-24 and at 10:30', 'on <ts> and at <ts>'],
    ['date-time with offset', 'at 2026-03-24 10:30:00,123 +02:00', 'at <ts>'],
    ['ipv4 with port', 'connect ECONNREFUSED 10.0.0.5:5432', 'connect ECONNREFUSED <ip>'],
    ['ipv6', 'from fe80::1ff:fe23:4567:890a now', 'from <ip> now'],
    ['module path with colons', 'Shop::Cart is missing', 'Shop::Cart is missing'],
    ['quotes of many kinds', `"a" “b” «c» \`d\``, '<str>'],
    ['apostrophe inside a word', "can't find the user's cart", "can't find the user's cart"],
    ['nested objects', 'got {a: {b: {c: 1}}} now', 'got <obj> now'],
    ['braces without a pair', 'in block { and }', 'in block { and }'],
    ['list', 'one of [1, 2, [3, 4]]', 'one of [<n>, <list>]'],
    ['paths', 'open /var/lib/x.db and C:\\data\\y.db', 'open <path>'],
    ['hex', 'at 0x7fff5fbff8a0 in deadbeef01', 'at <hex> in <hex>'],
    ['hex word without a digit', 'a facade defaced', 'a facade defaced'],
    ['prefixed id', 'customer cus_9s6XKzkNRiz8i3', 'customer <id>'],
    ['snake case is no id', 'column user_accounts', 'column user_accounts'],
    ['business id', 'order ORD-10293', 'order <id>'],
    ['long token', 'token z1b2c3d4e5-f6g7h8i9j0', 'token <id>'],
    ['numbers', 'took -12.5e3 of 1,000 in v2', 'took <n> of <n> in v<n>'],
    ['repeats', 'ids 1, 2; 3 | 4 and 5', 'ids <n>'],
    ['different neighbours', 'from 1 to 2', 'from <n> to <n>'],
  ])('%s: %s', (_rule, message, template) => {
    expect(messageTemplate(message, '')).toBe(template);
  });

  it.each([
    ['TypeError', 'TypeError: x', 'x'],
    ['com.acme.Boom', 'Boom: x', 'x'],
    ['com.acme.Boom', 'com.acme.Boom: x', 'x'],
    ['App\\Errors\\Boom', 'Boom: x', 'x'],
    ['Shop::Boom', 'Boom: x', 'x'],
    ['TypeError', 'RangeError: x', 'RangeError: x'],
    ['TypeError', 'TypeError:x', 'TypeError:x'],
    ['TypeError', 'TypeError: TypeError: x', 'TypeError: x'],
    ['Error', 'Uncaught Error: x', 'x'],
    ['', ': x', ': x'],
    ['a.', ': x', ': x'],
  ])('removes the type %s from %s', (type, message, template) => {
    expect(messageTemplate(message, type)).toBe(template);
  });

  it('says so when nothing is left', () => {
    for (const message of ['', ' \n\t\r\n ', '\u2028']) expect(messageTemplate(message, '')).toBe('<empty>');
  });

  it('reads 2000 code points and keeps 256', () => {
    expect(messageTemplate('x'.repeat(5000), '')).toBe('x'.repeat(256));
    expect(messageTemplate('😀'.repeat(300), '')).toBe('😀'.repeat(256));
    expect(messageTemplate(`${' '.repeat(1999)}ab`, '')).toBe('a');
    expect(messageTemplate(`${' '.repeat(2000)}ab`, '')).toBe('<empty>');
  });

  it('keeps protected text whose look another step would change', () => {
    expect(messageTemplate("SQLSTATE[42S02]: table 'a.b' E1234 'A.b' object", '')).toBe(
      "SQLSTATE[42S02]: table 'a.b' E1234 'A.b' object",
    );
    expect(messageTemplate('said "SQLSTATE[42S02] here" and {code: 404}', '')).toBe(
      'said <str> and {code: 404}',
    );
  });

  it('never throws, never is empty and stays within 256 code points', () => {
    fc.assert(
      fc.property(anyText, anyText, (message, type) => {
        const template = messageTemplate(message, type);
        expect(template.length).toBeGreaterThan(0);
        expect([...template].length).toBeLessThanOrEqual(256);
        expect(template.isWellFormed()).toBe(true);
      }),
    );
  });

  it('does not change a template of plain words and values any further', () => {
    const word = fc.constantFrom(
      'order',
      'failed',
      '42',
      "'ana'",
      '10.0.0.1',
      'cus_a1b2c3d4',
      '/a/b/c',
      'a@b.co',
      '{x: 1}',
      '[1, 2]',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        const once = messageTemplate(words.join(' '), '');
        expect(messageTemplate(once, '')).toBe(once);
      }),
    );
  });

  it('gives the same template for every number', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        expect(messageTemplate(`Job ${a} failed`, '')).toBe(messageTemplate(`Job ${b} failed`, ''));
      }),
    );
  });
});

describe('card-like numbers', () => {
  it('leave the template of a message alone whether or not they pass the Luhn check', () => {
    const templates = ['4111111111111111', '4111111111111112'].map((number) =>
      messageTemplate(redactText(`order ${number} failed`), 'Error'),
    );
    expect(templates).toEqual(['order <n> failed', 'order <n> failed']);
  });

  it('leave the template of a route alone too', () => {
    expect(pathRouteTemplate(redactText('/orders/4111111111111111/pay'))).toBe('/orders/{param}/pay');
  });
});
