import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';

/** Smaller answers fit into one or two packets without compression. */
const BYTES_MIN = 2048;
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

/**
 * The fields that must not leak through the length of an answer in which others can place text: a client that guesses a
 * part of the value would see the answer shrink.
 */
const SECRET_FIELDS = new Set([
  'plaintext',
  'signing_secret',
  'trigger_token',
  'compat_trigger_token',
  'csrf_token',
  'install_url',
]);

type Encoding = 'br' | 'gzip';

const compressors: Readonly<Record<Encoding, (bytes: Buffer | string) => Promise<Buffer>>> = {
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes) => zip(bytes, { level: GZIP_LEVEL }),
};
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Returns true if an endpoint's answers are compressed: answers to people and their programs, without secrets. */
export function isCompressible(endpoint: Endpoint): boolean {
  if (endpoint.auth === 'project_token' || endpoint.path.startsWith('/v1/auth/')) return false;
  return !Object.values(endpoint.responses).some(hasSecretField);
}

/** Compresses the bytes of an answer with the encoding that its client prefers; null when it is sent uncompressed. */
export async function compressAnswer(
  payload: Buffer | string,
  acceptEncoding: string | undefined,
): Promise<{ bytes: Buffer; encoding: Encoding } | null> {
  const encoding = encodingFor(acceptEncoding);
  if (encoding === null || payload.length <= BYTES_MIN) return null;
  return { bytes: await compressors[encoding](payload), encoding };
}

/** Returns the best of our encodings that the client names as acceptable: brotli before gzip. */
function encodingFor(acceptEncoding = ''): Encoding | null {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([, weight = 'q=1']) => Number(weight.replace('q=', '')) > 0)
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? null;
}

function hasSecretField(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasSecretField);
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, value]) =>
    key === 'properties' && typeof value === 'object' && value !== null
      ? Object.entries(value).some(([name, inner]) => SECRET_FIELDS.has(name) || hasSecretField(inner))
      : hasSecretField(value),
  );
}
