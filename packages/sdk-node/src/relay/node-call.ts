import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RelayAnswer } from './relay-answer.ts';
import type { BodyRead, RelayCall } from './relay-call.ts';

/** The facts of a framework on `node:http` beyond the request itself. */
interface NodeCallFacts {
  /** The request as `clientIp` gets it. */
  original: unknown;
  /** The result of the framework's body parser. */
  parsedBody: unknown;
  framework: RelayCall['framework'];
}

/** Returns true if a value is a request of `node:http` or `node:http2`, which share the parts that are used here. */
export function isNodeRequest(value: unknown): value is IncomingMessage {
  return typeof value === 'object' && value !== null && 'headers' in value && 'on' in value && 'url' in value;
}

/** The same of a response. */
export function isNodeResponse(value: unknown): value is ServerResponse {
  return typeof value === 'object' && value !== null && 'setHeader' in value && 'end' in value;
}

/** The path of a request, without its query. */
export function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? '';
}

/** A request of `node:http` as a call. */
export function nodeCall(request: IncomingMessage, facts: NodeCallFacts): RelayCall {
  return {
    method: request.method ?? '',
    header(name) {
      const value =
        name === 'host' ? (request.headers.host ?? request.headers[':authority']) : request.headers[name];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    },
    socketAddress: request.socket?.remoteAddress ?? null,
    framework: facts.framework,
    original: facts.original,
    readBody: (maxBytes, timeoutMs) => readNodeBody(request, facts.parsedBody, maxBytes, timeoutMs),
  };
}

/** Writes an answer, unless there is one already. */
export function writeAnswer(response: ServerResponse, answer: RelayAnswer, isHttp1: boolean): void {
  if (response.headersSent || response.writableEnded) return;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (answer.closesConnection && isHttp1) response.setHeader('Connection', 'close');
  response.end(answer.body ?? undefined);
}

function readNodeBody(
  request: IncomingMessage,
  parsedBody: unknown,
  maxBytes: number,
  timeoutMs: number,
): Promise<BodyRead> {
  if (request.readableDidRead || request.destroyed) {
    return Promise.resolve(
      parsedBody === undefined ? { kind: 'unreadable' } : { kind: 'parsed', value: parsedBody },
    );
  }
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const finish = (read: BodyRead) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      // The rest goes nowhere: without a reader it would stay in the socket, and a late error would have no listener.
      request.on('error', () => undefined).resume();
      resolve(read);
    };
    const onData = (chunk: unknown) => {
      const part = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
      bytes += part.length;
      if (bytes > maxBytes) return finish({ kind: 'too_large' });
      chunks.push(part);
    };
    const onEnd = () => finish({ kind: 'bytes', bytes: Buffer.concat(chunks) });
    const onClose = () => finish({ kind: 'unreadable' });
    const timer = setTimeout(onClose, timeoutMs);
    timer.unref();
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
