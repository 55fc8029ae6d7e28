import { createHash, randomBytes, randomInt } from 'node:crypto';

/** A person who has an account at GitHub. */
export interface GithubPerson {
  id: number;
  emails: readonly { email: string; primary: boolean; verified: boolean }[];
}

/** One answer; a body that is an object is JSON. */
export interface GithubReply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: object;
}

/** What a token is: whose, made by which application, for what. */
interface IssuedToken {
  personId: number;
  /** Null for one made by hand. */
  clientId: string | null;
  scopes: string;
}

/** The rules of GitHub's OAuth, device flow and API of people, without the HTTP around them. */
interface GithubProtocol {
  clientId: string;
  clientSecret: string;
  people: Map<number, GithubPerson>;
  /** Every secret it gave out or was given. */
  secrets: string[];
  /** Whether callbacks name their sender, as newer servers do. */
  namesIssuer: boolean;
  /** Moves its clock, by which it judges intervals and expiry. */
  advance(byMs: number): void;
  createToken(token: IssuedToken, prefix: string): string;
  /** What somebody answers on the page for devices. */
  answerDevice(userCode: string, answer: { as: number } | 'denies'): void;
  /** The page with the button; the cookie says who is signed in there, and nobody stands for a refusal. */
  authorize(query: URLSearchParams, cookie: string): GithubReply;
  /** The token endpoint, for codes and devices. Its errors have status 200, like GitHub's. */
  exchange(form: URLSearchParams): object;
  startDevice(form: URLSearchParams): object;
  describe(path: '/user' | '/user/emails', authorization: string): GithubReply;
}

const DEVICE_LIFE_MS = 900_000;
const DEVICE_INTERVAL_MS = 5_000;

