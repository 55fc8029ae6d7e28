import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { isSignedBy, keysOf, readSignedToken } from '../../src/workspace/accounts/oidc/signed-token.ts';

interface Pair {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

const rsa = (): Pair => generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = (namedCurve: string) => (): Pair => generateKeyPairSync('ec', { namedCurve });
const RSA_KEYS = rsa();

/** A token, and the key that it is signed with, as a provider publishes it. */
function signed(alg: string, { privateKey, publicKey }: Pair, header: JsonObject = {}) {
  const body = [{ alg, kid: 'one', ...header }, { sub: 'ada' }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const, ...(alg.startsWith('PS') ? pss : {}) };
  const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`;
  const jwk: unknown = publicKey.export({ format: 'jwk' });
  if (!isJsonObject(jwk)) throw new Error('no key');
  return {
    token: `${body}.${sign(hash, Buffer.from(body), key).toString('base64url')}`,
    jwk: { ...jwk, kid: 'one', use: 'sig' },
  };
}

function isSound(token: string, jwks: readonly JsonObject[]): boolean {
  const read = readSignedToken(token);
  return read !== null && isSignedBy(read, keysOf(read, jwks));
}

describe('a token that is signed', () => {
  it.each<[string, () => Pair]>([
    ['RS256', () => RSA_KEYS],
    ['RS512', () => RSA_KEYS],
    ['PS256', () => RSA_KEYS],
    ['ES256', ec('P-256')],
    ['ES384', ec('P-384')],
    ['ES512', ec('P-521')],
    ['EdDSA', () => generateKeyPairSync('ed25519')],
  ])('by %s is told from one of another key, another text and another algorithm', (alg, newPair) => {
    const { token, jwk } = signed(alg, newPair());
    const other = signed(alg, alg.includes('S2') || alg.includes('S5') ? rsa() : newPair()).jwk;
    expect(isSound(token, [other, jwk])).toBe(true);
    expect(isSound(token, [other])).toBe(false);
    expect(isSound(token.replace(/\.[^.]+\./, '.eyJzdWIiOiJldmUifQ.'), [jwk])).toBe(false);
    expect(isSound(token, [{ ...jwk, alg: 'RS384' }])).toBe(false);
    expect(isSound(token, [{ ...jwk, use: 'enc' }])).toBe(false);
    expect(isSound(token, [{ ...jwk, kid: 'two' }])).toBe(false);
    expect(isSound(token, [{ ...jwk, n: 'no number', x: 'no number' }])).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ['for access', { typ: 'at+jwt' }],
    ['with an extension that must be understood', { crit: ['b64'] }],
    ['without an algorithm', { alg: 'none' }],
    ['by a shared secret', { alg: 'HS256' }],
  ])('%s is none', (_what, header) => {
    const { token, jwk } = signed('RS256', RSA_KEYS, header);
    expect(isSound(token, [jwk])).toBe(false);
    expect(isSound(signed('RS256', RSA_KEYS, { typ: 'logout+jwt' }).token, [jwk])).toBe(true);
  });
});
