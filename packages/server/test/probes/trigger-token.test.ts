import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signTriggerToken, triggerTokenKey } from '../../src/probes/trigger-token.ts';

/** docs/contract/ingestion.md 6.4; its check value is T106 of the checklist. */

const PROJECT = '7d0f4f0e-6b1c-4c55-9a53-0b6f3c1f2a11';
const PAYLOAD = {
  activation_id: '550e8400-e29b-41d4-a716-446655440000',
  label_pattern: 'größe.*',
  service: '*',
  environment: 'production',
  trigger_expires_at: '2030-01-01T00:00:00Z',
};

describe('the key of trigger tokens', () => {
  it('is the HMAC of the project id as the API writes it, in lower-case hexadecimal', () => {
    const secret = Buffer.alloc(32, 7);
    expect(triggerTokenKey(secret, PROJECT)).toBe(
      createHmac('sha256', secret).update(`proj_${PROJECT}`).digest('hex'),
    );
    expect(triggerTokenKey(secret, PROJECT)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('differs between projects and between installations', () => {
    const keys = [
      triggerTokenKey(Buffer.alloc(32, 7), PROJECT),
      triggerTokenKey(Buffer.alloc(32, 8), PROJECT),
      triggerTokenKey(Buffer.alloc(32, 7), PROJECT.replace('7', '8')),
    ];
    expect(new Set(keys).size).toBe(3);
  });
});

describe('a trigger token', () => {
  const key = 'ab'.repeat(32);
  const { trigger_token, compat_trigger_token } = signTriggerToken(key, PAYLOAD);
  const [, payload = '', signature = ''] = /^svc_probe_([\w-]+)\.([\w-]+)$/.exec(trigger_token) ?? [];

  it('carries its payload as unpadded base64url, the fields in their order', () => {
    expect(Buffer.from(payload, 'base64url').toString()).toBe(JSON.stringify(PAYLOAD));
    expect(payload).not.toContain('=');
  });

  it('is signed over the text of the payload with the text of the key', () => {
    expect(signature).toBe(createHmac('sha256', key).update(payload).digest('base64url'));
    expect(signature).not.toBe(
      createHmac('sha256', Buffer.from(key, 'hex')).update(payload).digest('base64url'),
    );
  });

  it('is the same under its second name', () => {
    expect(compat_trigger_token).toBe(`dbundle_probe_${payload}.${signature}`);
  });

  it('leaves out what is no part of it', () => {
    const more = { ...PAYLOAD, activated_by: 'dev@example.test' };
    expect(signTriggerToken(key, more)).toEqual({ trigger_token, compat_trigger_token });
  });
});
