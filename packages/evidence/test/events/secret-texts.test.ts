import { describe, expect, it } from 'vitest';
import { redactSource, redactText } from '../../src/events/redact/redact-values.ts';
import { holdsSecret } from '../../src/events/redact/secret-members.ts';
import { KEPT_SOURCE, OTHER_NAMES, SOURCE_IN_TEXTS } from './kept-sources.ts';
import { KEPT } from './kept-texts.ts';
import { ISSUED, NAMED } from './shown-secrets.ts';

const MIXED32 = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF';
const BODIES: Record<string, string> = {
  MIXED20: MIXED32.slice(0, 20),
  MIXED26: MIXED32.slice(0, 26),
  MIXED32,
  MIXED40: `${MIXED32}gH3iJ6kL`,
  MIXED64: MIXED32 + [...MIXED32].reverse().join(''),
  HEX32: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  HEX40: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d',
  ID: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
};

const linesOf = (block: string) =>
  block
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/\\([nr\\])/g, (_, mark) => ({ n: '\n', r: '\r' })[String(mark)] ?? '\\'));

describe('redacting by form', () => {
  it.each(linesOf(ISSUED + NAMED.trimStart()))(
    'hides the secret of %j, and nothing more at the second time',
    (line) => {
      const filled = line.replaceAll(/\{([A-Z]+\d*)\}/g, (whole, name) => BODIES[name] ?? whole);
      const [before = '', secret = '', after = ''] = filled.split(/[‹›]/);
      expect(secret).not.toBe('');
      const shown = redactText(before + secret + after);
      expect(shown).not.toContain(secret);
      expect(redactText(shown)).toBe(shown);
    },
  );

  it.each(linesOf(KEPT + SOURCE_IN_TEXTS.trimStart() + OTHER_NAMES.trimStart()))('keeps %j', (line) => {
    expect(redactText(line)).toBe(line);
  });

  it.each(linesOf(KEPT_SOURCE))('keeps the source line %j, whose values are expressions', (line) => {
    expect(redactSource(line)).toBe(line);
  });

  it.each([
    ['const password = "hunter2";', 'const password = "[REDACTED]";'],
    ["connect(password='hunter')", "connect(password='[REDACTED]')"],
    ['token: "a.b.c",', 'token: "[REDACTED]",'],
    ['login({ password: "+x9!" })', 'login({ password: "[REDACTED]" })'],
    ["{ a: 'b', password: ', x9' }", "{ a: 'b', password: '[REDACTED]' }"],
    ['DB_PASSWORD=hunter2!', 'DB_PASSWORD=[REDACTED]'],
  ])('hides the text of the source line %j', (line, expected) => {
    expect(redactSource(line)).toBe(expected);
  });

  it('hides nothing of what a validator says of a secret', () => {
    for (const value of [
      'must be at least 8 characters',
      ['This field may not be blank.'],
      '[Filtered]',
      '$1',
    ])
      expect(holdsSecret('password', value), String(value)).toBe(false);
    for (const value of [
      'correct horse battery',
      ['hunter2'],
      'hunter2 is required',
      ''.padEnd(500, 'is required '),
    ])
      expect(holdsSecret('password', value), String(value)).toBe(true);
  });

  it.each([
    'deviceCode',
    'oauth_verifier',
    'wachtwoord',
    'mot_de_passe',
    'contraseña',
    'пароль',
    '密码',
    'session_key',
  ])('takes %s for the key of a secret', (key) => expect(holdsSecret(key, 'geheim12')).toBe(true));
});
