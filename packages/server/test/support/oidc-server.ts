import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type JsonWebKey,
  randomUUID,
  sign,
} from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import Provider from 'oidc-provider';

/** A person of the provider: the claims beside `sub`. */
type OidcPerson = JsonObject;

/** A change of what the provider answers at one of its endpoints. */
type Tampering = (body: JsonObject) => JsonObject;

/** A real OpenID Connect provider over HTTP, whose answers a test can forge. */
export interface OidcServer {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** A client without a secret. */
  publicClientId: string;
  /** Every request that came, as `METHOD /path`, in order. */
  requests: string[];
  people: Map<string, OidcPerson>;
  /**
   * Where browsers are sent back to: the service, which needs the issuer before it has an address.
   * @param logoutUrl where the provider itself reaches the service; absent: it tells of no logout
   */
  serve(baseUrl: string, logoutUrl?: string): void;
  /** Changes the answers of the token or userinfo endpoint; null: none. */
  tamper(endpoint: 'token' | 'me' | 'discovery', tampering: Tampering | null): void;
  setDown(isDown: boolean): void;
  /** Signs with new keys from now on and forgets the old ones. */
  rotateKeys(): void;
  /** The ID token with other claims, signed with the key of the provider unless the test says otherwise. */
  forge(idToken: string, claims: JsonObject, how?: Forgery): string;
  /** A sound logout token that the provider did not send, with other claims; undefined leaves one out. */
  logoutToken(claims: JsonObject, how?: Forgery): string;
  /** Opens the page that a sign-in leads to, as a person who signs in or not; gives where the browser is sent on to. */
  visit(authorizeUrl: string, answer: { as: string } | 'cancels', cookies?: Cookies): Promise<string>;
  /** Signs a person out there, who came with these cookies; the provider reports that to its clients. */
  signOut(cookies: Cookies): Promise<void>;
  close(): Promise<void>;
}

/** What a browser keeps of the provider, by name. */
export type Cookies = Map<string, string>;

export type Forgery =
  | 'with the key'
  | 'with another key of the same id'
  | 'without a signature'
  | 'with the secret';

interface SigningKey {
  kid: string;
  jwk: JsonWebKey;
}

let keysMade = 0;

function newKey(): SigningKey {
  keysMade += 1;
  const kid = `key-${keysMade}`;
  return {
    kid,
    jwk: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  };
}

let other: SigningKey | null = null;

/** One key of a stranger is enough for all tests; making one takes time. */
function otherKey(): SigningKey {
  other ??= newKey();
  return other;
}

