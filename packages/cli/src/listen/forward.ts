import { NoAnswer, sendHttp } from '../api/http-send.ts';
import type { Delivery } from './receiver.ts';
import { messageSignatureOf, signatureOf } from './signature.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** The headers of a delivery from the service (docs/contract/notifications.md 3.11). */
const HEADERS = [
  'x-service-event',
  'x-service-delivery',
  'x-service-attempt',
  'x-service-timestamp',
  'user-agent',
];

/** Hands a delivery to an application: the same bytes, signed with the local secret unless the server's stays. */
export async function forward(
  url: string,
  { body, headers }: Delivery,
  localSecret: string | null,
): Promise<{ status: number | null; durationMs: number }> {
  const startedAt = performance.now();
  const kept = Object.fromEntries(
    HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
  try {
    const { status } = await sendHttp(url, {
      method: 'POST',
      headers: {
        ...kept,
        'content-type': headers['content-type'] ?? 'application/json',
        ...(localSecret === null ? serverSignatures(headers) : localSignatures(headers, body, localSecret)),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    return { status, durationMs: Math.round(performance.now() - startedAt) };
  } catch (error) {
    if (error instanceof NoAnswer)
      return { status: null, durationMs: Math.round(performance.now() - startedAt) };
    throw error;
  }
}

const SIGNATURE_HEADERS = ['x-service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

function serverSignatures(headers: Delivery['headers']): Record<string, string> {
  return Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, headers[name] ?? '']));
}

function localSignatures(
  headers: Delivery['headers'],
  body: Uint8Array,
  secret: string,
): Record<string, string> {
  const id = headers['x-service-delivery'] ?? '';
  const timestamp = headers['x-service-timestamp'] ?? '';
  return {
    'x-service-signature': signatureOf(body, secret),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': messageSignatureOf(id, timestamp, body, secret),
  };
}
