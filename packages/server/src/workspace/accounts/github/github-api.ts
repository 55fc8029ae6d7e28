import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import {
  type ProviderAnswer,
  ProviderUnavailableError,
  requestProvider,
} from '../../../platform/outbound/provider-request.ts';
import type { Secret } from '../../../platform/secrets/secret.ts';
import type { GithubSettings } from './github-settings.ts';

/** The person behind a GitHub token. */
export interface GithubUser {
  /** GitHub's number of the person, which never changes. */
  githubId: number;
  /** The application the token was issued to; null for a token its person made by hand. */
  issuingClientId: string | null;
}

/** The data that is read about a person, each part with one call. */
export interface GithubApi {
  /** Null when GitHub refuses the token. */
  readUser(accessToken: Secret): Promise<GithubUser | null>;
  /** The primary address if GitHub has verified it; null where it has not, or the token may not see addresses. */
  readVerifiedAddress(accessToken: Secret): Promise<string | null>;
}

/** GitHub's REST API, as far as sign-in needs it. Calls throw `ProviderUnavailableError` for the unexpected. */
export function createGithubApi(settings: GithubSettings): GithubApi {
  async function get(path: string, accessToken: Secret): Promise<ProviderAnswer> {
    const request = {
      url: settings.apiUrl + path,
      method: 'GET' as const,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${accessToken.reveal()}`,
        'x-github-api-version': '2022-11-28',
      },
    };
    const answer = await requestProvider(request, settings.requestTimeoutMs).catch((error: unknown) => {
      // A token of a flow cannot be got a second time, so one broken connection must not cost the person the flow.
      const isBroken = error instanceof ProviderUnavailableError && error.word === 'connection_failed';
      if (isBroken) return requestProvider(request, settings.requestTimeoutMs);
      throw error;
    });
    if (isOverLimit(answer) || answer.status >= 500)
      throw new ProviderUnavailableError(`status_${answer.status}`);
    return answer;
  }

  return {
    async readUser(accessToken) {
      const { status, headers, body } = await get('/user', accessToken);
      // 403 is the answer to tokens that are no person's.
      if (status === 401 || status === 403) return null;
      const id = status === 200 && isJsonObject(body) ? body.id : null;
      if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) {
        throw new ProviderUnavailableError(status === 200 ? 'invalid_answer' : `status_${status}`);
      }
      return { githubId: id, issuingClientId: headers.get('x-oauth-client-id') || null };
    },

    async readVerifiedAddress(accessToken) {
      const { status, body } = await get('/user/emails?per_page=100', accessToken);
      if (status === 401 || status === 403 || status === 404) return null;
      if (status !== 200 || !Array.isArray(body)) throw new ProviderUnavailableError('invalid_answer');
      for (const entry of body) {
        if (!isJsonObject(entry) || entry.primary !== true || entry.verified !== true) continue;
        if (typeof entry.email === 'string') return entry.email;
      }
      return null;
    },
  };
}

/**
 * Returns true if GitHub reports that the token has exceeded its limit: with either status, and by one of two headers.
 */
function isOverLimit({ status, headers }: ProviderAnswer): boolean {
  if (status !== 403 && status !== 429) return false;
  return status === 429 || headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after');
}