export async function startOidcServer(): Promise<OidcServer> {
  const people = new Map<string, OidcPerson>();
  const requests: string[] = [];
  const tamperings = new Map<string, Tampering>();
  const [clientId, publicClientId, clientSecret] = [
    'culprit',
    'culprit-public',
    'a secret of the client: ~%+',
  ];
  let key = newKey();
  let provider: Provider | null = null;
  let baseUrl = '';
  let logout: object = {};
  let isDown = false;

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider.test');
    requests.push(`${request.method} ${pathname}`);
    if (isDown || provider === null) {
      request.socket.destroy();
      return;
    }
    answer(provider, pathname, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  const issuer = `http://127.0.0.1:${address.port}`;

  /** `/interaction/<uid>` is the page of a sign-in, with a link for each person and one to cancel. */
  async function answer(
    current: Provider,
    pathname: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const interaction = /^\/interaction\/([\w-]+)(?:\/(as|cancel)(?:\/(.+))?)?$/.exec(pathname);
    if (interaction === null) {
      forgeAnswer(tamperings, pathname, response);
      await current.callback()(request, response);
      return;
    }
    const [, uid = '', act, person = ''] = interaction;
    if (act === 'cancel') await current.interactionFinished(request, response, { error: 'access_denied' });
    else if (act === 'as')
      await current.interactionFinished(request, response, {
        login: { accountId: decodeURIComponent(person) },
      });
    else response.setHeader('content-type', 'text/html').end(signInPage(uid, [...people.keys()]));
  }

  function createProvider(): Provider {
    const client = {
      redirect_uris: [`${baseUrl}/v1/auth/oidc/callback`],
      grant_types: ['authorization_code'],
      ...logout,
    };
    return new Provider(issuer, {
      clients: [
        {
          ...client,
          client_id: clientId,
          client_secret: clientSecret,
          token_endpoint_auth_method: 'client_secret_post',
        },
        { ...client, client_id: publicClientId, token_endpoint_auth_method: 'none' },
      ],
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name', 'groups', '_claim_names'],
      },
      cookies: { keys: ['a key of the tests'] },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      // Without its guard: the service of the tests has a private address.
      fetch: (url: string, { dispatcher: _guard, ...init }: RequestInit & { dispatcher?: unknown }) =>
        fetch(url, init),
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      jwks: { keys: [{ ...key.jwk, kid: key.kid, use: 'sig', alg: 'RS256' }] },
      pkce: { required: () => true },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      findAccount: (_context: unknown, accountId: string) => {
        const person = people.get(accountId);
        return person === undefined
          ? undefined
          : { accountId, claims: async () => ({ sub: accountId, ...person }) };
      },
      // Everyone agrees to what the client asks for.
      async loadExistingGrant({ oidc }: GrantContext) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client.clientId,
          accountId: oidc.session.accountId,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
  }

  return {
    issuer,
    clientId,
    clientSecret,
    publicClientId,
    requests,
    people,
    serve(url, logoutUrl) {
      baseUrl = url;
      if (logoutUrl !== undefined) {
        logout = {
          backchannel_logout_uri: `${logoutUrl}/v1/auth/oidc/backchannel-logout`,
          backchannel_logout_session_required: true,
        };
      }
      provider = createProvider();
    },
    tamper(endpoint, tampering) {
      const path = endpoint === 'discovery' ? '/.well-known/openid-configuration' : `/${endpoint}`;
      if (tampering === null) tamperings.delete(path);
      else tamperings.set(path, tampering);
    },
    setDown(down) {
      isDown = down;
      if (down) server.closeAllConnections();
    },
    rotateKeys() {
      key = newKey();
      provider = createProvider();
    },
    forge: (idToken, claims, how = 'with the key') => forgeToken({ idToken, claims, how, key, clientSecret }),
    logoutToken(claims, how = 'with the key') {
      const seconds = Math.floor(Date.now() / 1000);
      const sound = { iss: issuer, aud: clientId, iat: seconds, exp: seconds + 120, jti: randomUUID() };
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const payload = Buffer.from(JSON.stringify({ ...sound, events })).toString('base64url');
      return forgeToken({ idToken: `.${payload}.`, claims, how, key, clientSecret });
    },
    visit: (authorizeUrl, choice, cookies = new Map()) => visitPage(authorizeUrl, choice, cookies),
    async signOut(cookies) {
      const page = await visitOnce(`${issuer}/session/end`, cookies);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
      const body = new URLSearchParams({ xsrf, logout: 'yes' });
      const answer = await visitOnce(`${issuer}/session/end/confirm`, cookies, { method: 'POST', body });
      if (answer.status !== 303) throw new Error(`the provider answered ${answer.status}`);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface GrantContext {
  oidc: {
    provider: {
      Grant: new (properties: {
        clientId: string;
        accountId: string;
      }) => {
        addOIDCScope(scope: string): void;
        save(): Promise<string>;
      };
    };
    client: { clientId: string };
    session: { accountId: string };
  };
}

function signInPage(uid: string, names: readonly string[]): string {
  const links = names.map(
    (name) => `<li><a href="/interaction/${uid}/as/${encodeURIComponent(name)}">${name}</a></li>`,
  );
  return `<!doctype html><title>Provider</title><h1>Who are you?</h1><ul>${links.join('')}</ul>
    <a href="/interaction/${uid}/cancel">Cancel</a>`;
}

/** Puts the test's answer in the place of the provider's. */
function forgeAnswer(
  tamperings: ReadonlyMap<string, Tampering>,
  pathname: string,
  response: ServerResponse,
): void {
  const tampering = tamperings.get(pathname);
  if (tampering === undefined) return;
  const end = response.end.bind(response);
  // The provider ends each answer with its whole body.
  response.end = ((body: unknown) => {
    const parsed: unknown = JSON.parse(String(body));
    const text = JSON.stringify(isJsonObject(parsed) ? tampering(parsed) : parsed);
    response.setHeader('content-length', Buffer.byteLength(text));
    return end(text);
  }) as ServerResponse['end'];
}

function forgeToken(forgery: {
  idToken: string;
  claims: JsonObject;
  how: Forgery;
  key: SigningKey;
  clientSecret: string;
}): string {
  const { idToken, claims, how, key, clientSecret } = forgery;
  const [, payload = ''] = idToken.split('.');
  const algorithm = { 'without a signature': 'none', 'with the secret': 'HS256' }[String(how)] ?? 'RS256';
  const known: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const body = [
    { alg: algorithm, kid: key.kid },
    { ...(isJsonObject(known) ? known : {}), ...claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  if (how === 'without a signature') return `${body}.`;
  if (how === 'with the secret') {
    return `${body}.${createHmac('sha256', clientSecret).update(body).digest('base64url')}`;
  }
  const { jwk } = how === 'with the key' ? key : otherKey();
  const signature = sign('sha256', Buffer.from(body), createPrivateKey({ key: jwk, format: 'jwk' }));
  return `${body}.${signature.toString('base64url')}`;
}

const STEPS_MAX = 10;

/** A browser at the provider, which follows redirects until they lead elsewhere. */
async function visitPage(
  authorizeUrl: string,
  answer: { as: string } | 'cancels',
  cookies: Cookies,
): Promise<string> {
  const { origin } = new URL(authorizeUrl);
  let url = authorizeUrl;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const response = await visitOnce(url, cookies);
    const text = await response.text();
    const location = response.headers.get('location');
    if (location === null && response.status !== 200)
      throw new Error(`the provider answered ${response.status} ${text}`);
    const act = answer === 'cancels' ? 'cancel' : `as/${encodeURIComponent(answer.as)}`;
    url = location === null ? `${url}/${act}` : new URL(location, url).href;
    if (new URL(url).origin !== origin) return url;
  }
  throw new Error('the provider leads nowhere');
}

/** One request of a browser, which keeps the cookies of its answer. */
async function visitOnce(url: string, cookies: Cookies, init: RequestInit = {}): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
}
