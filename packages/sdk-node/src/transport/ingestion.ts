import type { Answer, Batch } from '../../../sdk-core/src/sending/host.ts';
import { SDK_VERSION } from '../../../sdk-core/src/version.ts';
import { loadZlib } from '../load-builtin.ts';
import type { OwnAgents } from './http-request.ts';

export const SDK_NAME = '@culprit/node';
const GZIP_BYTES = 1_024;

/** The destination of batches and the credential of their owner. */
interface Ingestion {
  endpoint: string;
  token: string;
  timeoutMs: number;
}

/** Headers of every request of the library. */
function ownHeaders(token: string): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    'X-Service-Sdk': SDK_NAME,
    'X-Service-Sdk-Version': SDK_VERSION,
    'User-Agent': `${SDK_NAME}/${SDK_VERSION} node/${process.versions.node}`,
  };
}

/** Headers and bytes of a batch, compressed when that pays. */
async function encodeBatch(
  token: string,
  body: string,
): Promise<{ headers: Record<string, string>; bytes: Buffer }> {
  const plain = Buffer.from(body, 'utf8');
  const headers = batchHeaders(token);
  if (plain.length < GZIP_BYTES) return { headers, bytes: plain };
  return { headers: { ...headers, 'Content-Encoding': 'gzip' }, bytes: await gzip(plain) };
}

/** Headers of a batch that is not compressed. */
export function batchHeaders(token: string): Record<string, string> {
  return { ...ownHeaders(token), 'Content-Type': 'application/json' };
}

/** Sends one batch. What went wrong on the way is status 0 with its code. */
export async function sendBatch(agents: OwnAgents, to: Ingestion, batch: Batch): Promise<Answer> {
  try {
    const { headers, bytes } = await encodeBatch(to.token, batch.body);
    const { endpoint: url, timeoutMs } = to;
    return await agents.send({ method: 'POST', url, headers, body: bytes, timeoutMs });
  } catch (error) {
    return { status: 0, code: codeOf(error) };
  }
}

/** Asks for the configuration of the project, without the marks of published libraries. */
export async function fetchConfig(agents: OwnAgents, from: Ingestion, etag: string | null): Promise<Answer> {
  try {
    const headers = ownHeaders(from.token);
    if (etag !== null) headers['If-None-Match'] = etag;
    return await agents.send({
      method: 'GET',
      url: from.endpoint,
      headers,
      body: null,
      timeoutMs: from.timeoutMs,
    });
  } catch (error) {
    return { status: 0, code: codeOf(error) };
  }
}

function gzip(plain: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    loadZlib().gzip(plain, (error, compressed) => (error === null ? resolve(compressed) : reject(error)));
  });
}

function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : 'error';
}
