import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import type { S3ObjectEntry, S3Objects } from './s3-objects.ts';

/** A request whose signature and body are known to be good. */
interface S3Request {
  method: string;
  /** Empty for requests about the bucket. */
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface S3Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer;
}

const KEY_BYTES_MAX = 1024;
/** Keys listed at once, however many are asked for, so that tests meet the second page. */
const LISTED_MAX = 50;
const DELETED_AT_ONCE_MAX = 1000;

/** Parameters by operation; `x-id` is the name of the operation, which the client of AWS adds. */
const LIST_PARAMETERS = [
  ...['list-type', 'prefix', 'delimiter', 'max-keys', 'continuation-token', 'start-after'],
  ...['encoding-type', 'fetch-owner', 'x-id'],
];
/** Headers that would change what a request means, and that nothing here implements. */
const UNKNOWN_CONDITIONS = [
  ...['if-match', 'if-modified-since', 'if-unmodified-since', 'if-range'],
  ...['x-amz-copy-source', 'content-encoding', 'transfer-encoding'],
];

/**
 * What the headers say of a body must be true, a put brings the checksum that the program promises, and a body comes as
 * one: no chunks with signatures of their own. The name of the refusal, or null.
 */
export function bodyRefusal({ method, key, query, headers, body }: S3Request): string | null {
  if (UNKNOWN_CONDITIONS.some((name) => headers[name] !== undefined)) return 'NotImplemented';
  const sha256 = createHash('sha256').update(body).digest();
  if (headers['x-amz-content-sha256'] !== sha256.toString('hex')) return 'XAmzContentSHA256Mismatch';
  const sums: Readonly<Record<string, () => string>> = {
    'x-amz-checksum-sha256': () => sha256.toString('base64'),
    'x-amz-checksum-crc32': () => crc32Text(body),
    'content-md5': () => createHash('md5').update(body).digest('base64'),
  };
  const sent = Object.keys(headers).filter((name) => name in sums || name.startsWith('x-amz-checksum-'));
  for (const name of sent) {
    const sum = sums[name];
    if (sum === undefined) return 'NotImplemented';
    if (headers[name] !== sum()) return 'BadDigest';
  }
  if (method === 'PUT' && key !== '' && !sent.includes('x-amz-checksum-sha256')) return 'InvalidRequest';
  if (method === 'POST' && query.has('delete') && sent.length === 0) return 'InvalidRequest';
  return null;
}

/** Does what a request asks for, as the API reference of Amazon S3 has it. */
export function perform(objects: S3Objects, request: S3Request): S3Answer {
  const { method, key, query } = request;
  if (key === '') {
    if (method === 'GET' && query.get('list-type') === '2') return list(objects, query);
    if (method === 'POST' && query.has('delete')) return deleteMany(objects, request.body);
    return problem('NotImplemented');
  }
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) return problem('KeyTooLongError');
  if ([...query.keys()].some((name) => name !== 'x-id')) return problem('NotImplemented');
  if (method === 'PUT') return put(objects, request);
  if (method === 'DELETE') {
    objects.delete(key);
    return { status: 204 };
  }
  if (method === 'GET' || method === 'HEAD') return read(objects, request);
  return problem('MethodNotAllowed');
}

function put(objects: S3Objects, { key, headers, body }: S3Request): S3Answer {
  const condition = headers['if-none-match'];
  if (condition !== undefined && condition !== '*') return problem('NotImplemented');
  if (condition === '*' && objects.has(key)) return problem('PreconditionFailed');
  return { status: 200, headers: { etag: objects.set(key, body).etag } };
}

function read(objects: S3Objects, { method, key, headers }: S3Request): S3Answer {
  if (headers['if-none-match'] !== undefined) return problem('NotImplemented');
  const entry = objects.entry(key);
  if (entry === undefined) return problem('NoSuchKey');
  const description = describe(entry);
  const range = findRange(headers.range, entry.bytes);
  if (range === 'beyond') {
    const answer = problem('InvalidRange');
    return { ...answer, headers: { ...answer.headers, 'content-range': `bytes */${entry.bytes}` } };
  }
  const { first, last } = range ?? { first: 0, last: entry.bytes - 1 };
  const length = { 'content-length': String(last - first + 1) };
  const part = range === null ? {} : { 'content-range': `bytes ${first}-${last}/${entry.bytes}` };
  const answer = {
    status: range === null ? 200 : 206,
    headers: { ...description, ...length, ...part },
  };
  const bytes = method === 'HEAD' ? undefined : objects.get(key);
  return bytes === undefined ? answer : { ...answer, body: bytes.subarray(first, last + 1) };
}

function describe(entry: S3ObjectEntry): Record<string, string> {
  return {
    etag: entry.etag,
    'last-modified': entry.modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
  };
}

