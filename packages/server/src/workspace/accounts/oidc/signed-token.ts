import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';

/** A token in its three parts, not checked yet. */
interface SignedToken {
  /** Id of its key; null where it names none. */
  keyId: string | null;
  algorithm: Algorithm;
  claims: JsonObject;
  signed: Buffer;
  signature: Buffer;
}

interface Algorithm {
  name: string;
  /** Null: the key's own. */
  hash: string | null;
  keyType: 'RSA' | 'EC' | 'OKP';
  curve: string | null;
  isPss: boolean;
}

const rsa = (name: string, isPss: boolean): Algorithm => ({
  name,
  hash: `sha${name.slice(2)}`,
  keyType: 'RSA',
  curve: null,
  isPss,
});
const ec = (name: string, curve: string): Algorithm => ({
  name,
  hash: `sha${name.slice(2)}`,
  keyType: 'EC',
  curve,
  isPss: false,
});

/** Those with a public key. A secret of the client and no signature at all prove nothing here. */
const ALGORITHMS: readonly Algorithm[] = [
  ...['RS256', 'RS384', 'RS512'].map((name) => rsa(name, false)),
  ...['PS256', 'PS384', 'PS512'].map((name) => rsa(name, true)),
  ec('ES256', 'P-256'),
  ec('ES384', 'P-384'),
  ec('ES512', 'P-521'),
  { name: 'EdDSA', hash: null, keyType: 'OKP', curve: null, isPss: false },
];

const TYPES = ['jwt', 'logout+jwt', 'application/logout+jwt'];

/** Reads a token; null when it is none, of another type, or of an algorithm that is not accepted. */
export function readSignedToken(token: string): SignedToken | null {
  const parts = token.split('.');
  const [head = '', payload = '', signature = ''] = parts;
  const [header, claims] = [parsePart(head), parsePart(payload)];
  if (parts.length !== 3 || header === null || claims === null) return null;
  const { alg, kid, typ, crit } = header;
  const algorithm = ALGORITHMS.find(({ name }) => name === alg);
  const isKnownType = typ === undefined || (typeof typ === 'string' && TYPES.includes(typ.toLowerCase()));
  if (algorithm === undefined || !isKnownType || crit !== undefined) return null;
  return {
    keyId: typeof kid === 'string' ? kid : null,
    algorithm,
    claims,
    signed: Buffer.from(`${head}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Returns the keys that can be that of the token; if there are none, new keys are read. */
export function keysOf({ keyId, algorithm }: SignedToken, keys: readonly JsonObject[]): JsonObject[] {
  return keys.filter(
    ({ kid, kty, alg, use, crv }) =>
      kty === algorithm.keyType &&
      (keyId === null || kid === keyId) &&
      (alg === undefined || alg === algorithm.name) &&
      (use === undefined || use === 'sig') &&
      (algorithm.curve === null || crv === algorithm.curve),
  );
}

/** The most keys that one token is compared with. */
const KEYS_TRIED_MAX = 4;

/** Returns true if a token is signed with one of the keys that can be its own. */
export function isSignedBy(token: SignedToken, keys: readonly JsonObject[]): boolean {
  const { algorithm, signed, signature } = token;
  return keys.slice(0, KEYS_TRIED_MAX).some((jwk) => {
    const key = publicKeyOf(jwk);
    if (key === null) return false;
    if (!algorithm.isPss)
      return verify(algorithm.hash, signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
    const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
    return verify(algorithm.hash, signed, { key, padding, saltLength }, signature);
  });
}

function publicKeyOf(jwk: JsonObject): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    // The provider publishes something that is not a key.
    return null;
  }
}

function parsePart(part: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
