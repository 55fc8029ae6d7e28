import type { LookupFunction } from 'node:net';
import { usageError } from '../cli-error.ts';

/** Importing these would evaluate what they load on demand, which takes as long as everything else here together. */
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** Headers of an answer; the class of the platform comes with its whole HTTP client, which is not used here. */
class AnswerHeaders {
  readonly #pairs: readonly (readonly [string, string])[];

  /** @param raw names and values in turn, as Node reads them */
  constructor(raw: readonly string[]) {
    this.#pairs = raw.flatMap((name, at) =>
      at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ''] as const] : [],
    );
  }

  get(name: string): string | null {
    const values = this.#pairs.flatMap(([each, value]) => (each === name.toLowerCase() ? [value] : []));
    return values.length === 0 ? null : values.join(', ');
  }

  getSetCookie(): string[] {
    return this.#pairs.flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []));
  }

  *[Symbol.iterator](): Generator<readonly [string, string]> {
    yield* this.#pairs;
  }
}

/** An answer as text, with what the client of the contract reads of it. */
export interface HttpAnswer {
  status: number;
  headers: AnswerHeaders;
  text(): Promise<string>;
}

interface HttpRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  /** The time limit of the whole call. */
  timeoutMs: number;
  answerBytesMax: number;
  signal?: AbortSignal | undefined;
  /** Connects to one of these, straight, whatever the name in the address has become. */
  addresses?: readonly string[] | undefined;
}

const CONNECT_TIMEOUT_MS = 5000;
/** Node's code for a certificate that ended; the message of `NoAnswer` then says when. */
const EXPIRED = 'CERT_HAS_EXPIRED';

/** A call that got no answer: why, by the code of Node or one of our own. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Sends one request with Node's own client, which starts sooner than `fetch` and reports why a connection failed.
 * Redirects are not followed. Throws `NoAnswer`.
 */
export function sendHttp(url: string, request: HttpRequest): Promise<HttpAnswer> {
  const { method, headers, body, timeoutMs, answerBytesMax, signal, addresses } = request;
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith('https:');
    const sent = (isSecure ? https : http).request(url, {
      method,
      // A separate agent: the shared one may lead through a proxy, which would resolve the name itself.
      ...(addresses === undefined
        ? {}
        : { lookup: lookupOf(addresses), agent: new (isSecure ? https : http).Agent() }),
      headers: {
        ...headers,
        'accept-encoding': 'gzip, br',
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
    });
    const fail = (code: string, message: string) => {
      clearTimeout(whole);
      clearTimeout(connect);
      signal?.removeEventListener('abort', onAbort);
      reject(new NoAnswer(code, message));
      sent.destroy();
    };
    const onAbort = () => fail('ABORTED', 'ended before the answer');
    const whole = setTimeout(() => fail('TIMEOUT', `no answer within ${timeoutMs / 1000} s`), timeoutMs);
    const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
    const connect = setTimeout(
      () => fail('CONNECT_TIMEOUT', `no connection within ${connectMs / 1000} s`),
      connectMs,
    );
    if (signal?.aborted === true) return onAbort();
    signal?.addEventListener('abort', onAbort);
    sent.on('socket', (socket) => {
      const connected = () => clearTimeout(connect);
      if (!socket.connecting) connected();
      else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== EXPIRED) return fail(error.code ?? 'FAILED', error.message);
      void expiredOn(new URL(url).origin).then((words) => fail(EXPIRED, words));
    });
    sent.on('response', (response) => {
      clearTimeout(connect);
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > answerBytesMax) fail('ANSWER_TOO_LARGE', `a response above ${answerBytesMax} bytes`);
        else chunks.push(chunk);
      });
      response.on('error', () => fail('CUT_OFF', 'the answer was cut off'));
      response.on('aborted', () => fail('CUT_OFF', 'the answer was cut off'));
      response.on('end', () => {
        clearTimeout(whole);
        signal?.removeEventListener('abort', onAbort);
        const headers = new AnswerHeaders(response.rawHeaders);
        try {
          const content = unpack(Buffer.concat(chunks), headers.get('content-encoding'), answerBytesMax);
          resolve({
            status: response.statusCode ?? 0,
            headers,
            text: () => Promise.resolve(content.toString('utf8')),
          });
        } catch {
          reject(new NoAnswer('CUT_OFF', 'the answer cannot be decompressed'));
        }
      });
    });
    sent.end(body);
  });
}

/** Answers every name with these addresses. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (hostname, options, callback) => {
    const [first] = known;
    if (first === undefined) callback(new Error(`no address of ${hostname} is known`), '', 0);
    else if (options.all === true) callback(null, known);
    else callback(null, first.address, first.family);
  };
}

async function expiredOn(origin: string): Promise<string> {
  const { certificateEnd } = await import('./certificate-end.ts');
  const endedAt = await certificateEnd(origin, { anyhow: true });
  return endedAt === null
    ? 'it has expired'
    : `it expired on ${new Date(endedAt).toISOString().slice(0, 10)}`;
}

function unpack(content: Buffer, encoding: string | null, maxOutputLength: number): Buffer {
  if (encoding !== 'gzip' && encoding !== 'br') return content;
  const { brotliDecompressSync, gunzipSync } = process.getBuiltinModule('node:zlib');
  if (encoding === 'gzip') return gunzipSync(content, { maxOutputLength });
  return brotliDecompressSync(content, { maxOutputLength });
}

const PROXY_NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
/** For a proxy these names mean its own machine. */
const LOOPBACK = 'localhost,127.0.0.1,::1';

/** Takes the proxy that the environment names, where this Node can. This machine is reached without it. */
export function useProxyOfEnvironment(environment: NodeJS.ProcessEnv): void {
  const named = PROXY_NAMES.filter((name) => (environment[name] ?? '') !== '');
  const module: { setGlobalProxyFromEnv?: unknown } = http;
  if (named.length === 0 || typeof module.setGlobalProxyFromEnv !== 'function') return;
  const direct = [environment.no_proxy, environment.NO_PROXY, LOOPBACK];
  const exceptions = direct.filter((each) => each !== undefined && each !== '').join(',');
  try {
    module.setGlobalProxyFromEnv({ ...environment, no_proxy: exceptions, NO_PROXY: exceptions });
  } catch {
    throw usageError(`${named.join(' or ')} is not a proxy address.`, 'fix it, or unset it');
  }
}
