// Proves 52.
import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createSigningSecret,
  openSigningSecret,
  sealSigningSecret,
  signBody,
} from '../../src/notify/webhooks/signing-secret.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

/**
 * docs/contract/reliability.md test 52: the vector of docs/contract/notifications.md 3.11, and random bodies as a
 * receiver verifies them.
 */

const SEED = chooseSeed();
const BODIES = 1000;

describe(`the signature of a delivery (seed ${SEED})`, () => {
  it('is that of the contract for its vector', () => {
    const body = Buffer.from('{"event":"bundle.created","occurred_at":"2026-01-02T03:04:05.000Z"}');
    expect(body).toHaveLength(67);
    expect(signBody('svc_whsec_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg', body)).toBe(
      '4af759fc1a3f8866e7a3b6eb49ceefe52fae4e8092ac5d7261b33fe75df9047b',
    );
  });

  it('verifies over the raw bytes of any body, and over no other', () => {
    const random = seededRandom(SEED);
    for (let n = 0; n < BODIES; n += 1) {
      const secret = createSigningSecret();
      const bytes = Array.from({ length: random.integer(0, 300) }, () => random.integer(0, 255));
      const body = Buffer.from(bytes);
      const signature = signBody(secret, body);
      expect(signature).toBe(createHmac('sha256', secret).update(body).digest('hex'));
      const altered = Buffer.concat([body, Buffer.from([random.integer(0, 255)])]);
      expect(signBody(secret, altered)).not.toBe(signature);
    }
  });
});

describe('a signing secret', () => {
  it('has its form and is a new one each time', () => {
    const secrets = Array.from({ length: 200 }, createSigningSecret);
    for (const secret of secrets) expect(secret).toMatch(/^svc_whsec_[0-9A-Za-z]{43}$/);
    expect(new Set(secrets).size).toBe(secrets.length);
  });

  it('is opened for its own webhook and with its own key only', () => {
    const [key, otherKey] = [new Secret(randomBytes(32)), new Secret(randomBytes(32))];
    const secret = createSigningSecret();
    const sealed = sealSigningSecret(key, secret, 'a');
    expect(sealed.includes(secret)).toBe(false);
    expect(openSigningSecret(key, sealed, 'a')).toBe(secret);
    expect(openSigningSecret(key, sealed, 'b')).toBeNull();
    expect(openSigningSecret(otherKey, sealed, 'a')).toBeNull();
  });
});
