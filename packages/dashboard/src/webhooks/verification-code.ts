/**
 * The code with which a receiver checks a signature, over the bytes as they came, and refuses requests that were
 * recorded and sent again (docs/contract/notifications.md 3.6, 3.11 and 3.13).
 */
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
}

// Against replays, check this instead, and ignore a webhook-id that you processed in the last five minutes.
// headers: webhook-id, webhook-timestamp and webhook-signature, with names in lower case
export function isFreshFromCulprit(body, headers, secret, nowSeconds = Date.now() / 1000) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (!(Math.abs(nowSeconds - Number(time)) <= 300)) return false;
  const expected = createHmac('sha256', secret).update(\`\${id}.\${time}.\`).update(body).digest();
  return (signatures ?? '').split(' ').some((signature) => {
    const given = Buffer.from(signature.startsWith('v1,') ? signature.slice(3) : '', 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`,
  },
  {
    language: 'Python',
    code: `import base64
import hashlib
import hmac
import time

# body: the bytes of the request as they came, before anything parses them
# signature: the header x-service-signature
def is_from_culprit(body, signature, secret):
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())

# Against replays, check this instead, and ignore a webhook-id that you processed in the last five minutes.
# headers: webhook-id, webhook-timestamp and webhook-signature, with names in lower case
def is_fresh_from_culprit(body, headers, secret, now=None):
    sent = headers.get("webhook-timestamp") or ""
    if not (sent.isascii() and sent.isdigit()) or abs((now or time.time()) - int(sent)) > 300:
        return False
    message = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    mac = base64.b64encode(hmac.new(secret.encode(), message, hashlib.sha256).digest())
    given = (headers.get("webhook-signature") or "").split(" ")
    return any(hmac.compare_digest(b"v1," + mac, each.encode()) for each in given)`,
  },
] as const;
