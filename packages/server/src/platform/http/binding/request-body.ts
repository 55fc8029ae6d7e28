import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import type { FastifyRequest } from 'fastify';
import type { HttpServer } from '../server/http-server.ts';
import { faultAt, invalidPayload } from './payload-fault.ts';
import { Problem } from './problem.ts';
import { type BodyProblem, type ReadBodyOptions, type ReadBodyResult, readBody } from './read-body.ts';

/** A body of an operation that judges its whole request itself. */
export type RawBody =
  | { ok: true; bytes: Buffer }
  | { ok: false; problem: 'payload_too_large' }
  | { ok: false; problem: 'invalid_payload'; reason: string };

/** The claim that grants the bytes of a body as they arrive; bytes that wait for it stay unread. */
export interface ByteClaim {
  takeBytes(sizeBytes: number): boolean | Promise<boolean>;
}

/** Returns true if the rest of the body is still to arrive; small bodies mostly arrive together with their headers. */
export async function isBodyOnItsWay({ raw }: FastifyRequest): Promise<boolean> {
  if (raw.complete) return false;
  // Until the parser is done with the bytes that brought the headers.
  await Promise.resolve();
  return !raw.complete;
}

/** Reads a body as it comes, and decodes one of bytes; the claim counts each piece. */
export function readManagementBody(
  server: HttpServer,
  request: FastifyRequest,
  claim: ByteClaim,
  { body, bodyBytesMax }: Pick<Endpoint, 'body' | 'bodyBytesMax'> = {},
): Promise<ReadBodyResult> {
  return read(server, request, claim, {
    bytesMax: bodyBytesMax ?? server.limits.managementBodyBytesMax,
    decodes: body === 'bytes',
  });
}

/** Reads a body of events and decodes it; the claim counts each decoded piece. */
export function readIngestionBody(
  server: HttpServer,
  request: FastifyRequest,
  claim: ByteClaim,
): Promise<ReadBodyResult> {
  return read(server, request, claim, { bytesMax: server.limits.ingestionBodyBytesMax, decodes: true });
}

/** Reads a body piece by piece, decoded, within separate bounds. */
export function readStreamedBody(
  server: HttpServer,
  request: FastifyRequest,
  claim: ByteClaim,
  options: Required<Pick<ReadBodyOptions, 'bytesMax' | 'wireBytesMax' | 'sink'>>,
): Promise<ReadBodyResult> {
  return read(server, request, claim, { ...options, decodes: true });
}

function read(
  { limits }: HttpServer,
  request: FastifyRequest,
  claim: ByteClaim,
  options: Omit<ReadBodyOptions, 'silenceTimeoutMs' | 'takeBytes'>,
): Promise<ReadBodyResult> {
  return readBody(request.raw, {
    ...options,
    silenceTimeoutMs: limits.silentBodyTimeoutMs,
    takeBytes(sizeBytes) {
      request.exchange.bodyBytes += sizeBytes;
      return claim.takeBytes(sizeBytes);
    },
  });
}

/**
 * The bytes of a body that was read.
 * @throws Problem for one that is too large, broken, silent or crowded out
 */
export function bytesOf(result: ReadBodyResult): Buffer {
  if (!result.ok) throw bodyProblem(result.problem);
  return result.bytes;
}

/**
 * The body as an operation judges it.
 * @throws Problem for one that is silent or crowded out
 */
export function rawBodyOf(result: ReadBodyResult): RawBody {
  if (result.ok) return result;
  const { problem } = result;
  if (problem === 'payload_too_large') return { ok: false, problem };
  if (problem === 'invalid_payload') return { ok: false, problem, reason: faultAt('', UNDECODABLE) };
  throw bodyProblem(problem);
}

const UNDECODABLE = 'ends too early, or does not match its Content-Encoding';

function bodyProblem(code: BodyProblem): Problem {
  if (code === 'invalid_payload') return invalidPayload('', UNDECODABLE);
  return code === 'request_timeout' ? new Problem(code, { status: 408 }) : new Problem(code);
}
