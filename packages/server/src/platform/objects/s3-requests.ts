import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { OBJECT_BYTES_MAX } from './object-store.ts';
import type { S3Address } from './s3-address.ts';
import type { TimeLimit } from './time-limit.ts';

/** The five requests we make of an S3 store, each repeated while that may help and there is time. */
export interface S3Requests {
  /** @param isOnlyNew asks the store to refuse a key that is taken already */
  put(key: string, bytes: Buffer, options: { isOnlyNew: boolean; sha256: string }): Promise<void>;
  /** @param range both ends included, as in the header */
  get(key: string, range?: { first: number; last: number }): Promise<Buffer>;
  delete(key: string): Promise<void>;
  /** Keys that begin with the text, in order, `limit` at most; those behind `after` only, if it is given. */
  list(beginning: string, limit: number, after?: string): Promise<string[]>;
}

const ATTEMPTS_MAX = 6;
const FIRST_WAIT_MS = 50;
const CONNECT_TIMEOUT_MS = 1000;
/** The sockets of one process or thread. */
const SOCKETS_MAX = 64;
/** The most keys that a store lists in one answer. */
const LISTED_MAX = 1000;
/** The most common region, for stores that have none but want one to be named. */
const ANY_REGION = 'us-east-1';

const NOT_IMPLEMENTED = 501;
/** Refusals by these names pass, or come from bytes that were damaged on the way. */
const PASSING_REFUSALS = new Set([
  ...['RequestTimeout', 'SlowDown', 'RequestTimeTooSkewed', 'ConditionalRequestConflict'],
  ...['BadDigest', 'XAmzContentSHA256Mismatch'],
]);
/** Failures without an answer that no repetition cures. */
const LASTING_FAILURES = /CredentialsProviderError|Region is missing/;

/** Opens the client, which makes no request yet. Returns the requests under a time limit. */
export function openS3Client(address: S3Address): (limit: TimeLimit) => S3Requests {
  const client = new S3Client({
    ...(address.endpoint === null ? {} : { endpoint: address.endpoint }),
    ...regionOf(address),
    forcePathStyle: address.isPathStyle,
    // Otherwise a body goes out with a trailer that many stores do not know and keep as part of the object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // We repeat ourselves: answers that break off in the middle too, and never past the time limit.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      httpAgent: { keepAlive: true, maxSockets: SOCKETS_MAX },
      httpsAgent: { keepAlive: true, maxSockets: SOCKETS_MAX },
    },
  });
  const Bucket = address.bucket;

  return (limit) => {
    const abort = { abortSignal: limit.signal };
    return {
      async put(Key, Body, { isOnlyNew, sha256 }) {
        const command = new PutObjectCommand({
          Bucket,
          Key,
          Body,
          ChecksumSHA256: sha256,
          ContentType: 'application/octet-stream',
          ...(isOnlyNew ? { IfNoneMatch: '*' } : {}),
        });
        await repeated(limit, () => client.send(command, abort));
      },

      get: (Key, range) =>
        repeated(limit, async () => {
          const Range = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` };
          const { Body, ContentLength, ContentRange } = await client.send(
            new GetObjectCommand({ Bucket, Key, ...Range }),
            abort,
          );
          const bytes = await readBody(Body, ContentLength, limit.signal);
          // A server may answer with the whole object instead.
          return range === undefined || ContentRange !== undefined
            ? bytes
            : bytes.subarray(range.first, range.last + 1);
        }),

      async delete(Key) {
        await repeated(limit, () => client.send(new DeleteObjectCommand({ Bucket, Key }), abort));
      },

      async list(Prefix, keysMax, after) {
        const command = new ListObjectsV2Command({
          Bucket,
          Prefix,
          MaxKeys: Math.min(keysMax, LISTED_MAX),
          ...(after === undefined ? {} : { StartAfter: after }),
        });
        const { Contents = [] } = await repeated(limit, () => client.send(command, abort));
        return Contents.flatMap((entry) => entry.Key ?? []);
      },
    };
  };
}

/** The name of the store's refusal, else the code of the system error, else what the client says. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'Error' ? error.message : error.name;
}

/** The store does not know how to do that. */
export function isNotImplemented(error: unknown): boolean {
  return statusOf(error) === NOT_IMPLEMENTED;
}

function regionOf({ region, endpoint }: S3Address): { region?: string } {
  if (region !== null) return { region };
  return endpoint === null ? {} : { region: process.env.AWS_REGION || ANY_REGION };
}

async function repeated<Result>(limit: TimeLimit, attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      // Everyone who waits for the same store waits for another time.
      const waitMs = FIRST_WAIT_MS * 2 ** (attempts - 1) * (0.5 + Math.random() / 2);
      if (attempts === ATTEMPTS_MAX || !isPassing(error) || waitMs >= limit.leftMs()) throw error;
      await delay(waitMs, undefined, { signal: limit.signal });
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof RangeError) return false;
  const status = statusOf(error);
  const reason = failureReason(error);
  if (status === null) return !LASTING_FAILURES.test(reason);
  return (status >= 500 && status !== NOT_IMPLEMENTED) || status === 429 || PASSING_REFUSALS.has(reason);
}

/** Returns the status of the store's answer; null when there was none. */
function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('$metadata' in error)) return null;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return null;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : null;
}

async function readBody(
  body: unknown,
  declaredBytes: number | undefined,
  signal: AbortSignal,
): Promise<Buffer> {
  if (!(body instanceof Readable)) throw new Error('answer without a body');
  const destroy = () => body.destroy();
  signal.addEventListener('abort', destroy);
  try {
    if ((declaredBytes ?? 0) > OBJECT_BYTES_MAX) throw new RangeError(`object of ${declaredBytes} bytes`);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > OBJECT_BYTES_MAX) throw new RangeError(`object of more than ${OBJECT_BYTES_MAX} bytes`);
    }
    if (declaredBytes !== undefined && bytes !== declaredBytes) throw new Error('answer broke off');
    return Buffer.concat(chunks);
  } finally {
    signal.removeEventListener('abort', destroy);
    destroy();
  }
}
