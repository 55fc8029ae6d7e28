import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import * as oauth from 'oauth4webapi';
import { ProviderUnavailableError, requestProvider } from '../../../platform/outbound/provider-request.ts';
import { CLOCK_TOLERANCE_SECONDS, type OidcSettings } from './oidc-settings.ts';

/** The claims of one person, from both places at which providers give them. */
export interface OidcClaims {
  /** The claims of the ID token: signed, and checked. */
  idToken: JsonObject & { iss: string; sub: string };
  /** Null where the provider has no such endpoint. Its `sub` is that of the token. */
  userinfo: JsonObject | null;
}

/** The provider (docs/contract/team-workflow.md 9.2). Each call throws `ProviderUnavailableError` for the unexpected. */
export interface OidcProvider {
  /** Returns the address to which a browser is sent to sign in. */
  authorizeUrl(request: AuthorizationRequest): Promise<string>;
  /**
   * Returns the claims about the person, for the answer that a browser brought back. A code that the provider refuses
   * throws too.
   */
  readClaims(request: {
    parameters: URLSearchParams;
    redirectUri: string;
    codeVerifier: string;
    nonce: string;
  }): Promise<OidcClaims>;
  /** The keys of the provider that a choice among them finds; new ones are read when it finds none. */
  readKeys(choose: (keys: readonly JsonObject[]) => JsonObject[]): Promise<JsonObject[]>;
}

interface AuthorizationRequest {
  redirectUri: string;
  state: string;
  codeVerifier: string;
  nonce: string;
}

/** The time for which a provider's metadata is used. New keys are read immediately, see `readClaims`. */
const DISCOVERY_LIFE_MS = 60_000;
/** The age at which keys are read again if none matches, so that forged tokens do not cause more requests of ours. */
const KEYS_AGE_MIN_MS = 10_000;

/** Speaks OpenID Connect through a library, with its requests under our limits. */
export function createOidcProvider(settings: OidcSettings): OidcProvider {
  const client: oauth.Client = {
    client_id: settings.clientId,
    [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
  };
  const options = {
    [oauth.customFetch]: (url: string, init: FetchOptions) => send(url, init, settings.requestTimeoutMs),
    // An issuer without encryption is one that the operator vouches for; all other addresses must be https.
    [oauth.allowInsecureRequests]: settings.issuer.startsWith('http:'),
  };
  let keys: { read: Promise<readonly JsonObject[]>; readAtMs: number } | null = null;
  let discovery: { server: Promise<oauth.AuthorizationServer>; untilMs: number } | null = null;

  /** Returns the provider's metadata; many sign-ins at the same time share one request. */
  async function discover(): Promise<oauth.AuthorizationServer> {
    if (discovery === null || discovery.untilMs <= performance.now()) {
      const server = expected(async () => {
        const issuer = new URL(settings.issuer);
        const response = await oauth.discoveryRequest(issuer, options);
        const copy = response.clone();
        return await oauth.processDiscoveryResponse(issuer, response).catch(async (error: unknown) => {
          // Authentik ends its issuer with a slash that people leave out; tokens must have what the provider writes.
          if (!isOtherIssuer(error)) throw error;
          return await oauth.processDiscoveryResponse(withOtherEnd(issuer), copy);
        });
      });
      discovery = { server, untilMs: performance.now() + DISCOVERY_LIFE_MS };
      // A failure is no answer to keep.
      server.catch(() => {
        if (discovery?.server === server) discovery = null;
      });
    }
    return await discovery.server;
  }

  /** The keys that the provider publishes. */
  async function fetchKeys(): Promise<JsonObject[]> {
    const { jwks_uri: address } = await discover();
    if (!isSoundAddress(address)) throw new ProviderUnavailableError('no_keys');
    const request = { url: address, method: 'GET', headers: { accept: 'application/json' } } as const;
    const { body } = await requestProvider(request, settings.requestTimeoutMs);
    if (!isJsonObject(body) || !Array.isArray(body.keys)) throw new ProviderUnavailableError('no_keys');
    return body.keys.filter(isJsonObject);
  }

  function isSoundAddress(address: string | undefined): address is string {
    const protocol = address !== undefined && URL.canParse(address) ? new URL(address).protocol : null;
    return protocol === 'https:' || (protocol === 'http:' && options[oauth.allowInsecureRequests]);
  }

  async function redeem(
    server: oauth.AuthorizationServer,
    request: Parameters<OidcProvider['readClaims']>[0],
  ): Promise<oauth.TokenEndpointResponse> {
    // The state was compared and consumed before.
    const parameters = oauth.validateAuthResponse(server, client, request.parameters, oauth.skipStateCheck);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication(server, settings),
      parameters,
      request.redirectUri,
      request.codeVerifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: request.nonce,
      requireIdToken: true,
    });
    try {
      await oauth.validateApplicationLevelSignature(server, response, options);
    } catch (error) {
      // The provider may have changed its keys since they were read.
      if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.KEY_SELECTION)
        throw error;
      discovery = null;
      await oauth.validateApplicationLevelSignature(await discover(), response, options);
    }
    return tokens;
  }

  return {
    async authorizeUrl({ redirectUri, state, codeVerifier, nonce }) {
      const { authorization_endpoint: endpoint } = await discover();
      if (!isSoundAddress(endpoint)) throw new ProviderUnavailableError('no_authorization_endpoint');
      const url = new URL(endpoint);
      const challenge = await oauth.calculatePKCECodeChallenge(codeVerifier);
      for (const [name, value] of [
        ['client_id', settings.clientId],
        ['redirect_uri', redirectUri],
        ['response_type', 'code'],
        ['scope', withOpenId(settings.scopes)],
        ['state', state],
        ['nonce', nonce],
        ['code_challenge', challenge],
        ['code_challenge_method', 'S256'],
      ] as const) {
        url.searchParams.set(name, value);
      }
      return url.href;
    },

    async readKeys(choose) {
      const held = keys;
      const ageMs = held === null ? Number.POSITIVE_INFINITY : performance.now() - held.readAtMs;
      if (held !== null && ageMs <= DISCOVERY_LIFE_MS) {
        const chosen = await held.read.then(choose, () => []);
        if (chosen.length > 0) return chosen;
      }
      // Requests at the same time share one read, and a failed read is not repeated immediately.
      if (keys === null || (keys === held && ageMs > KEYS_AGE_MIN_MS)) {
        keys = { read: expected(fetchKeys), readAtMs: performance.now() };
      }
      return choose(await keys.read);
    },

    async readClaims(request) {
      const server = await discover();
      const claims = expected(async () => {
        const tokens = await redeem(server, request);
        const idToken = oauth.getValidatedIdTokenClaims(tokens);
        if (idToken === undefined || !isJsonObject(idToken))
          throw new ProviderUnavailableError('no_id_token');
        if (server.userinfo_endpoint === undefined) return { idToken, userinfo: null };
        const response = await oauth.userInfoRequest(server, client, tokens.access_token, options);
        const userinfo: unknown = await oauth.processUserInfoResponse(server, client, idToken.sub, response);
        return { idToken, userinfo: isJsonObject(userinfo) ? userinfo : null };
      });
      return await claims.catch((error: unknown) => {
        // Whatever is wrong, the next sign-in reads anew what the provider says of itself.
        discovery = null;
        throw error;
      });
    },
  };
}

