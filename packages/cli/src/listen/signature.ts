import { createHmac, timingSafeEqual } from 'node:crypto';

/** `X-Service-Signature` of a body (docs/contract/notifications.md 3.11). */
export function signatureOf(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** `webhook-signature` of a body, under its id and the time of its attempt. */
export function messageSignatureOf(id: string, timestamp: string, body: Uint8Array, secret: string): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Returns true if the signature is that of the body, in a time that reveals nothing about the first difference. */
export function isSignedBy(body: Uint8Array, secret: string, signature: string): boolean {
  const wanted = Buffer.from(signatureOf(body, secret));
  const given = Buffer.from(signature.trim());
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
