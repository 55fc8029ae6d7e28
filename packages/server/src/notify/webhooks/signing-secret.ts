import { createHmac } from 'node:crypto';
import { openSealedText, sealText } from '../../platform/secrets/sealed-text.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import { generateSecret } from '../../workspace/tokens/token.ts';

const PREFIX = 'svc_whsec_';

/** A new signing secret: 43 letters and digits, 256 bits, behind the prefix (docs/contract/notifications.md 3.6). */
export function createSigningSecret(): string {
  return PREFIX + generateSecret();
}

/** The secret as its webhook's row keeps it. @param key `webhookSecrets` of the installation's keys */
export function sealSigningSecret(key: Secret<Buffer>, secret: string, webhookId: string): Buffer {
  return sealText(key.reveal(), secret, Buffer.from(webhookId));
}

/** The secret again; null when the data key was changed since. */
export function openSigningSecret(key: Secret<Buffer>, sealed: Buffer, webhookId: string): string | null {
  return openSealedText(key.reveal(), sealed, Buffer.from(webhookId));
}

/**
 * `webhook-signature` in the form of Standard Webhooks: the base64 HMAC-SHA256 of id, time and raw body under the key of
 * `signBody`.
 * @param timestamp Unix seconds of the attempt
 */
export function signMessage(secret: string, id: string, timestamp: string, body: Uint8Array): string {
  const mac = createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}

/** `X-Service-Signature`: lower-case hex HMAC-SHA256 of the raw body under the UTF-8 bytes of the whole secret. */
export function signBody(secret: string, body: Uint8Array): string {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex');
}
