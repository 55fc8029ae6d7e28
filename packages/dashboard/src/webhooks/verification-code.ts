/** How a receiver checks a signature, over the bytes as they came (docs/contract/notifications.md 3.6 and 3.11). */
export const VERIFICATION_CODE = [
  {
    language: 'Node',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the bytes of the request as they came, before anything parses them
// signature: the header x-service-signature
export function isFromCulprit(body, signature, secret) {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}`,
  },
  {
    language: 'Python',
    code: `import hashlib
import hmac

# body: the bytes of the request as they came, before anything parses them
# signature: the header x-service-signature
def is_from_culprit(body, signature, secret):
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())`,
  },
] as const;
