import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createGithubProtocol, type GithubPerson, type GithubReply } from './github-protocol.ts';

/** How the server behaves: as GitHub does, or broken in one of the ways a network or a provider breaks. */
export type GithubMode = 'up' | 'cut' | 'failing' | 'silent' | 'endless' | 'garbage' | 'over_limit';

/** A server that speaks GitHub's protocol over real HTTP: OAuth with PKCE, the device flow, and the API of people. */
export interface GithubServer {
  url: string;
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  /** Every request that came, as `METHOD /path`, in order. */
  requests: string[];
  /** Every secret it has given out or was given: codes, tokens, verifiers. */
  secrets: readonly string[];
  /** How all of it behaves from now on, or one path while all others work. */
  setMode(mode: GithubMode, path?: string): void;
  /** Breaks the connection of the next request to a path, and only of that. */
  breakNext(path: string): void;
  /** Whether callbacks name their sender. */
  nameIssuer(does: boolean): void;
  addPerson(person: GithubPerson): void;
  /** Opens the page a sign-in leads to, as a person who agrees or not; gives where the browser is sent on to. */
  visit(authorizeUrl: string, answer: { as: number } | 'cancels'): Promise<string>;
  /** Types a code on the page for devices. */
  answerDevice(userCode: string, answer: { as: number } | 'denies'): void;
  /** A token as the person made it by hand, or as an application got it. */
  createToken(
    personId: number,
    issued?: { clientId?: string | null; prefix?: string; scopes?: string },
  ): string;
  /** Moves its clock, which it needs for intervals and expiry. */
  advance(byMs: number): void;
  close(): Promise<void>;
}

const API_PATH = '/api/v3';

export async function startGithubServer(): Promise<GithubServer> {
  let url = '';
  const protocol = createGithubProtocol(() => url);
  const requests: string[] = [];
  const modeOf = new Map<string, GithubMode>();
  const toBreak = new Set<string>();
  let mode: GithubMode = 'up';

  const server = createServer((request, response) => {
    const target = new URL(request.url ?? '/', 'http://github.test');
    requests.push(`${request.method} ${target.pathname}`);
    const chosen = toBreak.delete(target.pathname) ? 'cut' : (modeOf.get(target.pathname) ?? mode);
    if (chosen !== 'up') {
      misbehave(chosen, request, response);
      return;
    }
    readForm(request).then(
      (form) => send(request, response, answer(request, target, form)),
      () => response.destroy(),
    );
  });

  function answer(request: IncomingMessage, target: URL, form: URLSearchParams): GithubReply {
    const { cookie = '', authorization = '' } = request.headers;
    switch (`${request.method} ${target.pathname}`) {
      case 'GET /login/oauth/authorize':
        return protocol.authorize(target.searchParams, cookie);
      case 'POST /login/oauth/access_token':
        return { status: 200, body: protocol.exchange(form) };
      case 'POST /login/device/code':
        return { status: 200, body: protocol.startDevice(form) };
      case `GET ${API_PATH}/user`:
        return protocol.describe('/user', authorization);
      case `GET ${API_PATH}/user/emails`:
        return protocol.describe('/user/emails', authorization);
      default:
        return { status: 404, body: { message: 'Not Found' } };
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  url = `http://127.0.0.1:${address.port}`;

  return {
    url,
    apiUrl: url + API_PATH,
    clientId: protocol.clientId,
    clientSecret: protocol.clientSecret,
    requests,
    secrets: protocol.secrets,
    setMode(next, path) {
      if (path !== undefined) {
        modeOf.set(path, next);
        return;
      }
      mode = next;
      modeOf.clear();
    },
    breakNext(path) {
      toBreak.add(path);
    },
    nameIssuer(does) {
      protocol.namesIssuer = does;
    },
    addPerson(person) {
      protocol.people.set(person.id, person);
    },
    async visit(authorizeUrl, answered) {
      const cookie = answered === 'cancels' ? 'person=' : `person=${answered.as}`;
      const response = await fetch(authorizeUrl, { redirect: 'manual', headers: { cookie } });
      await response.body?.cancel();
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the page of GitHub answered ${response.status}`);
      return location;
    },
    answerDevice: protocol.answerDevice,
    createToken(personId, { clientId = null, prefix = 'ghp_', scopes = 'read:user user:email' } = {}) {
      return protocol.createToken({ personId, clientId, scopes }, prefix);
    },
    advance: protocol.advance,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** GitHub answers its OAuth paths as a form unless JSON is asked for. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GithubReply,
): void {
  const wantsForm = request.method === 'POST' && request.headers.accept?.includes('json') !== true;
  const type = wantsForm ? 'application/x-www-form-urlencoded' : 'application/json';
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...headers });
  if (body === undefined) response.end();
  else if (wantsForm) response.end(new URLSearchParams(Object.entries(body).map(asTexts)).toString());
  else response.end(JSON.stringify(body));
}

function asTexts([name, value]: [string, unknown]): [string, string] {
  return [name, String(value)];
}

function misbehave(
  mode: Exclude<GithubMode, 'up'>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  request.resume();
  if (mode === 'cut') request.socket.destroy();
  if (mode === 'failing') {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  }
  if (mode === 'garbage') response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  if (mode === 'over_limit') {
    const headers = { 'content-type': 'application/json', 'x-ratelimit-remaining': '0' };
    response.writeHead(403, headers).end('{"message":"API rate limit exceeded"}');
  }
  if (mode === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' });
    const piece = Buffer.alloc(16 * 1024, 0x20);
    const more = (): void => {
      let isRoom = true;
      while (isRoom && !response.destroyed) isRoom = response.write(piece);
    };
    response.on('drain', more);
    more();
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
