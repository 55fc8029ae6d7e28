import { noteSending } from '../work.ts';

/**
 * A service that the operator named, such as GitHub or Slack, did not answer in time, or not in a form we know. Holds a
 * fixed word and never what was sent or answered.
 */
export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError';
  /** The fault: a word of ours, or the provider's own error word if it has the form of one. */
  readonly word: string;

  constructor(word: string) {
    super(`a provider could not be used: ${safeWord(word)}`);
    this.word = safeWord(word);
  }
}

/** Anything that is not plainly a word could be data, so it is not repeated. */
function safeWord(word: string): string {
  return /^[a-z0-9_]{1,60}$/.test(word) ? word : 'unknown_error';
}

/** An answer of a provider, read whole. */
export interface ProviderAnswer {
  status: number;
  headers: Headers;
  /** Undefined when the body is no JSON. */
  body: unknown;
}

interface ProviderRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  form?: URLSearchParams;
}

/** GitHub's record of a person has 3 KB, and each of at most 100 addresses a few hundred bytes. */
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * One request with limits on time and size; redirects are not followed. The address is the operator's.
 * @throws ProviderUnavailableError when there is no answer, or a longer one; any status is an answer
 */
export async function requestProvider(request: ProviderRequest, timeoutMs: number): Promise<ProviderAnswer> {
  if (request.method === 'POST') noteSending();
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { ...request.headers, 'user-agent': 'Culprit' },
      ...(request.form === undefined ? {} : { body: request.form }),
      redirect: 'manual',
      signal,
    });
    const text = await readBounded(response);
    return { status: response.status, headers: response.headers, body: parseJson(text) };
  } catch (error) {
    if (error instanceof ProviderUnavailableError) throw error;
    // Errors of the HTTP client can hold the request, and so secrets: only the kind of failure is passed on.
    throw new ProviderUnavailableError(signal.aborted ? 'timeout' : 'connection_failed');
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Leaving the loop early cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > ANSWER_BYTES_MAX) throw new ProviderUnavailableError('answer_too_long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
