import type { CommonOptions } from '../../sdk-core/src/options.ts';
import type { Answer, Batch } from '../../sdk-core/src/sending/host.ts';
import type { Destination } from './address.ts';
import { SDK_NAME, SDK_VERSION } from './identity.ts';

const TIMEOUT_MS = 5000;
const ANSWER_CHARS_MAX = 262_144;

/** Requests of the library itself; they pass by what watches the page's calls. */
export interface Transport {
  /** @param isLasting the page is being left: the request must outlive it */
  send(batch: Batch, isLasting: boolean): Promise<Answer>;
  /** `GET` of the configuration. */
  askConfig(): Promise<Answer>;
}

/** Made before the page's `fetch` is replaced. */
export function createTransport(
  { url, token }: Destination,
  { transport, timeoutMs = TIMEOUT_MS }: CommonOptions,
  added: Readonly<Record<string, string>>,
): Transport {
  const original = globalThis.fetch;
  const identity = token
    ? { authorization: `Bearer ${token}`, 'x-service-sdk': SDK_NAME, 'x-service-sdk-version': SDK_VERSION }
    : {};

  // A relay of the page may be redirected within its origin, by which no event gets anywhere else.
  const isOwnRelay = !token && new URL(url).origin === location.origin;

  const request = async (address: string, init: RequestInit): Promise<Answer> => {
    const abort = globalThis.AbortController && new AbortController();
    setTimeout(() => abort?.abort(), timeoutMs);
    const response = await original(address, {
      credentials: token ? 'omit' : 'same-origin',
      ...(isOwnRelay ? { mode: 'same-origin' } : { redirect: 'manual' }),
      ...(abort && { signal: abort.signal }),
      ...init,
    });
    const { status, headers } = response;
    const body = (await response.text()).slice(0, ANSWER_CHARS_MAX);
    return {
      // A redirect that is not followed has none.
      status: status || 300,
      headers: { 'retry-after': headers.get('retry-after') ?? '' },
      body,
    };
  };

  /** Also where the page's `fetch` or the host's function never ends. */
  const inTime = (answer: Promise<Answer>) =>
    Promise.race([answer, new Promise<never>((_, reject) => setTimeout(reject, timeoutMs + 1000))]);

  return {
    async send(batch, keepalive) {
      const headers = { 'content-type': 'application/json', ...identity, ...added };
      const { body, events } = batch;
      if (transport) return inTime(transport({ ...batch, headers }));
      const beacon = () => {
        // A beacon has no answer; one that is refused was not sent.
        if (!navigator.sendBeacon(url, new Blob([body], { type: 'application/json' }))) throw url;
        return { status: 202, body: `{"accepted":${events},"rejected":0,"errors":[]}` };
      };
      const isRelayed = keepalive && !token;
      if (isRelayed && !('keepalive' in Request.prototype)) return beacon();
      const answer = inTime(request(url, { method: 'POST', headers, body, keepalive }));
      return isRelayed ? answer.catch(beacon) : answer;
    },
    // A tag of the last answer is known to the browser's own cache, which asks with it.
    askConfig: () =>
      request(url.replace(/\/events$/, '/sdk/config'), { headers: identity, cache: 'no-cache' }),
  };
}
