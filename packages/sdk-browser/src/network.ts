import { readSaid, readText } from '../../sdk-core/src/redaction/clean.ts';
import { resolveUrl } from './address.ts';
import { replace, together, type Undo } from './replace.ts';

/** A call of the page that has ended. */
export interface FinishedCall {
  method: string;
  url: URL;
  /** The `X-Request-Id` that it went with. */
  id: string | null;
  /** 0 when no response arrived. */
  status: number;
  durationMs: number;
  /** Why no response arrived. */
  failure?: { failure_kind: string; failure_reason: string } | undefined;
  /** Beginning of the answer to a failed call. */
  body?: string | undefined;
}

export interface CallObserver {
  /** Headers to add to a call. */
  headersFor(url: URL): Record<string, string>;
  callEnded(call: FinishedCall): void;
  /** True if the beginning of failed answers is read. */
  readsBodies: boolean;
}

/** By which a server names a request, and takes over the name that it comes with. */
export const REQUEST_ID = 'x-request-id';
const BODY_CHARS_MAX = 4096;

/** Watches a call from now on; the result ends it. */
function begin(observer: CallObserver, method: unknown, url: URL, id: string | null) {
  const startedMs = performance.now();
  let hasEnded = false;
  /** @param error name of what ended it instead of a response; what the page gave up itself is no failure */
  return (status: number, error?: string, reason = '', body?: string) => {
    // An object that is used again still has the listeners of its first call.
    if (hasEnded || (error && /abort/i.test(error))) return;
    hasEnded = true;
    observer.callEnded({
      method: String(method).toUpperCase(),
      url,
      id,
      status,
      durationMs: Math.round(performance.now() - startedMs),
      failure: error
        ? { failure_kind: /timeout/i.test(error) ? 'timeout' : 'network_error', failure_reason: reason }
        : undefined,
      body: body?.slice(0, BODY_CHARS_MAX),
    });
  };
}

/**
 * Watches `fetch`. The page gets the promise of its call with one step added: a handler on that very promise would mark
 * it as handled, and the browser would no longer report a failed call that is never awaited.
 */
export function watchFetch(observer: CallObserver): Undo {
  return replace(globalThis, 'fetch', (_self, args) => {
    const [input, init] = args as [RequestInfo | URL, RequestInit?];
    const request = [input, init].find(isRequest);
    const url = resolveUrl(isRequest(input) ? input.url : input);
    const added = (init?.mode ?? request?.mode) === 'no-cors' ? {} : observer.headersFor(url);
    const id = addHeaders(args, request, added);
    const end = begin(observer, init?.method ?? request?.method ?? 'GET', url, id);
    return (promise) =>
      (promise as Promise<Response>).then(
        (response) => {
          // An opaque response says nothing about itself.
          if (observer.readsBodies && response.status > 399) {
            firstText(response.clone()).then(
              (body) => end(response.status, '', '', body),
              () => end(response.status),
            );
          } else if (response.status || response.type === 'error') end(response.status);
          return response;
        },
        (error) => {
          end(0, readText(error, 'name'), readSaid(error)[0]);
          throw error;
        },
      );
  });
}

/** One of another frame is no instance of the class of this one. */
function isRequest(value: unknown): value is Request {
  return !!Object(value).blob;
}

/** Reads no more of a copy than arrives first. */
async function firstText(copy: Response): Promise<string> {
  const reader = copy.body?.getReader();
  const part = await reader?.read();
  reader?.cancel().catch(() => {});
  return new TextDecoder().decode(part?.value);
}

/** Adds what the page has not set; returns the id that the call goes with. */
function addHeaders(
  args: unknown[],
  request: Request | undefined,
  added: Record<string, string>,
): string | null {
  const [input, init] = args as [RequestInfo | URL, RequestInit?];
  const headers = new Headers(init?.headers ?? request?.headers);
  const missing = Object.entries(added).filter(([name]) => !headers.has(name));
  if (!missing.length) return headers.get(REQUEST_ID);
  // A copy, because the page may use its own request again. A new init object beside it would reset its referrer, and
  // one that inherits its members would lose them.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(init ?? {}));
  const copy = (request || !isPlain) && new Request(input, init);
  const target = copy ? copy.headers : headers;
  for (const [name, value] of missing) target.set(name, value);
  args.splice(0, 2, ...(copy ? [copy] : [input, { ...init, headers }]));
  return target.get(REQUEST_ID);
}

/** Watches `XMLHttpRequest`, where there is one. */
export function watchXhr(observer: CallObserver): Undo {
  const calls = new WeakMap<object, { method: unknown; url: URL; headers: Headers }>();
  const prototype = globalThis.XMLHttpRequest?.prototype;
  return together(
    replace(prototype, 'open', (xhr, [method, address]) => {
      calls.set(xhr as object, { method, url: resolveUrl(address), headers: new Headers() });
    }),
    replace(prototype, 'setRequestHeader', (xhr, [name, value]) => {
      calls.get(xhr as object)?.headers.append(name as string, value as string);
    }),
    replace(prototype, 'send', (self) => {
      const xhr = self as XMLHttpRequest;
      const call = calls.get(xhr);
      if (!call) return;
      for (const [name, value] of Object.entries(observer.headersFor(call.url))) {
        if (!call.headers.has(name)) xhr.setRequestHeader(name, value);
      }
      // Headers that were added above were seen as well.
      const end = begin(observer, call.method, call.url, call.headers.get(REQUEST_ID));
      for (const type of ['abort', 'error', 'timeout', 'load']) {
        const ended = () => {
          const reads = observer.readsBodies && xhr.status > 399 && /^(text)?$/.test(xhr.responseType);
          end(xhr.status, type === 'load' ? '' : type, '', reads ? xhr.responseText : undefined);
        };
        xhr.addEventListener(type, ended, { once: true });
      }
    }),
  );
}
