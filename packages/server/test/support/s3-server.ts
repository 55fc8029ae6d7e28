import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ObjectStoreLocation } from '../../src/platform/objects/open-object-store.ts';
import { S3Objects } from './s3-objects.ts';
import { bodyRefusal, perform, problem, type S3Answer } from './s3-operations.ts';
import { type S3Credentials, signatureRefusal } from './s3-signature.ts';

/**
 * An S3 store of one bucket over real HTTP, with its objects as files. It verifies everything: signature, checksums and
 * lengths must be right, a condition counts, and what it does not implement is refused instead of being ignored. It
 * fails on demand.
 */
export interface S3Server {
  endpoint: string;
  credentials: S3Credentials;
  place(changes?: Partial<Extract<ObjectStoreLocation, { kind: 's3' }>>): ObjectStoreLocation;
  /** The place as a setting. */
  setting: string;
  /** By the key in the bucket. */
  objects: S3Objects;
  /** What came, in order: `PUT prefix/raw/p1/a`. */
  requests: string[];
  /** Asked for each request. */
  fault: (request: { method: string; key: string }) => S3Fault | null;
  close(): Promise<void>;
}

export type S3Fault =
  /** An error instead of the effect. */
  | 'fails'
  /** An error after the effect. */
  | 'fails_late'
  /** The connection ends after the effect, without an answer. */
  | 'breaks_off_late'
  /** The connection ends in the middle of the body that is read. */
  | 'breaks_off_in_body'
  /** No answer ever. */
  | 'hangs'
  /** Half of the body that is read, and nothing more. */
  | 'hangs_in_body'
  /** The bytes are others than those that were sent. */
  | 'damages'
  /** Conditions are not known. */
  | 'knows_no_conditions'
  /** Forgets the bucket. */
  | 'has_no_bucket'
  | { kind: 'refuses'; status: number; code: string }
  | { kind: 'slow'; delayMs: number };

const BUCKET = 'culprit-test';
const REGION = 'test-region-1';
const BODY_BYTES_MAX = 70_000_000;

/** @param options.region in which its one bucket is */
export async function startS3Server({ region = REGION } = {}): Promise<S3Server> {
  const objects = new S3Objects();
  const requests: string[] = [];
  const credentials = {
    accessKeyId: 'TESTACCESSKEY',
    secretAccessKey: randomBytes(20).toString('hex'),
    region,
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the S3 server has no port');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const s3: S3Server = {
    endpoint,
    credentials,
    place: (changes) => ({
      kind: 's3',
      bucket: BUCKET,
      prefix: 'culprit',
      endpoint,
      region,
      isPathStyle: true,
      ...changes,
    }),
    setting: `s3://${BUCKET}/culprit?endpoint=${endpoint}&region=${region}`,
    objects,
    requests,
    fault: () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      objects.close();
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const { bucket, key, query } = readTarget(url);
    let body = await readAll(request);
    requests.push(`${method} ${key}`);
    const fault = s3.fault({ method, key });
    if (fault === 'hangs') return;
    if (typeof fault === 'object' && fault?.kind === 'slow')
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    if (fault === 'damages' && body.length > 0) body = damaged(body);
    const refused =
      signatureRefusal({ method, target: url, headers }, credentials) ??
      bodyRefusal({ method, key, query, headers, body }) ??
      (bucket !== BUCKET || fault === 'has_no_bucket' ? 'NoSuchBucket' : null);
    if (refused !== null) return send(response, problem(refused));
    if (fault === 'fails') return send(response, problem('ServiceUnavailable'));
    if (typeof fault === 'object' && fault?.kind === 'refuses')
      return send(response, problem(fault.code, fault.status));
    if (fault === 'knows_no_conditions' && headers['if-none-match'] !== undefined)
      return send(response, problem('NotImplemented'));
    const found = perform(objects, { method, key, query, headers, body });
    if (fault === 'fails_late') return send(response, problem('InternalError'));
    if (fault === 'breaks_off_late') return void response.destroy();
    if (fault === 'damages' && method === 'GET' && found.body !== undefined) found.body = damaged(found.body);
    send(response, found, fault);
  }

  return s3;
}

/** Not by `URL`, which would take dots in a key for folders. */
function readTarget(target: string): { bucket: string; key: string; query: URLSearchParams } {
  const [path = '', query = ''] = target.split('?');
  const [, bucket = '', ...key] = path.split('/').map(decodeURIComponent);
  return { bucket, key: key.join('/'), query: new URLSearchParams(query) };
}

function send(
  response: ServerResponse,
  { status, headers, body }: S3Answer,
  fault: S3Fault | null = null,
): void {
  const bytes = body ?? Buffer.alloc(0);
  const length = status === 204 ? {} : { 'content-length': bytes.length };
  // A HEAD tells the length of a body that it does not have.
  response.writeHead(status, { 'x-amz-request-id': randomBytes(8).toString('hex'), ...length, ...headers });
  if (fault !== 'breaks_off_in_body' && fault !== 'hangs_in_body') {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, bytes.length / 2), () => {
    if (fault === 'breaks_off_in_body') response.destroy();
  });
}

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 0x55;
  return copy;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('body too large');
  }
  return Buffer.concat(chunks);
}
