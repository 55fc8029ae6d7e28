import {
  EMAIL_PATTERN,
  normalizeEmail,
  readMailbox,
  splitMailboxes,
} from '@culprit/contract/workspace/email-address';
import { describe, expect, it } from 'vitest';

const REQUEST = new RegExp(`^\\s*${EMAIL_PATTERN}\\s*$`);

describe('an address', () => {
  it.each([
    [' Jane.Doe@Example.COM ', 'jane.doe@example.com'],
    ['jane@bücher.example', 'jane@xn--bcher-kva.example'],
    ['jane@BÜCHER.example', 'jane@xn--bcher-kva.example'],
    ['jane@bu\u0308cher.example', 'jane@xn--bcher-kva.example'],
    ['jane@xn--bcher-kva.example', 'jane@xn--bcher-kva.example'],
    ['JANE@XN--BCHER-KVA.example', 'jane@xn--bcher-kva.example'],
    ['jane@straße.example', 'jane@xn--strae-oqa.example'],
    ['info@почта.рф', 'info@xn--80a1acny.xn--p1ai'],
    ['a@例え。テスト', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@مثال.إختبار', 'a@xn--mgbh0fb.xn--kgbechtv'],
    ['a@ｅｘａｍｐｌｅ.com', 'a@example.com'],
    ["o'brien+tag@example.com", "o'brien+tag@example.com"],
  ])('%j is stored as %s', (text, stored) => {
    expect(normalizeEmail(text)).toBe(stored);
    expect(REQUEST.test(text)).toBe(true);
  });

  it.each([
    ['letters outside ASCII before the @', 'jörg@example.com'],
    // In lower case it is a plain k.
    ['a Kelvin sign before the @', '\u212aate@example.com'],
    ['two addresses', 'a@example.com,b@example.com'],
    ['two @', 'a@b@example.com'],
    ['a full-width @', 'a＠example.com'],
    ['a path after the domain', 'a@bücher.example/x'],
    ['a port after the domain', 'a@bücher.example:25'],
    ['user information in the domain', 'a@ü:x@example.com'],
    ['a percent sign in the domain', 'a@b%C3%BCcher.example'],
    ['a blank in the domain', 'a@bü cher.example'],
    ['a line end in the domain', 'a@bü\r\ncher.example'],
    ['a domain that ends with a dot', 'a@bücher.example.'],
    ['an empty label', 'a@bücher..example'],
    ['an address of IPv4 in other digits', 'a@１２７.１'],
    ['a label that is none', 'a@xn--\u00fc.example'],
    ['a joiner where none may be', 'a@ü\u200d.example'],
    ['a label that is too long', `a@${'ü'.repeat(64)}.example`],
    ['a name', 'Jane <jane@example.com>'],
    ['nothing', ''],
  ])('is refused with %s', (_what, text) => {
    expect(normalizeEmail(text)).toBeNull();
  });

  it('is measured as it is stored', () => {
    const domain = `${'ü'.repeat(40)}.`.repeat(5);
    expect(normalizeEmail(`a@${domain}example`)).toMatch(/^a@xn--/);
    expect(normalizeEmail(`${'a'.repeat(60)}@${domain}example.example`)).toBeNull();
    expect(normalizeEmail(`a@${'ü'.repeat(400)}`)).toBeNull();
  });
});

describe('an address with a name', () => {
  it.each([
    ['jane@example.com', '', 'jane@example.com'],
    ['<jane@example.com>', '', 'jane@example.com'],
    ['Jane Doe <Jane@Example.com>', 'Jane Doe', 'Jane@example.com'],
    ['Jane Doe<jane@example.com>', 'Jane Doe', 'jane@example.com'],
    ['"Doe, Jane" <jane@example.com>', 'Doe, Jane', 'jane@example.com'],
    [
      '"Doe, \\"J\\" @ <home> \\\\ (x)" <jane@bücher.example>',
      'Doe, "J" @ <home> \\ (x)',
      'jane@xn--bcher-kva.example',
    ],
    ['Müller GmbH 😀 <jane@example.com>', 'Müller GmbH 😀', 'jane@example.com'],
    ['"" <jane@example.com>', '', 'jane@example.com'],
  ])('%s is read', (text, name, address) => {
    expect(readMailbox(text)).toEqual({ name, address });
  });

  it.each([
    'Doe, Jane <jane@example.com>',
    'jane@example.com <jane@example.com>',
    '"Doe" Jane <jane@example.com>',
    '"Doe, Jane <jane@example.com>',
    '"Doe\\" <jane@example.com>',
    'Jane <jane@example.com> x',
    'Jane <jane@example.com>, b@example.com',
    'Jane\r\nBcc: b@example.com <jane@example.com>',
    '"Jane\r\nBcc: b" <jane@example.com>',
    `${'x'.repeat(65)} <jane@example.com>`,
    'Jane <>',
    'jane@example.com>',
    'Jane',
    '',
  ])('%j is refused', (text) => {
    expect(readMailbox(text)).toBeNull();
  });

  it('is one of a list, which is split at the commas between addresses', () => {
    const list = ' a@example.com, "Doe, Jane" <jane@example.com>,, "x\\", y" <b@example.com>, ';
    expect(splitMailboxes(list)).toEqual([
      'a@example.com',
      '"Doe, Jane" <jane@example.com>',
      '"x\\", y" <b@example.com>',
    ]);
    expect(splitMailboxes('"never, closed')).toEqual(['"never, closed']);
    expect(splitMailboxes('')).toEqual([]);
  });
});
