import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import * as oauth from 'oauth4webapi';
import { ProviderUnavailableError, requestProvider } from '../../../platform/outbound/provider-request.ts';
import { Secret } from '../../../platform/secrets/secret.ts';
import type { GithubSettings } from './github-settings.ts';

/** The scopes of a requested token: the person's profile and addresses. */
const SCOPE = 'read:user user:email';

/** GitHub's side of a device flow. */
interface DeviceGrant {
  deviceCode: Secret;
  userCode: string;
  verificationUri: string;
  expiresInSeconds: number;
  intervalSeconds: number;
}

/** The state of a device code at GitHub. */
export type DeviceAnswer =
  | { kind: 'pending' | 'denied' | 'expired' }
  /** Null when GitHub names no new interval. */
  | { kind: 'slow_down'; intervalSeconds: number | null }
  | { kind: 'granted'; accessToken: Secret };

/**
 * GitHub as an authorization server (docs/contract/account.md 3.2, 3.4). Each call throws `ProviderUnavailableError`
 * for the unexpected.
 */
export interface GithubOauth {
  /** The issuer that a callback must name, if it names one. */
  issuer: string;
  /** Returns the address to which a browser is sent to sign in. */
  authorizeUrl(request: { redirectUri: string; state: string; codeVerifier: string }): Promise<string>;
  /** The access token for a code. A code that GitHub refuses throws too. */
  exchangeCode(request: { code: string; redirectUri: string; codeVerifier: string }): Promise<Secret>;
  startDevice(): Promise<DeviceGrant>;
  askDevice(deviceCode: Secret): Promise<DeviceAnswer>;
}

/** RFC 8628 section 3.2: what holds when the server names no interval. */
const INTERVAL_DEFAULT_SECONDS = 5;
const INTERVAL_MAX_SECONDS = 300;
/** GitHub says 900. */
const DEVICE_LIFE_MAX_SECONDS = 3600;
const CODE_LENGTH_MAX = 2000;

/** Speaks GitHub's OAuth through a library, with its requests under our limits. */
export function createGithubOauth(settings: GithubSettings): GithubOauth {
  const issuer = `${settings.url}/login/oauth`;
  const server: oauth.AuthorizationServer = {
    issuer,
    authorization_endpoint: `${settings.url}/login/oauth/authorize`,
    token_endpoint: `${settings.url}/login/oauth/access_token`,
    device_authorization_endpoint: `${settings.url}/login/device/code`,
  };
  const client: oauth.Client = { client_id: settings.clientId };
  const options = {
    [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) =>
      send(url, init, settings.requestTimeoutMs),
    [oauth.allowInsecureRequests]: settings.url.startsWith('http:'),
  };

  return {
    issuer,

    async authorizeUrl({ redirectUri, state, codeVerifier }) {
      const query = new URLSearchParams({
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return `${server.authorization_endpoint}?${query}`;
    },

    async exchangeCode({ code, redirectUri, codeVerifier }) {
      return await expected(async () => {
        // The state was compared and consumed before; the library wants to have seen the parameters.
        const parameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }));
        const authentication = oauth.ClientSecretPost(settings.clientSecret.reveal());
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          redirectUri,
          codeVerifier,
          options,
        );
        const answer = await oauth.processAuthorizationCodeResponse(server, client, response);
        return new Secret(answer.access_token);
      });
    },

    async startDevice() {
      const answer = await expected(async () => {
        const request = { scope: SCOPE };
        const response = await oauth.deviceAuthorizationRequest(
          server,
          client,
          oauth.None(),
          request,
          options,
        );
        return await oauth.processDeviceAuthorizationResponse(server, client, response);
      });
      const { device_code, user_code, verification_uri, expires_in, interval } = answer;
      const isSound =
        device_code.length <= CODE_LENGTH_MAX &&
        user_code.length <= CODE_LENGTH_MAX &&
        verification_uri.length <= CODE_LENGTH_MAX &&
        /^https?:\/\//.test(verification_uri) &&
        URL.canParse(verification_uri) &&
        expires_in >= 1;
      if (!isSound) throw new ProviderUnavailableError('invalid_answer');
      return {
        deviceCode: new Secret(device_code),
        userCode: user_code,
        verificationUri: verification_uri,
        expiresInSeconds: Math.min(Math.floor(expires_in), DEVICE_LIFE_MAX_SECONDS),
        intervalSeconds: intervalOf(interval) ?? INTERVAL_DEFAULT_SECONDS,
      };
    },

    async askDevice(deviceCode) {
      try {
        return await expected(async () => {
          const response = await oauth.deviceCodeGrantRequest(
            server,
            client,
            oauth.None(),
            deviceCode.reveal(),
            options,
          );
          const answer = await oauth.processDeviceCodeResponse(server, client, response);
          return { kind: 'granted', accessToken: new Secret(answer.access_token) };
        });
      } catch (error) {
        const answer = error instanceof GithubRefusal ? waitingAnswer(error) : null;
        if (answer === null) throw error;
        return answer;
      }
    },
  };
}

/** GitHub answered with an error word of OAuth. */
class GithubRefusal extends ProviderUnavailableError {
  readonly intervalSeconds: number | null;

  constructor(word: string, intervalSeconds: number | null) {
    super(word);
    this.intervalSeconds = intervalSeconds;
  }
}

/**
 * Returns the answer of a device flow that is not a failure, null for a real failure. A code that GitHub no longer
 * knows has expired.
 */
function waitingAnswer({ word, intervalSeconds }: GithubRefusal): DeviceAnswer | null {
  switch (word) {
    case 'authorization_pending':
      return { kind: 'pending' };
    case 'slow_down':
      return { kind: 'slow_down', intervalSeconds };
    case 'access_denied':
      return { kind: 'denied' };
    case 'expired_token':
    case 'token_expired':
    case 'incorrect_device_code':
    case 'bad_verification_code':
      return { kind: 'expired' };
    default:
      return null;
  }
}

/** Runs a call of the library; its errors hold whole answers, tokens among them, so only their code is passed on. */
async function expected<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ProviderUnavailableError) throw error;
    if (error instanceof oauth.ResponseBodyError) {
      throw new GithubRefusal(error.error, intervalOf(error.cause.interval));
    }
    const isUnfit =
      error instanceof oauth.OperationProcessingError ||
      error instanceof oauth.UnsupportedOperationError ||
      error instanceof oauth.WWWAuthenticateChallengeError;
    if (isUnfit) throw new ProviderUnavailableError('invalid_answer');
    throw error;
  }
}

function intervalOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? Math.min(Math.ceil(value), INTERVAL_MAX_SECONDS) : null;
}

/** GitHub answers errors of OAuth with status 200, which the library takes for a success without a token. */
async function send(
  url: string,
  init: oauth.CustomFetchOptions<'POST', URLSearchParams>,
  timeoutMs: number,
): Promise<Response> {
  const request = { url, method: init.method, headers: init.headers, form: init.body };
  const { status, body } = await requestProvider(request, timeoutMs);
  if (!isJsonObject(body)) throw new ProviderUnavailableError(`status_${status}`);
  const isError = status === 200 && typeof body.error === 'string';
  return Response.json(body, { status: isError ? 400 : status });
}
