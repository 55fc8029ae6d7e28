import { readProperty, readText } from '../../../sdk-core/src/redaction/clean.ts';

/** The status that an error asks to be answered with, as frameworks read it; null when it names none. */
export function statusOfError(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null;
  // Boom, which hapi answers with, has it one level deeper.
  const output = readProperty(error, 'output');
  const candidates = [
    readProperty(error, 'status'),
    readProperty(error, 'statusCode'),
    typeof output === 'object' && output !== null ? readProperty(output, 'statusCode') : undefined,
  ];
  const status = candidates.find((each) => typeof each === 'number' && each >= 400 && each <= 599);
  return typeof status === 'number' ? status : null;
}

/** Returns true if an error is the client's, by a status below 500. */
export function isClientError(error: unknown): boolean {
  const status = statusOfError(error);
  return status !== null && status < 500;
}

const HANG_UP_CODES = new Set([
  ...['ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_HTTP2_INVALID_STREAM'],
  ...['ERR_STREAM_WRITE_AFTER_END', 'ERR_STREAM_UNABLE_TO_PIPE', 'EPIPE', 'ABORT_ERR'],
]);

/** Returns true if an error of a request without an answer only means that its client has closed the connection. */
export function isHangUp(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const code = readText(error, 'code');
  if (HANG_UP_CODES.has(code) || readText(error, 'name') === 'AbortError') return true;
  // Node's own for a request; connections of the host to others name their system call.
  return (
    code === 'ECONNRESET' && readText(error, 'syscall') === '' && readText(error, 'message') === 'aborted'
  );
}

/** Returns true if the thrown value is an answer, as routers take a `Response` that a handler throws. */
export function isThrownResponse(thrown: unknown): thrown is { status: number; headers: object } {
  return typeof Response === 'function' && thrown instanceof Response;
}