/** Null: the whole object, which is also what a header that is no range of bytes asks for (RFC 9110, 14.2). */
function findRange(
  header: string | undefined,
  bytes: number,
): { first: number; last: number } | 'beyond' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null) return null;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return null;
  if (from === '') {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? 'beyond' : { first: bytes - length, last: bytes - 1 };
  }
  if (to !== '' && Number(to) < Number(from)) return null;
  if (Number(from) >= bytes) return 'beyond';
  return { first: Number(from), last: Math.min(to === '' ? bytes - 1 : Number(to), bytes - 1) };
}

function list(objects: S3Objects, query: URLSearchParams): S3Answer {
  if ([...query.keys()].some((name) => !LIST_PARAMETERS.includes(name))) return problem('NotImplemented');
  const asked = Number(query.get('max-keys') ?? 1000);
  const after = readPosition(query);
  if (!Number.isSafeInteger(asked) || asked < 0 || after === null) return problem('InvalidArgument');
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const encode = query.get('encoding-type') === 'url' ? encodeURIComponent : (text: string) => text;
  const pageMax = Math.min(asked, LISTED_MAX);
  const contents: string[] = [];
  const folders: string[] = [];
  let position = after;
  let isCut = false;
  for (const key of objects.keys()) {
    if (!key.startsWith(prefix) || !isAfter(key, position)) continue;
    if (contents.length + folders.length === pageMax) {
      isCut = pageMax > 0;
      break;
    }
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (end === -1) {
      contents.push(key);
      position = { text: key, isFolder: false };
    } else {
      position = { text: key.slice(0, end + delimiter.length), isFolder: true };
      folders.push(position.text);
    }
  }
  const text = (name: string, value: string | number | boolean) =>
    `<${name}>${escapeXml(String(value))}</${name}>`;
  const objectText = (key: string) => {
    const { bytes = 0, etag = '', modifiedAt } = objects.entry(key) ?? {};
    const modified = modifiedAt?.toISOString() ?? '';
    return `<Contents>${text('Key', encode(key))}${text('LastModified', modified)}${text('ETag', etag)}${text('Size', bytes)}${text('StorageClass', 'STANDARD')}</Contents>`;
  };
  return xml('ListBucketResult', [
    text('Prefix', encode(prefix)),
    text('MaxKeys', asked),
    text('KeyCount', contents.length + folders.length),
    text('IsTruncated', isCut),
    ...(isCut ? [text('NextContinuationToken', writeToken(position))] : []),
    ...contents.map(objectText),
    ...folders.map((folder) => `<CommonPrefixes>${text('Prefix', encode(folder))}</CommonPrefixes>`),
  ]);
}

/** The last key or common prefix that was listed. */
interface ListPosition {
  text: string;
  isFolder: boolean;
}

function isAfter(key: string, { text, isFolder }: ListPosition): boolean {
  if (isFolder && key.startsWith(text)) return false;
  return text === '' || Buffer.compare(Buffer.from(key), Buffer.from(text)) > 0;
}

function writeToken({ text, isFolder }: ListPosition): string {
  return Buffer.from(`${isFolder ? 'folder' : 'object'}:${text}`).toString('base64url');
}

/** Null for a token that is none of ours. */
function readPosition(query: URLSearchParams): ListPosition | null {
  const token = query.get('continuation-token');
  if (token === null) return { text: query.get('start-after') ?? '', isFolder: false };
  const [, kind, text = ''] =
    /^(folder|object):(.*)$/s.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  return kind === undefined ? null : { text, isFolder: kind === 'folder' };
}

function deleteMany(objects: S3Objects, body: Buffer): S3Answer {
  const document = body.toString('utf8');
  const keys = [...document.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescapeXml(key));
  if (keys.length === 0 || keys.length > DELETED_AT_ONCE_MAX) return problem('MalformedXML');
  for (const key of keys) objects.delete(key);
  const isQuiet = document.includes('<Quiet>true</Quiet>');
  return xml(
    'DeleteResult',
    isQuiet ? [] : keys.map((key) => `<Deleted><Key>${escapeXml(key)}</Key></Deleted>`),
  );
}

const STATUS: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidRange: 416,
  MethodNotAllowed: 405,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
};

/** A refusal by its name in the API reference; without a status of its own it is a bad request. */
export function problem(code: string, status = STATUS[code] ?? 400): S3Answer {
  return {
    ...xml('Error', [`<Code>${escapeXml(code)}</Code>`, `<Message>${escapeXml(code)}</Message>`]),
    status,
  };
}

function xml(root: string, content: readonly string[]): S3Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${content.join('')}</${root}>`),
  };
}

const ENTITIES: readonly (readonly [string, string])[] = [
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
];

function escapeXml(text: string): string {
  return ENTITIES.reduce((escaped, [entity, character]) => escaped.replaceAll(character, entity), text);
}

function unescapeXml(text: string): string {
  return ENTITIES.toReversed().reduce(
    (plain, [entity, character]) => plain.replaceAll(entity, character),
    text,
  );
}

function crc32Text(body: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64');
}
