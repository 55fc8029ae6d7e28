import { createHmac } from 'node:crypto';
import { openSealedText, sealText } from '../platform/sealed-text.ts';
import type { Secret } from '../platform/secret.ts';
import { drawSecret } from '../tokens/token.ts';

const PREFIX = 'svc_whsec_';

/** A new signing secret: 43 letters and digits, 256 bits, behind the prefix (notifications.md 3.6). */
export function createSigningSecret(): string {
  return PREFIX + drawSecret();
}

/** The secret as its webhook's row keeps it. @param key from `deriveKey(dataKey, 'webhook-secrets')` */
export function sealSigningSecret(key: Secret<Buffer>, secret: string, webhookId: string): Buffer {
  return sealText(key.reveal(), secret, Buffer.from(webhookId));
}

/** The secret again; null when the data key was changed since. */
export function openSigningSecret(key: Secret<Buffer>, sealed: Buffer, webhookId: string): string | null {
  return openSealedText(key.reveal(), sealed, Buffer.from(webhookId));
}

/** `X-Service-Signature`: lower-case hex HMAC-SHA256 of the raw body under the UTF-8 bytes of the whole secret. */
export function signBody(secret: string, body: Uint8Array): string {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex');
}
