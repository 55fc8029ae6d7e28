import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ObjectStorePlace } from '../../src/platform/objects/open-object-store.ts';
import { type S3Credentials, signatureRefusal } from './s3-signature.ts';

/**
 * An S3 store in memory that takes nothing on trust: signature, checksums and lengths must be right, a condition counts,
 * and requests in any other form than ours are refused. It goes wrong on demand.
 */
export interface S3Server {
  endpoint: string;
  credentials: S3Credentials;
  place(changes?: Partial<Extract<ObjectStorePlace, { kind: 's3' }>>): ObjectStorePlace;
  /** The place as a setting. */
  setting: string;
  /** By the key in the bucket. */
  objects: Map<string, Buffer>;
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
/** Keys listed at once, however many are asked for. */
const LISTED_MAX = 50;

interface Exchange {
  method: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer;
}

export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const credentials = {
    accessKeyId: 'TESTACCESSKEY',
    secretAccessKey: randomBytes(20).toString('hex'),
    region: REGION,
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
      region: REGION,
      isPathStyle: true,
      ...changes,
    }),
    setting: `s3://${BUCKET}/culprit?endpoint=${endpoint}&region=${REGION}`,
    objects,
    requests,
    fault: () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const { pathname, searchParams: query } = new URL(url, endpoint);
    const [, bucket = '', ...rest] = decodeURIComponent(pathname).split('/');
    const key = rest.join('/');
    let body = await readAll(request);
    requests.push(`${method} ${key}`);
    const fault = s3.fault({ method, key });
    if (fault === 'hangs') return;
    if (typeof fault === 'object' && fault?.kind === 'slow')
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    if (fault === 'damages' && body.length > 0) body = damaged(body);
    const refused =
      signatureRefusal({ method, target: url, headers }, credentials) ??
      bodyRefusal(body, headers) ??
      (bucket !== BUCKET || fault === 'has_no_bucket' ? 'NoSuchBucket' : null);
    if (refused !== null) return send(response, problem(refused));
    if (fault === 'fails') return send(response, problem('ServiceUnavailable'));
    if (typeof fault === 'object' && fault?.kind === 'refuses')
      return send(response, { ...problem(fault.code), status: fault.status });
    if (fault === 'knows_no_conditions' && headers['if-none-match'] !== undefined)
      return send(response, problem('NotImplemented'));
    const found = perform({ method, key, query, headers, body });
    if (fault === 'fails_late') return send(response, problem('InternalError'));
    if (fault === 'breaks_off_late') return void response.destroy();
    if (fault === 'damages' && method === 'GET' && found.body !== undefined) found.body = damaged(found.body);
    send(response, found, fault);
  }

  function perform({ method, key, query, headers, body }: Exchange): Answer {
    if (method === 'PUT' && key !== '') {
      if (headers['if-none-match'] === '*' && objects.has(key)) return problem('PreconditionFailed');
      if (headers['x-amz-checksum-sha256'] === undefined) return problem('InvalidRequest');
      objects.set(key, body);
      return { status: 200, headers: { etag: `"${createHash('md5').update(body).digest('hex')}"` } };
    }
    if (method === 'DELETE' && key !== '') {
      objects.delete(key);
      return { status: 204 };
    }
    if (method === 'GET' && key !== '') return read(objects.get(key), headers.range);
    if (method === 'GET' && query.get('list-type') === '2') return list(query);
    return problem('NotImplemented');
  }

  function list(query: URLSearchParams): Answer {
    const beginning = query.get('prefix') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(beginning)).sort();
    const shown = keys.slice(0, Math.min(LISTED_MAX, Number(query.get('max-keys'))));
    const contents = shown.map(
      (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
    );
    const isCut = shown.length < keys.length;
    return {
      status: 200,
      body: Buffer.from(
        `<ListBucketResult><IsTruncated>${isCut}</IsTruncated><KeyCount>${shown.length}</KeyCount>${contents.join('')}</ListBucketResult>`,
      ),
    };
  }

  return s3;
}

/** What the headers say of a body must be true, and a body comes whole: no chunks with signatures of their own. */
function bodyRefusal(body: Buffer, headers: IncomingMessage['headers']): string | null {
  const sha256 = createHash('sha256').update(body).digest();
  if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined)
    return 'NotImplemented';
  if (headers['x-amz-content-sha256'] !== sha256.toString('hex')) return 'XAmzContentSHA256Mismatch';
  const checksum = headers['x-amz-checksum-sha256'];
  return checksum === undefined || checksum === sha256.toString('base64') ? null : 'BadDigest';
}

function read(object: Buffer | undefined, range: string | undefined): Answer {
  if (object === undefined) return problem('NoSuchKey');
  if (range === undefined) return { status: 200, body: object };
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (first === '' || Number(first) >= object.length) return problem('InvalidRange');
  const end = Math.min(Number(last), object.length - 1);
  return {
    status: 206,
    headers: { 'content-range': `bytes ${first}-${end}/${object.length}` },
    body: object.subarray(Number(first), end + 1),
  };
}

const STATUS: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  BadDigest: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidRange: 416,
  InvalidRequest: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
};

function problem(code: string): Answer {
  return {
    status: STATUS[code] ?? 400,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`),
  };
}

function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  fault: S3Fault | null = null,
): void {
  const bytes = body ?? Buffer.alloc(0);
  response.writeHead(status, { ...headers, ...(status === 204 ? {} : { 'content-length': bytes.length }) });
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