export function createGithubProtocol(url: () => string): GithubProtocol {
  const clientId = 'Iv1.culprittest00000';
  const clientSecret = randomBytes(20).toString('hex');
  const people = new Map<number, GithubPerson>();
  const secrets = [clientSecret];
  const codes = new Map<
    string,
    { personId: number; redirectUri: string; challenge: string; scopes: string }
  >();
  const tokens = new Map<string, IssuedToken>();
  const devices = new Map<
    string,
    {
      userCode: string;
      scopes: string;
      expiresAtMs: number;
      intervalMs: number;
      askedAtMs: number;
      answer: { as: number } | 'denies' | null;
    }
  >();
  let aheadMs = 0;
  const nowMs = (): number => Date.now() + aheadMs;

  function keep(secret: string): string {
    secrets.push(secret);
    return secret;
  }

  function createToken(token: IssuedToken, prefix: string): string {
    const text = keep(prefix + randomBytes(18).toString('hex'));
    tokens.set(text, token);
    return text;
  }

  function grant(personId: number, scopes: string): object {
    const token = createToken({ personId, clientId, scopes }, 'gho_');
    return { access_token: token, token_type: 'bearer', scope: scopes.replaceAll(' ', ',') };
  }

  function exchangeCode(form: URLSearchParams): object {
    if (form.get('client_secret') !== clientSecret) return { error: 'incorrect_client_credentials' };
    const code = form.get('code') ?? '';
    const issued = codes.get(code);
    codes.delete(code);
    const verifier = keep(form.get('code_verifier') ?? '');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (issued === undefined || issued.challenge !== challenge) return { error: 'bad_verification_code' };
    if (issued.redirectUri !== form.get('redirect_uri')) return { error: 'redirect_uri_mismatch' };
    return grant(issued.personId, issued.scopes);
  }

  function askDevice(form: URLSearchParams): object {
    const deviceCode = form.get('device_code') ?? '';
    const flow = devices.get(deviceCode);
    if (flow === undefined) return { error: 'incorrect_device_code' };
    if (nowMs() >= flow.expiresAtMs) return { error: 'expired_token' };
    const isEarly = nowMs() - flow.askedAtMs < flow.intervalMs;
    flow.askedAtMs = nowMs();
    if (isEarly) {
      flow.intervalMs += 5_000;
      return { error: 'slow_down', interval: flow.intervalMs / 1000 };
    }
    if (flow.answer === null) return { error: 'authorization_pending' };
    devices.delete(deviceCode);
    return flow.answer === 'denies' ? { error: 'access_denied' } : grant(flow.answer.as, flow.scopes);
  }

  return {
    clientId,
    clientSecret,
    people,
    secrets,
    namesIssuer: false,
    createToken,
    advance(byMs) {
      aheadMs += byMs;
    },
    answerDevice(userCode, answer) {
      const flow = [...devices.values()].find((each) => each.userCode === userCode);
      if (flow === undefined) throw new Error('GitHub knows no such code');
      flow.answer = answer;
    },

    authorize(query, cookie) {
      const redirectUri = query.get('redirect_uri') ?? '';
      const challenge = query.get('code_challenge') ?? '';
      const isSound =
        query.get('client_id') === clientId &&
        query.get('code_challenge_method') === 'S256' &&
        /^[\w-]{43}$/.test(challenge) &&
        URL.canParse(redirectUri);
      if (!isSound) return { status: 404, body: { message: 'Not Found' } };
      const location = new URL(redirectUri);
      const personId = /person=(\d+)/.exec(cookie)?.[1];
      if (personId === undefined) {
        location.searchParams.set('error', 'access_denied');
        location.searchParams.set('error_description', 'The user has denied your application access.');
        location.searchParams.set('error_uri', 'https://docs.example.test/oauth');
      } else {
        const code = keep(randomBytes(10).toString('hex'));
        const scopes = query.get('scope') ?? '';
        codes.set(code, { personId: Number(personId), redirectUri, challenge, scopes });
        location.searchParams.set('code', code);
      }
      location.searchParams.set('state', query.get('state') ?? '');
      if (this.namesIssuer) location.searchParams.set('iss', `${url()}/login/oauth`);
      return { status: 302, headers: { location: location.href } };
    },

    exchange(form) {
      if (form.get('client_id') !== clientId) return { error: 'incorrect_client_credentials' };
      return form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:device_code'
        ? askDevice(form)
        : exchangeCode(form);
    },

    startDevice(form) {
      if (form.get('client_id') !== clientId) return { error: 'incorrect_client_credentials' };
      const deviceCode = keep(randomBytes(20).toString('hex'));
      const letters = Array.from({ length: 8 }, () => 'BCDFGHJKLMNPQRSTVWXZ'[randomInt(20)]).join('');
      const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
      devices.set(deviceCode, {
        userCode,
        scopes: form.get('scope') ?? '',
        expiresAtMs: nowMs() + DEVICE_LIFE_MS,
        intervalMs: DEVICE_INTERVAL_MS,
        askedAtMs: Number.NEGATIVE_INFINITY,
        answer: null,
      });
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: `${url()}/login/device`,
        expires_in: DEVICE_LIFE_MS / 1000,
        interval: DEVICE_INTERVAL_MS / 1000,
      };
    },

    describe(path, authorization) {
      const token = tokens.get(/^Bearer (\S+)$/.exec(authorization)?.[1] ?? '');
      const person = token === undefined ? undefined : people.get(token.personId);
      if (token === undefined || person === undefined) {
        return { status: 401, body: { message: 'Bad credentials' } };
      }
      const headers = {
        'x-oauth-scopes': token.scopes.replaceAll(' ', ', '),
        ...(token.clientId === null ? {} : { 'x-oauth-client-id': token.clientId }),
      };
      if (path === '/user') {
        return { status: 200, headers, body: { login: `p${person.id}`, id: person.id, email: null } };
      }
      if (!token.scopes.includes('user:email')) {
        return { status: 404, headers, body: { message: 'Not Found' } };
      }
      const body = person.emails.map((entry) => ({ ...entry, visibility: 'private' }));
      return { status: 200, headers, body };
    },
  };
}
