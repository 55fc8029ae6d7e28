import type { RelayAnswer } from './relay-answer.ts';
import type { BodyRead, RelayCall } from './relay-call.ts';

/** A request in the form of fetch-style servers, limited to the parts that are read. */
export interface FetchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
  readonly bodyUsed?: boolean;
}

type Instance<Constructor> = Constructor extends abstract new (...args: never) => infer Made ? Made : object;

/** `Response` where the runtime's types have one. */
export type FetchResponse = typeof globalThis extends { Response: infer Constructor }
  ? Instance<Constructor>
  : object;

/** A fetch-style request as a call. */
export function fetchCall(
  request: FetchRequest,
  { original, socketAddress }: { original: unknown; socketAddress: string | null },
): RelayCall {
  return {
    method: request.method,
    header: (name) => request.headers.get(name),
    socketAddress,
    framework: null,
    original,
    readBody: (maxBytes, timeoutMs) => readFetchBody(request, maxBytes, timeoutMs),
  };
}

/** An answer as a response. */
export function toResponse({ status, headers, body }: RelayAnswer): FetchResponse {
  return new Response(body, { status, headers });
}

async function readFetchBody(request: FetchRequest, maxBytes: number, timeoutMs: number): Promise<BodyRead> {
  const { body } = request;
  if (request.bodyUsed === true) return { kind: 'unreadable' };
  if (!(body instanceof ReadableStream)) return { kind: 'bytes', bytes: new Uint8Array() };
  const reader: ReadableStreamDefaultReader<unknown> = body.getReader();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), timeoutMs);
    timer.unref();
  });
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const next = await Promise.race([reader.read(), timeout]);
      if (next === 'timeout') return giveUp(reader, 'unreadable');
      if (next.done) return { kind: 'bytes', bytes: Buffer.concat(chunks) };
      if (!(next.value instanceof Uint8Array)) return giveUp(reader, 'unreadable');
      bytes += next.value.length;
      if (bytes > maxBytes) return giveUp(reader, 'too_large');
      chunks.push(next.value);
    }
  } catch {
    return { kind: 'unreadable' };
  } finally {
    clearTimeout(timer);
  }
}

function giveUp(reader: ReadableStreamDefaultReader<unknown>, kind: 'unreadable' | 'too_large'): BodyRead {
  reader.cancel().catch(() => undefined);
  return { kind };
}
