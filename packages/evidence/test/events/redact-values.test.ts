import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMarksAsNumbers, redactText } from '../../src/events/redact/redact-values.ts';
import { charactersRead } from '../support/characters-read.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const PROJECT_TOKEN = `svc_proj_${'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'}`;
const PEM =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf\n-----END RSA PRIVATE KEY-----';

/** Bodies of tokens: no scanner must take these for real ones. */
const WORDY = 'a1B2c3D4e5F6g7H8i9J0';
const HEX = '0123456789abcdef0123456789abcdef';

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

  it.each([
    `AKIA${'ABCD2345'.repeat(2)}`,
    `ghp_${WORDY}${WORDY}`,
    `ghs_${WORDY}`,
    `github_pat_11${WORDY}_${WORDY}`,
    `glpat-${WORDY}`,
    `gldt-${WORDY}`,
    `xoxb-1234567890-${WORDY}`,
    `xapp-1-A0123456789-${WORDY}`,
    `sk_live_${WORDY}`,
    `rk_test_${WORDY}`,
    `whsec_${WORDY}`,
    `AIzaSy${WORDY}${WORDY.slice(0, 13)}`,
    `GOCSPX-${WORDY}-_${WORDY}`,
    `ya29.${WORDY}_${WORDY}`,
    `npm_${WORDY}${WORDY}`,
    `pypi-AgEIcHlwaS5vcmc${WORDY}${WORDY}`,
    `rubygems_${HEX}0123456789abcdef`,
    `SG.${WORDY}_-.${WORDY}${WORDY}_-x`,
    `key-${HEX}`,
    `sk-proj-${WORDY}_${WORDY}`,
    `sk-ant-api03-${WORDY}-${WORDY}`,
    `sk-${WORDY}${WORDY}${WORDY}`,
    `hf_${WORDY}${WORDY}`,
    `dop_v1_${HEX}${HEX}`,
    `shpat_${HEX}`,
    `sq0atp-${WORDY}-_`,
    `dckr_pat_${WORDY}-_`,
    `dapi${HEX}`,
    `hvs.${WORDY}${WORDY}`,
    `glsa_${WORDY}${WORDY}_01234567`,
    `ATATT3${WORDY}_-${WORDY}`,
    `sntrys_${WORDY}${WORDY}`,
    `110201543:AA${WORDY}-_${WORDY.slice(0, 11)}`,
  ])('hides the token %s wherever it stands', (token) => {
    expect(redactText(token)).not.toContain(token.slice(-8));
    for (const [before, after] of [
      ['', ''],
      ['rejected ', ', retrying'],
      ['{"said":"', '"}'],
      ['--with-', ' next'],
      ['/v1/x/', '/y?z=1'],
      [`${'long_words_without_meaning '.repeat(3)}(`, ').'],
    ] as const) {
      const shown = redactText(`${before}${token}${after}`);
      expect(shown).not.toContain(token.slice(-8));
      expect(shown.startsWith(before) && shown.endsWith(after), shown).toBe(true);
      expect(redactText(shown)).toBe(shown);
    }
  });

  it.each([
    [`https://hooks.slack.com/services/T0123ABCD/B0123ABCD/${WORDY}`, 'https://hooks.slack.com/services/'],
    [`https://discord.com/api/webhooks/123456789012345678/${WORDY}${WORDY}-_`, 'https://discord.com/api/web'],
    [
      `https://shop.webhook.office.com/webhookb2/${HEX}@${HEX}/IncomingWebhook/${HEX}`,
      'https://shop.webhook',
    ],
    [`https://api.telegram.org/bot110201543:AA${WORDY}${WORDY}/getMe`, 'https://api.telegram.org/bot'],
  ])('hides the secret of the address %s, and no more', (address, begin) => {
    const shown = redactText(`POST ${address} failed`);
    expect(shown).toContain(begin);
    expect(shown).toMatch(/\[REDACTED\](?:\/getMe)? failed$/);
    expect(shown).not.toMatch(/a1B2c3D4|0123456789abcdef/);
  });

  it.each([
    'npm_config_registry npm_package_dependencies_express',
    'sk-fading-circle sk-folding-cube-wrapper-with-shadow',
    'github_pat_is_missing, gho_token_expired, ghp_ghp_ghp_ghp',
    'the key-value-store-of-the-application-cache',
    'hooks/use-long-names/of-components_without-any-meaning',
    'hvs.renderChart and SG.SomeNamespace.SomeOtherNamespace',
    'AKIAIsNoKeyOfAnybodyAtAllHere ASIA_PACIFIC_SOUTHEAST_REGION',
    'xoxo-love-and-kisses hf_model_name_or_path_of_the_run',
    '123e4567-e89b-12d3-a456-426614174000',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'dapi_client_connection_pool_exhausted',
    'com.example.shop.glpat-service/sk_live_mode_is_off',
    'at processTicksAndRejections (node:internal/process/task_queues:105:5)',
    '12345678:AAnd_then',
  ])('takes %s for no token', (text) => {
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
      'ghp_',
      'SG.',
      WORDY,
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
    ['starts of tokens', 'ghp_glpat-xoxb-sk-proj-'.repeat(11_000)],
    ['one endless token', `glpat-${'a'.repeat(262_000)}`],
    ['long words', 'long_words-without_meaning.'.repeat(9_700)],
    ['addresses of hooks', `hooks/${'long_words-without_meaning/'.repeat(9_700)}`],
    ['numbers with AA', '123456789:AAAAAAAAAAAAAAAAAAAA '.repeat(8_400)],
  ])('reads in proportion to a text of %s', (_, text) => {
    expect(charactersRead(() => redactText(text))).toBeLessThan(32 * text.length);
  });

  it('reads a mark as a number where numbers are neutral', () => {
    expect(readMarksAsNumbers(redactText('order 4111111111111111 failed'))).toMatch(/^order \d+ failed$/);
    expect(readMarksAsNumbers('no mark')).toBe('no mark');
  });
});
