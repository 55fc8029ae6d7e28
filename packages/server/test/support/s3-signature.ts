import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What an S3 server knows of its one client. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

interface SignedRequest {
  method: string;
  /** As it stands in the request line. */
  target: string;
  headers: IncomingHttpHeaders;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
const SKEW_MAX_MS = 15 * 60_000;

/**
 * The name of the refusal that an S3 store gives a request for its signature (Signature Version 4), or null when there
 * is nothing against it. Strict: headers that steer the request must be signed.
 */
export function signatureRefusal(
  request: SignedRequest,
  known: S3Credentials,
  nowMs = Date.now(),
): string | null {
  const { headers } = request;
  const [, credential = '', signedNames = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  const [accessKeyId, day = '', region, service, end] = credential.split('/');
  const time = headerText(headers, 'x-amz-date');
  if (signature === '' || time === '') return 'AccessDenied';
  if (accessKeyId !== known.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== known.region || service !== 's3' || end !== 'aws4_request' || !time.startsWith(day))
    return 'AuthorizationHeaderMalformed';
  if (Math.abs(nowMs - readTime(time)) > SKEW_MAX_MS) return 'RequestTimeTooSkewed';
  const names = signedNames.split(';');
  const isSteering = (name: string) =>
    name === 'host' || name === 'if-none-match' || name.startsWith('x-amz-');
  if (Object.keys(headers).some((name) => isSteering(name) && !names.includes(name))) return 'AccessDenied';
  const scope = [day, region, service, end].join('/');
  const text = [ALGORITHM, time, scope, hash(canonicalRequest(request, names))].join('\n');
  const key = [day, region, service, end].reduce<string | Buffer>(
    (signing, part) => hmac(signing, part),
    `AWS4${known.secretAccessKey}`,
  );
  const expected = hmac(key, text);
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? null : 'SignatureDoesNotMatch';
}

function canonicalRequest({ method, target, headers }: SignedRequest, names: readonly string[]): string {
  const [path = '', query = ''] = target.split('?');
  const parameters = query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => (part.includes('=') ? part : `${part}=`))
    .sort();
  return [
    method,
    path,
    parameters.join('&'),
    ...names.map((name) => `${name}:${headerText(headers, name).trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    headerText(headers, 'x-amz-content-sha256'),
  ].join('\n');
}

function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}

/** `20261122T114117Z`. */
function readTime(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