/**
 * Returns how the client proves itself. It uses the form if the provider accepts that, because not all decode the
 * header as the standard requires; if the provider lists no methods, it uses the header, which is the standard's
 * default.
 */
function authentication(server: oauth.AuthorizationServer, { clientSecret }: OidcSettings): oauth.ClientAuth {
  if (clientSecret === null) return oauth.None();
  const isFormTaken = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
  return isFormTaken
    ? oauth.ClientSecretPost(clientSecret.reveal())
    : oauth.ClientSecretBasic(clientSecret.reveal());
}

function isOtherIssuer(error: unknown): boolean {
  return error instanceof oauth.OperationProcessingError && error.code === oauth.JSON_ATTRIBUTE_COMPARISON;
}

/** The same issuer with a final slash, or without the one that it has. */
function withOtherEnd({ href }: URL): URL {
  return new URL(href.endsWith('/') ? href.slice(0, -1) : `${href}/`);
}

function withOpenId(scopes: string): string {
  return [...new Set(['openid', ...scopes.split(/\s+/)])].filter((scope) => scope !== '').join(' ');
}

/** Runs a call of the library; its errors hold whole answers, tokens among them, so only their code is passed on. */
async function expected<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ProviderUnavailableError) throw error;
    if (error instanceof oauth.ResponseBodyError) throw new ProviderUnavailableError(error.error);
    if (error instanceof oauth.AuthorizationResponseError) throw new ProviderUnavailableError(error.error);
    if (error instanceof oauth.OperationProcessingError) throw new ProviderUnavailableError(wordOf(error));
    const isUnfit =
      error instanceof oauth.UnsupportedOperationError ||
      error instanceof oauth.WWWAuthenticateChallengeError;
    if (isUnfit) throw new ProviderUnavailableError('invalid_answer');
    // The library says so of addresses and keys that it cannot use.
    if (error instanceof TypeError || error instanceof DOMException) {
      throw new ProviderUnavailableError('invalid_answer');
    }
    throw error;
  }
}

/** A word for the operator: what was wrong with the answer, as far as the library says. */
function wordOf(error: oauth.OperationProcessingError): string {
  switch (error.code) {
    case oauth.JSON_ATTRIBUTE_COMPARISON:
      return 'other_issuer';
    case oauth.JWT_CLAIM_COMPARISON:
      return 'wrong_claim_in_id_token';
    case oauth.JWT_TIMESTAMP_CHECK:
      return 'id_token_expired';
    case oauth.KEY_SELECTION:
      return 'unknown_key_of_id_token';
    default:
      return 'invalid_answer';
  }
}

type FetchOptions = oauth.CustomFetchOptions<'GET' | 'POST', URLSearchParams | undefined>;

async function send(url: string, init: FetchOptions, timeoutMs: number): Promise<Response> {
  const { method, headers, body: form } = init;
  const request = { url, method, headers, ...(form === undefined ? {} : { form }) };
  const { status, body } = await requestProvider(request, timeoutMs);
  if (!isJsonObject(body)) throw new ProviderUnavailableError(`status_${status}`);
  return Response.json(body, { status });
}
