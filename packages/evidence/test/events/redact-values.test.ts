import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMarksAsNumbers, redactText } from '../../src/events/redact/redact-values.ts';
import { charactersRead } from '../support/characters-read.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const PROJECT_TOKEN = `svc_proj_${'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'}`;
const PEM =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf\n-----END RSA PRIVATE KEY-----';

describe('redacting by value', () => {
  it.each([
    [
      'Bearer credentials',
      'got Authorization: Bearer abc123.def-4, retrying',
      'got Authorization: Bearer [REDACTED], retrying',
    ],
    ['lower case Bearer', 'bearer  s3cr3t', 'bearer  [REDACTED]'],
    ['Bearer in a URL', 'auth=Bearer%20s3cr3t&x=1', 'auth=Bearer%20[REDACTED]&x=1'],
    ['Basic credentials', 'Basic dXNlcjpwYXNz', 'Basic [REDACTED]'],
    ['a JWT', `token ${JWT} expired`, 'token [REDACTED] expired'],
    ['a JWT in a query', `/x?jwt=${JWT}&y=1`, '/x?jwt=[REDACTED]&y=1'],
    ['a JWT cut after its second part', `${JWT.slice(0, 40)}`, '[REDACTED]'],
    ['a private key', `before ${PEM} after`, 'before [REDACTED] after'],
    ['a private key that was cut', `before ${PEM.slice(0, 60)}`, 'before [REDACTED]'],
    ['a private key on one line', PEM.replaceAll('\n', '\\n'), '[REDACTED]'],
    [
      'a PGP private key',
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----!',
      '[REDACTED]!',
    ],
    ['a project token', `sent ${PROJECT_TOKEN}.`, 'sent [REDACTED].'],
    ['a member token', 'sent svc_mem_abc', 'sent [REDACTED]'],
    ['a card number', 'card 4111111111111111 declined', 'card [REDACTED] declined'],
    ['a card number in groups', 'card 4111 1111 1111 1111, 3782-822463-10005', 'card [REDACTED], [REDACTED]'],
    ['a 19-digit number', 'n=6304000000000000000', 'n=[REDACTED]'],
    ['a 13-digit number', '4222222222222', '[REDACTED]'],
    [
      'user-info of a URL',
      'connect postgres://app:s3cret@db:5432/shop failed',
      'connect postgres://[REDACTED]@db:5432/shop failed',
    ],
    ['user-info without a password', 'https://token@host/x', 'https://[REDACTED]@host/x'],
    ['user-info with an at sign', 'https://a@b.example:pw@host', 'https://[REDACTED]@host'],
    [
      'several at once',
      `${PROJECT_TOKEN} ftp://u:p@h 4111111111111111`,
      '[REDACTED] ftp://[REDACTED]@h [REDACTED]',
    ],
  ])('hides %s', (_, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    ['an ordinary message', "Cannot read properties of undefined (reading 'theme')"],
    [
      'words about credentials',
      'Bearer token missing; bearer authentication required; Bearer realm="api"; Bearer undefined',
    ],
    ['the programming language', 'Visual Basic 6.0 and Basic authentication and basic usage'],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
    ['a number that fails the check', 'order 4111111111111112'],
    ['twelve digits', 'order 411111111117'],
    ['twenty digits', '41111111111111111111'],
    ['digits of a longer word', 'sha a4111111111111111f'],
    ['a decimal', 'ratio 0.4111111111111111'],
    ['an epoch time', 'at 1711276200004 and 1711276200000000 and 1711276200000000004'],
    ['a release directory', '/srv/releases/20260324101510/app.js'],
    ['a URL without user-info', 'https://host/@scope/pkg?x=a@b.example'],
    ['a mail address', 'mail a@b.example about https://host'],
    ['a scoped frame of Firefox', 'run@https://cdn.example/app.js:10:5'],
    ['a word with eyJ', 'eyJ.x and heyJude'],
    ['prefixes alone', 'svc_proj_ svc_mem_ svc_probe_abc'],
  ])('leaves %s alone', (_, text) => {
    expect(redactText(text)).toBe(text);
  });

  it('tells long numbers by the Luhn check', () => {
    // One of the ten last digits passes; leading 4 to 6 keeps clear of dates and epoch times.
    fc.assert(
      fc.property(
        fc.integer({ min: 11, max: 17 }),
        fc.constantFrom('4', '5', '6'),
        fc.nat(),
        (length, first, seed) => {
          const middle = String(seed).padEnd(length, '7').slice(0, length);
          const redacted = [...'0123456789'].filter(
            (last) => redactText(`n ${first}${middle}${last}`) !== `n ${first}${middle}${last}`,
          );
          expect(redacted).toHaveLength(1);
        },
      ),
    );
  });

  it('changes nothing more when applied again', () => {
    const piece = fc.constantFrom(
      JWT,
      PROJECT_TOKEN,
      PEM,
      'Bearer ',
      'Basic ',
      'abc123',
      '4111111111111111',
      'https://',
      'u:p',
      '@',
      '/',
      ' ',
      '.',
      'x',
      '\n',
      '[REDACTED]',
      '-',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = redactText(pieces.join(''));
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['starts of JWTs', 'eyJaaaaaa-'.repeat(26_000)],
    ['one endless JWT', `eyJ${'a'.repeat(262_000)}`],
    ['dotted JWT parts', 'eyJaaaa.'.repeat(32_000)],
    ['starts of private keys', '-----BEGIN '.repeat(23_000)],
    ['labels of private keys', '-----BEGIN X PRIVATE KEY-----'.repeat(9_000)],
    ['dashes', '-'.repeat(262_000)],
    ['schemes', 'a://'.repeat(65_000)],
    ['schemes with long user-info', `a://${'u'.repeat(1_100)}`.repeat(230)],
    ['at signs', `a://${'@'.repeat(262_000)}`],
    ['Bearers', 'bearer '.repeat(37_000)],
    ['Bearers and blanks', `bearer${' '.repeat(20)}`.repeat(10_000)],
    ['digits', '4'.repeat(262_000)],
    ['digits and blanks', '4 '.repeat(131_000)],
    ['card groups', '4111-'.repeat(52_000)],
    ['tokens', 'svc_proj_'.repeat(29_000)],
  ])('reads in proportion to a text of %s', (_, text) => {
    expect(charactersRead(() => redactText(text))).toBeLessThan(25 * text.length);
  });

  it('reads a mark as a number where numbers are neutral', () => {
    expect(readMarksAsNumbers(redactText('order 4111111111111111 failed'))).toMatch(/^order \d+ failed$/);
    expect(readMarksAsNumbers('no mark')).toBe('no mark');
  });
});
