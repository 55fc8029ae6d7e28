import { createHash, createHmac, type KeyObject, randomUUID, verify } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { type HttpTarget, startHttpTarget, type TargetRequest } from './http-target.ts';
import { answerHooks, fullRights, type StoredHook, type StoredRights } from './tracker-hooks-server.ts';

/** A ticket of the stand-in. */
interface StoredTicket {
  number: number;
  /** Linear's own id. */
  uuid: string;
  title: string;
  body: string;
  labels: string[];
  isClosed: boolean;
  /** `not_planned` of GitHub, a resolution of Jira, `canceled` of Linear. */
  reason: string | null;
  updatedAtMs: number;
  comments: StoredComment[];
  /** Jira's remote links by their global id, Linear's attachments by their address. */
  backLinks: Record<string, { url: string; title: string }>;
  /** The login of the person who has it. */
  assignee: string | null;
  /** The name of the person who closed it. */
  closedBy?: string | null;
  priority?: string | null;
}

interface StoredComment {
  id: number;
  author: string;
  body: string;
  createdAtMs: number;
  /** Only some people see it. */
  isInternal: boolean;
}

/** How the next request misbehaves: a status with headers, an answer that is lost after the work, or one before it. */
export type Fault = { status: number; headers?: Record<string, string>; body?: string } | 'lost' | 'cut';

/**
 * A server that stands for the documented calls of GitHub, Jira, GitLab and Linear, and at `/generic` for the service in
 * front of any other tracker, over one store of tickets.
 */
export interface TrackerServer {
  url: string;
  tickets: StoredTicket[];
  requests: TargetRequest[];
  rules: TrackerRules;
  hooks: StoredHook[];
  /** What the next requests of a method get, one each. */
  fail(method: string, ...faults: Fault[]): void;
  /** A person closes or reopens a ticket there. */
  move(number: number, isClosed: boolean, reason?: string | null): void;
  /** A person gives a ticket to another one there, or writes a comment. */
  assign(number: number, login: string | null): void;
  comment(number: number, body: string, options?: { isInternal?: boolean }): void;
  close(): Promise<void>;
}

/** What the products demand besides, to be changed by tests. */
interface TrackerRules {
  /** Jira: the values that fields of new tickets must have, and what it says of each that is missing or wrong. */
  requires: Readonly<Record<string, { value: unknown; says: string }>>;
  /** GitHub: what the token belongs to. */
  owner: 'person' | 'app' | 'none';
  /** GitHub: an App, the tokens that it got, and until when they are valid; null: there is none. */
  app: GitHubApp | null;
  /** Requests with this in their address or body always fail; null: none. */
  poison: string | null;
  /** What the products say that the token may do. */
  rights: StoredRights;
}

interface GitHubApp {
  id: string;
  publicKey: KeyObject;
  tokens: string[];
  expiresAt: string;
}

/** The people who are known to each product. */
const TRACKER_PEOPLE = [
  { id: 7, login: 'ada', name: 'Ada Lovelace', email: 'ada@acme.example' },
  { id: 8, login: 'ben', name: 'Ben Smith', email: 'ben@acme.example' },
] as const;

export const TRACKER_TOKEN = 'tracker-token-of-a-test';
/** Repositories that the token sees, more than a list shows. */
const REPOSITORIES = ['acme/shop', ...Array.from({ length: 80 }, (_, n) => `acme/other-${n}`)];
/** The labels of the target. */
export const LABELS = ['bug', 'urgent'];
const TEAM_STATES = [
  { id: 's-canceled', name: 'Canceled', type: 'canceled', position: 4 },
  { id: 's-done', name: 'Done', type: 'completed', position: 3 },
  { id: 's-doing', name: 'In Progress', type: 'started', position: 2 },
];

export async function startTrackerServer(): Promise<TrackerServer> {
  const tickets: StoredTicket[] = [];
  const faults: { method: string; fault: Fault }[] = [];
  let clockMs = Date.now();

  function create(fields: Partial<StoredTicket>): StoredTicket {
    const number = tickets.length + 1;
    const ticket: StoredTicket = {
      ...{ number, uuid: `uuid-${number}`, title: '', body: '', labels: [], isClosed: false, reason: null },
      ...{ updatedAtMs: tick(), comments: [], backLinks: {}, assignee: null },
      ...fields,
    };
    tickets.push(ticket);
    return ticket;
  }

  function tick(): number {
    clockMs = Math.max(clockMs + 1, Date.now());
    return clockMs;
  }

  function move(ticket: StoredTicket, isClosed: boolean, reason: string | null, by: string = BOT): void {
    const closedBy = isClosed ? by : null;
    Object.assign(ticket, { isClosed, reason: isClosed ? reason : null, closedBy, updatedAtMs: tick() });
  }

  let comments = 0;
  function comment(ticket: StoredTicket, author: string, body: string, isInternal = false): void {
    comments += 1;
    const createdAtMs = tick();
    ticket.comments.push({ id: comments, author, body, createdAtMs, isInternal });
    ticket.updatedAtMs = createdAtMs;
  }

  function assign(ticket: StoredTicket, login: string | null): void {
    Object.assign(ticket, { assignee: login, updatedAtMs: tick() });
  }

  function ticketOf(number: number): StoredTicket {
    const ticket = tickets[number - 1];
    if (ticket === undefined) throw new Error(`no ticket ${number}`);
    return ticket;
  }

  const rules: TrackerRules = {
    ...{ requires: {}, owner: 'person', app: null, poison: null },
    rights: fullRights(),
  };
  const hooks: StoredHook[] = [];
  const dialects = [github, gitlab, jira, linear, generic];

  function answer(request: TargetRequest, response: ServerResponse): void {
    const index = faults.findIndex(({ method }) => method === request.method);
    const fault = index === -1 ? null : (faults.splice(index, 1)[0]?.fault ?? null);
    if (fault === 'cut') return void response.destroy();
    const { poison } = rules;
    if (poison !== null && `${request.url} ${request.body}`.includes(poison)) {
      return void response.writeHead(500).end('<h1>Error</h1>');
    }
    if (fault !== null && fault !== 'lost') {
      return void response.writeHead(fault.status, fault.headers).end(fault.body ?? '{"message":"no"}');
    }
    const body: unknown = request.body === '' ? {} : JSON.parse(request.body);
    const path = new URL(request.url, 'http://tracker.test');
    const store: Store = { tickets, create, move, assign, comment, query: path.searchParams, rules, hooks };
    const given = isJsonObject(body) ? body : {};
    for (const dialect of dialects) {
      const result = dialect(store, request, path.pathname, given);
      if (result === null) continue;
      if (fault === 'lost') return void response.destroy();
      const text = result.body === undefined ? '' : JSON.stringify(result.body);
      // GitHub and GitLab name their answers.
      const isNamed = request.method === 'GET' && (dialect === github || dialect === gitlab);
      const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
      if (isNamed && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      const type = { 'content-type': 'application/json' };
      response.writeHead(result.status, { ...type, ...(isNamed ? { etag } : {}), ...result.headers });
      return void response.end(text);
    }
    response.writeHead(404).end('{}');
  }

  const target: HttpTarget = await startHttpTarget({ answer });
  return {
    url: `http://127.0.0.1:${target.port}`,
    tickets,
    requests: target.requests,
    rules,
    hooks,
    fail: (method, ...added) => faults.push(...added.map((fault) => ({ method, fault }))),
    move(number, isClosed, reason = null) {
      move(ticketOf(number), isClosed, reason, 'Ben Smith');
    },
    assign: (number, login) => assign(ticketOf(number), login),
    comment: (number, body, { isInternal = false } = {}) =>
      comment(ticketOf(number), 'ben', body, isInternal),
    close: target.close,
  };
}

interface Store {
  tickets: readonly StoredTicket[];
  create(fields: Partial<StoredTicket>): StoredTicket;
  move(ticket: StoredTicket, isClosed: boolean, reason: string | null): void;
  assign(ticket: StoredTicket, login: string | null): void;
  comment(ticket: StoredTicket, author: string, body: string): void;
  query: URLSearchParams;
  rules: TrackerRules;
  hooks: StoredHook[];
}

/** The account of the token. */
const BOT = 'culprit-bot';

function personNamed(login: string | null) {
  return TRACKER_PEOPLE.find((each) => each.login === login) ?? null;
}

const timeOf = (timeMs: number) => new Date(timeMs).toISOString();

type Result = { status: number; body?: unknown; headers?: Readonly<Record<string, string>> };

const answerHooksOf = ({ hooks, rules }: Store, ...asked: [TargetRequest, string, JsonObject]) =>
  answerHooks({ hooks, rights: rules.rights }, ...asked);

const ok = (body: unknown): Result => ({ status: 200, body });
const NONE: Result = { status: 404, body: {} };

function github(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
  if (!/^\/(?:user|repos|installation|app|search)(?:\/|$)/.test(path)) return null;
  const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
  const { app } = store.rules;
  const isOfApp = path.startsWith('/app/') || path === '/repos/acme/shop/installation';
  if (isOfApp && (app === null || !isProof(app, token))) return { status: 401, body: {} };
  if (isOfApp && app !== null) {
    if (request.method === 'GET') return ok(path === '/app/installations' ? [{ id: 77 }] : { id: 77 });
    if (path !== '/app/installations/77/access_tokens') return NONE;
    app.tokens.push(`ghs_${randomUUID()}`);
    return { status: 201, body: { token: app.tokens.at(-1), expires_at: app.expiresAt } };
  }
  const isInstallation = app?.tokens.includes(token) === true;
  if (token !== TRACKER_TOKEN && !isInstallation) return { status: 401, body: {} };
  if (request.headers['x-github-api-version'] !== '2022-11-28') return { status: 400, body: {} };
  const owner = isInstallation ? 'app' : store.rules.owner;
  if (path.startsWith('/user') && owner !== 'person') return { status: 403, body: {} };
  if (path === '/installation/repositories') {
    return owner === 'app' ? ok({ repositories: [{ full_name: 'acme/shop' }] }) : { status: 403, body: {} };
  }
  if (path === '/user') return ok({ login: 'octo' });
  if (path === '/user/repos') return ok(REPOSITORIES.map((name) => ({ full_name: name })));
  // Only tokens of persons have scopes.
  const rights = owner === 'person' ? store.rules.rights : { ...store.rules.rights, scopes: null };
  const ofHooks = answerHooks({ hooks: store.hooks, rights }, request, path, body);
  if (ofHooks !== null) return ofHooks;
  const [, login] = /^\/repos\/acme\/shop\/assignees\/(\w+)$/.exec(path) ?? [];
  if (login !== undefined) return personNamed(login) === null ? NONE : { status: 204 };
  if (path === '/repos/acme/shop/labels') return ok(LABELS.map((name) => ({ name })));
  if (path === '/search/issues') {
    const [, words] = /^"([^"]+)" in:title is:issue repo:acme\/shop$/.exec(store.query.get('q') ?? '') ?? [];
    if (words === undefined) return { status: 422, body: {} };
    return ok({ items: titled(store, words).map((ticket) => githubIssue(ticket)) });
  }
  const [, number, comments] = /^\/repos\/acme\/shop\/issues(?:\/(\d+)(\/comments)?)?$/.exec(path) ?? [];
  if (!path.startsWith('/repos/acme/shop/issues')) return NONE;
  const record = githubIssue;
  if (number === undefined && request.method === 'POST') {
    if (body.title === '') return { status: 422, body: {} };
    return {
      status: 201,
      body: record(
        store.create({ title: String(body.title), body: String(body.body), labels: labelsIn(body.labels) }),
      ),
    };
  }
  if (number === undefined) {
    const since = Date.parse(store.query.get('since') ?? '1970-01-01T00:00:00Z');
    const size = Number(store.query.get('per_page'));
    const page = Number(store.query.get('page') ?? 1);
    const found = store.tickets.filter(({ updatedAtMs }) => updatedAtMs >= since);
    const inOrder =
      store.query.get('sort') === 'created'
        ? found.toReversed()
        : store.query.get('direction') === 'desc'
          ? found.toSorted((a, b) => b.updatedAtMs - a.updatedAtMs)
          : found.toSorted((a, b) => a.updatedAtMs - b.updatedAtMs);
    return ok(inOrder.slice((page - 1) * size, page * size).map(record));
  }
  const ticket = store.tickets[Number(number) - 1];
  if (ticket === undefined) return NONE;
  if (comments !== undefined && request.method === 'GET') {
    const since = Date.parse(store.query.get('since') ?? '');
    const size = Number(store.query.get('per_page'));
    const page = Number(store.query.get('page') ?? 1);
    const found = ticket.comments.filter(({ createdAtMs }) => createdAtMs >= since);
    return ok(
      found.slice((page - 1) * size, page * size).map((each) => ({
        ...{ id: each.id, body: each.body, user: { login: each.author } },
        created_at: timeOf(each.createdAtMs),
      })),
    );
  }
  if (comments !== undefined) store.comment(ticket, BOT, String(body.body));
  else if (request.method === 'PATCH' && Array.isArray(body.assignees)) {
    const [assignee = null] = body.assignees;
    if (assignee !== null && personNamed(String(assignee)) === null) return { status: 422, body: {} };
    store.assign(ticket, assignee === null ? null : String(assignee));
  } else if (request.method === 'PATCH') {
    store.move(ticket, body.state === 'closed', body.state === 'closed' ? String(body.state_reason) : null);
  }
  return ok({ ...record(ticket), closed_by: ticket.closedBy ? { login: ticket.closedBy } : null });
}

function githubIssue(ticket: StoredTicket) {
  return {
    number: ticket.number,
    html_url: `https://github.example/acme/shop/issues/${ticket.number}`,
    title: ticket.title,
    body: ticket.body,
    state: ticket.isClosed ? 'closed' : 'open',
    state_reason: ticket.reason,
    assignee: ticket.assignee === null ? null : { login: ticket.assignee },
    updated_at: new Date(ticket.updatedAtMs).toISOString(),
  };
}

const labelsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

/** Tickets with a text in their title, the latest changed first. */
function titled({ tickets }: Store, text: string): StoredTicket[] {
  return tickets
    .filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()))
    .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs);
}

/** A JWT of ten minutes at most, signed with the key of the App. */
function isProof({ id, publicKey }: GitHubApp, token: string): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString() || '{}');
  const [{ alg }, { iss, iat, exp }] = [head, claims].map((part) => Object(read(part)));
  const nowS = Date.now() / 1000;
  const isNow = iat <= nowS && exp > nowS && exp - iat <= 600;
  const content = Buffer.from(`${head}.${claims}`);
  const isSigned = verify('RSA-SHA256', content, publicKey, Buffer.from(signature, 'base64url'));
  return alg === 'RS256' && iss === id && isNow && isSigned;
}

function gitlab(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
  if (!path.startsWith('/api/v4/')) return null;
  if (request.headers.authorization !== `Bearer ${TRACKER_TOKEN}`) return { status: 401, body: {} };
  if (path === '/api/v4/projects') {
    const search = store.query.get('search') ?? '';
    const named = REPOSITORIES.filter((each) => each.includes(search));
    return ok(named.map((each) => ({ path_with_namespace: each, name_with_namespace: each })));
  }
  if (path === '/api/v4/user') return ok({ username: 'tanuki' });
  const ofHooks = answerHooksOf(store, request, path, body);
  if (ofHooks !== null) return ofHooks;
  if (path === '/api/v4/projects/acme%2Fshop/users') {
    const search = (store.query.get('search') ?? '').toLowerCase();
    const found = TRACKER_PEOPLE.filter(({ login, name }) =>
      `${login} ${name}`.toLowerCase().includes(search),
    );
    return ok(found.map(({ id, login, name }) => ({ id, username: login, name })));
  }
  const [, number, notes] =
    /^\/api\/v4\/projects\/acme%2Fshop\/issues(?:\/(\d+)(\/notes)?)?$/.exec(path) ?? [];
  if (path === '/api/v4/projects/acme%2Fshop/labels') {
    return ok([...LABELS, 'a,b'].map((name) => ({ name })));
  }
  if (!path.startsWith('/api/v4/projects/acme%2Fshop/issues')) return NONE;
  const record = (ticket: StoredTicket) => ({
    iid: ticket.number,
    web_url: `https://gitlab.example/acme/shop/-/issues/${ticket.number}`,
    title: ticket.title,
    state: ticket.isClosed ? 'closed' : 'opened',
    labels: ticket.reason === null ? [] : [ticket.reason],
    closed_by: ticket.closedBy ? { name: ticket.closedBy } : null,
    assignee: gitlabPerson(ticket.assignee),
    updated_at: new Date(ticket.updatedAtMs).toISOString(),
  });
  if (number === undefined && request.method === 'POST') {
    const labels = typeof body.labels === 'string' ? body.labels.split(',') : [];
    const made = { title: String(body.title), body: String(body.description), labels };
    return { status: 201, body: record(store.create(made)) };
  }
  if (number === undefined) {
    const since = Date.parse(store.query.get('updated_after') ?? '1970-01-01T00:00:00Z');
    const search = store.query.get('search') ?? '';
    if (store.query.get('sort') === 'desc') {
      const isInTitle = search === '' || store.query.get('in') === 'title';
      return isInTitle ? ok(titled(store, search).map(record)) : { status: 400, body: {} };
    }
    const size = Number(store.query.get('per_page'));
    const page = Number(store.query.get('page') ?? 1);
    const found = store.tickets
      .filter((each) => each.updatedAtMs >= since && each.body.includes(search))
      .toSorted((a, b) => a.updatedAtMs - b.updatedAtMs);
    return ok(found.slice((page - 1) * size, page * size).map(record));
  }
  const ticket = store.tickets[Number(number) - 1];
  if (ticket === undefined) return NONE;
  if (notes !== undefined && request.method === 'GET') {
    const newestFirst = ticket.comments.toReversed().map((each) => ({
      ...{ id: each.id, body: each.body, author: { name: each.author }, system: false },
      ...{ internal: each.isInternal, created_at: timeOf(each.createdAtMs) },
    }));
    const moved = { id: 999, body: 'changed the description', system: true, created_at: timeOf(Date.now()) };
    return store.query.get('sort') === 'desc' ? ok([moved, ...newestFirst]) : { status: 400, body: {} };
  }
  if (notes !== undefined) store.comment(ticket, BOT, String(body.body));
  else if (request.method === 'PUT' && Array.isArray(body.assignee_ids)) {
    const [id] = body.assignee_ids;
    const person = TRACKER_PEOPLE.find((each) => each.id === id);
    if (id !== undefined && person === undefined) return { status: 400, body: {} };
    store.assign(ticket, person?.login ?? null);
  } else if (request.method === 'PUT') store.move(ticket, body.state_event === 'close', null);
  return ok(record(ticket));
}

function gitlabPerson(login: string | null) {
  const person = personNamed(login);
  return person === null ? null : { id: person.id, username: person.login, name: person.name };
}

function jira(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
  const isHook = path.startsWith('/rest/webhooks/');
  const [, version = isHook ? '3' : undefined, rest = ''] = /^\/rest\/api\/([23])\/(.*)$/.exec(path) ?? [];
  if (version === undefined) return null;
  const basic = `Basic ${Buffer.from(`ada@acme.example:${TRACKER_TOKEN}`).toString('base64')}`;
  const wanted = version === '3' ? basic : `Bearer ${TRACKER_TOKEN}`;
  if (request.headers.authorization !== wanted) return { status: 401, body: {} };
  const ofHooks = answerHooksOf(store, request, path, body);
  if (ofHooks !== null) return ofHooks;
  if (rest === 'myself') return ok({ displayName: 'Ada' });
  const types = [{ name: 'Bug' }, { name: 'Task' }, { name: 'Sub-task', subtask: true }];
  if (rest === 'project/ENG') return ok({ key: 'ENG', issueTypes: types });
  const projects = [
    { key: 'ENG', name: 'Engineering' },
    { key: 'bad key', name: 'Broken' },
  ];
  if (rest === 'priority')
    return ok([
      { id: '1', name: 'Highest' },
      { id: '3', name: 'Medium' },
    ]);
  if (rest === 'label' && version === '3') return ok({ values: [...LABELS, 'culprit-x'] });
  if (rest === 'jql/autocompletedata/suggestions' && version === '2') {
    return ok({ results: LABELS.map((value) => ({ value, displayName: value })) });
  }
  if (rest === 'project' && version === '2') return ok(projects);
  if (rest === 'project/search' && version === '3') return ok({ values: projects });
  const idName = version === '3' ? 'accountId' : 'name';
  const personOf = (login: string | null) => {
    const person = personNamed(login);
    if (person === null) return null;
    // The cloud hides addresses.
    return version === '3'
      ? { accountId: `712020:${person.id}`, displayName: person.name }
      : { name: person.login, displayName: person.name, emailAddress: person.email };
  };
  if (rest === 'user/assignable/search') {
    const text = store.query.get(version === '3' ? 'query' : 'username');
    if (text === null || store.query.get('project') !== 'ENG') return { status: 400, body: {} };
    const found = TRACKER_PEOPLE.filter(({ email, name }) => `${email} ${name}`.includes(text));
    return ok(found.map(({ login }) => personOf(login)));
  }
  const record = (ticket: StoredTicket) => ({
    id: String(10_000 + ticket.number),
    key: `ENG-${ticket.number}`,
    fields: {
      summary: ticket.title,
      status: {
        name: ticket.isClosed ? 'Done' : 'To Do',
        statusCategory: { key: ticket.isClosed ? 'done' : 'new' },
      },
      resolution: ticket.reason === null ? null : { name: ticket.reason },
      assignee: personOf(ticket.assignee),
      updated: new Date(ticket.updatedAtMs).toISOString(),
    },
  });
  if (rest === (version === '3' ? 'search/jql' : 'search')) {
    const [, label] = /^labels = "([^"]+)"$/.exec(String(body.jql)) ?? [];
    const [, words] = /^project = "ENG"(?: AND summary ~ "([^"]+)\*")? ORDER BY updated DESC$/.exec(
      String(body.jql),
    ) ?? ['', null];
    if (words !== null) return ok({ issues: titled(store, words ?? '').map(record) });
    const [, minutes] = / AND updated >= "-(\d+)m" ORDER BY updated ASC$/.exec(String(body.jql)) ?? [];
    // It knows whole minutes alone.
    const since = minutes === undefined ? 0 : Math.floor(Date.now() / 60_000 - Number(minutes)) * 60_000;
    const found = store.tickets
      .filter(({ labels }) => label === undefined || labels.includes(label))
      .filter(({ updatedAtMs }) => updatedAtMs >= since)
      .toSorted((a, b) => a.updatedAtMs - b.updatedAtMs);
    const from = Number((version === '3' ? body.nextPageToken : body.startAt) ?? 0);
    const until = from + Number(body.maxResults);
    const issues = found.slice(from, until).map(record);
    if (version === '2') return ok({ issues, total: found.length });
    return ok({ issues, ...(until < found.length ? { nextPageToken: String(until) } : {}) });
  }
  if (rest === 'issue') {
    const fields = isJsonObject(body.fields) ? body.fields : {};
    const refused = Object.entries(store.rules.requires).filter(
      ([id, { value }]) => !isDeepStrictEqual(fields[id], value),
    );
    if (refused.length > 0) {
      const errors = Object.fromEntries(refused.map(([id, { says }]) => [id, says]));
      return { status: 400, body: { errorMessages: [], errors } };
    }
    const isDocument = isJsonObject(fields.description);
    if (isDocument !== (version === '3')) return { status: 400, body: {} };
    const made = store.create({
      title: String(fields.summary),
      body: isDocument ? JSON.stringify(fields.description) : String(fields.description),
      labels: labelsIn(fields.labels),
      priority: isJsonObject(fields.priority) ? String(fields.priority.id) : null,
    });
    return { status: 201, body: { id: String(10_000 + made.number), key: `ENG-${made.number}` } };
  }
  const [, id = '', part] = /^issue\/([^/]+)(?:\/(\w+))?$/.exec(rest) ?? [];
  const ticket = store.tickets[(Number(id.replace('ENG-', '')) % 10_000) - 1];
  if (ticket === undefined) return NONE;
  if (part === 'comment' && request.method === 'GET') {
    const textOf = (text: string) =>
      text.startsWith('{"type":"doc"') ? JSON.parse(text) : paragraphOf(text);
    const comments = ticket.comments.toReversed().map((each) => ({
      ...{ id: String(each.id), author: { displayName: each.author }, created: timeOf(each.createdAtMs) },
      body: version === '3' ? textOf(each.body) : each.body,
      ...(each.isInternal ? { visibility: { type: 'role', value: 'Developers' } } : {}),
    }));
    return store.query.get('orderBy') === '-created' ? ok({ comments }) : { status: 400, body: {} };
  }
  if (part === 'remotelink' && request.method === 'POST') {
    const { globalId, application, object, ...others } = body;
    const { url, title, ...rest } = isJsonObject(object) ? object : {};
    const isWhole = isDeepStrictEqual(
      [application, others, rest],
      [{ type: 'culprit', name: 'Culprit' }, {}, {}],
    );
    if (!isWhole || typeof globalId !== 'string') return { status: 400, body: {} };
    const isNew = ticket.backLinks[globalId] === undefined;
    ticket.backLinks[globalId] = { url: String(url), title: String(title) };
    return { status: isNew ? 201 : 200, body: { id: 1 } };
  }
  if (part === 'assignee') {
    const wanted = body[idName];
    const person = TRACKER_PEOPLE.find(({ login }) => Object.values(personOf(login) ?? {})[0] === wanted);
    if (request.method !== 'PUT' || (wanted !== null && person === undefined))
      return { status: 400, body: {} };
    store.assign(ticket, person?.login ?? null);
    return { status: 204 };
  }
  if (part === 'comment') {
    const isDocument = isJsonObject(body.body);
    if (isDocument !== (version === '3')) return { status: 400, body: {} };
    store.comment(ticket, BOT, isDocument ? JSON.stringify(body.body) : String(body.body));
  }
  if (part === undefined && store.query.get('expand') === 'changelog') {
    const [first, second] = [ticket.updatedAtMs - 1000, ticket.updatedAtMs].map((timeMs, n) => ({
      created: timeOf(timeMs),
      author: { displayName: n === 0 ? 'Ada Lovelace' : (ticket.closedBy ?? '') },
      items: [{ field: 'status' }],
    }));
    const other = {
      created: timeOf(Date.now()),
      author: { displayName: 'Bot' },
      items: [{ field: 'labels' }],
    };
    const histories = version === '3' ? [other, second, first] : [first, second, other];
    return ok({ ...record(ticket), changelog: { histories } });
  }
  if (part !== 'transitions') return ok(record(ticket));
  if (request.method === 'GET') {
    const transitions = [
      { id: '11', to: { statusCategory: { key: 'new' } } },
      // Screens that a server's people added, shown to those who ask for them.
      { id: '30', to: { statusCategory: { key: 'done' } }, fields: { customfield_1: { required: true } } },
      {
        ...{ id: '31', to: { statusCategory: { key: 'done' } } },
        fields: {
          resolution: { required: true, allowedValues: [{ name: "Won't Do" }, { name: 'Erledigt' }] },
          comment: { required: false },
        },
      },
    ];
    const isAsked = store.query.get('expand') === 'transitions.fields';
    return ok({ transitions: isAsked ? transitions : transitions.map(({ id, to }) => ({ id, to })) });
  }
  const given = isJsonObject(body.fields) ? body.fields : {};
  const isWhole = isDeepStrictEqual(given.resolution, { name: 'Erledigt' });
  const { id: chosen } = isJsonObject(body.transition) ? body.transition : {};
  if (chosen === '30' || (chosen === '31') !== isWhole) return { status: 400, body: {} };
  store.move(ticket, chosen === '31', null);
  return { status: 204 };
}

function paragraphOf(text: string): object {
  return { type: 'doc', version: 1, content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] };
}

function linear(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
  if (path !== '/graphql') return null;
  if (request.headers.authorization !== TRACKER_TOKEN) return faultOf('AUTHENTICATION_ERROR');
  const { query, variables } = body;
  const text = String(query);
  const given = isJsonObject(variables) ? variables : {};
  const input = isJsonObject(given.input) ? given.input : {};
  const record = (ticket: StoredTicket) => ({
    id: ticket.uuid,
    identifier: `ENG-${ticket.number}`,
    url: `https://linear.example/acme/issue/ENG-${ticket.number}`,
    title: ticket.title,
    updatedAt: new Date(ticket.updatedAtMs).toISOString(),
    state: { name: 'State', type: ticket.isClosed ? (ticket.reason ?? 'completed') : 'unstarted' },
    assignee: linearPerson(ticket.assignee),
  });
  const ofHooks = answerHooksOf(store, request, path, body);
  if (ofHooks !== null) return ofHooks;
  const data = (value: object) => ok({ data: value });
  const found = (id: unknown) =>
    store.tickets.find((each) => each.uuid === id || `ENG-${each.number}` === id);
  if (text.includes('viewer')) return data({ viewer: { name: 'Lin' } });
  if (text.includes('teams(first: 100)'))
    return data({ teams: { nodes: [{ key: 'ENG', name: 'Engineering' }] } });
  if (text.includes('teams(')) return data({ teams: { nodes: given.key === 'ENG' ? [{ id: 'team' }] : [] } });
  if (text.includes('issueCreate')) {
    if (found(input.id) !== undefined) return faultOf('INVALID_INPUT');
    const made = {
      ...{ uuid: String(input.id), title: String(input.title), body: String(input.description) },
      labels: labelsIn(input.labelIds),
      priority: typeof input.priority === 'number' ? String(input.priority) : null,
    };
    return data({ issueCreate: { issue: record(store.create(made)) } });
  }
  if (text.includes('commentCreate')) {
    const commented = found(input.issueId);
    if (commented !== undefined) store.comment(commented, BOT, String(input.body));
    return data({ commentCreate: { success: true } });
  }
  if (text.includes('attachmentCreate')) {
    const { issueId, url, title, ...rest } = input;
    const linked = found(issueId);
    if (linked === undefined || Object.keys(rest).length > 0) return faultOf('INVALID_INPUT');
    linked.backLinks[String(url)] = { url: String(url), title: String(title) };
    return data({ attachmentCreate: { success: true } });
  }
  if (text.includes('users(')) {
    const person = TRACKER_PEOPLE.find(({ email }) => email === given.email);
    return data({ users: { nodes: person === undefined ? [] : [linearPerson(person.login)] } });
  }
  if (text.includes('issuePriorityValues')) {
    const issuePriorityValues = [
      { priority: 1, label: 'Urgent' },
      { priority: 4, label: 'Low' },
    ];
    const nodes = LABELS.map((name) => ({ id: `label-${name}`, name }));
    return data({ issuePriorityValues, issueLabels: { nodes: given.team === 'ENG' ? nodes : [] } });
  }
  if (text.includes('containsIgnoreCase')) {
    return data({ issues: { nodes: titled(store, String(given.text)).map(record) } });
  }
  if (text.includes('issues(')) {
    const since = Date.parse(typeof given.since === 'string' ? given.since : '1970-01-01T00:00:00Z');
    const changed = store.tickets
      .filter((each) => each.updatedAtMs >= since && (given.id === undefined || each.uuid === given.id))
      .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs);
    const from = Number(given.after ?? 0);
    const until = from + Number(/first: (\d+)/.exec(text)?.[1] ?? 50);
    const pageInfo = { hasNextPage: until < changed.length, endCursor: String(until) };
    return data({ issues: { nodes: changed.slice(from, until).map(record), pageInfo } });
  }
  const ticket = found(given.id);
  if (ticket === undefined) return faultOf('ENTITY_NOT_FOUND');
  if (text.includes('issueUpdate')) {
    const { stateId, assigneeId } = input;
    const person = TRACKER_PEOPLE.find(({ id }) => assigneeId === `person-${id}`);
    if (stateId !== undefined) store.move(ticket, stateId === 's-done', null);
    else if (assigneeId !== null && person === undefined) return faultOf('INVALID_INPUT');
    else store.assign(ticket, person?.login ?? null);
    return data({ issueUpdate: { success: true } });
  }
  if (text.includes('history(')) {
    const nodes = [
      { createdAt: timeOf(1), actor: { name: 'Ada Lovelace' }, toState: { type: 'started' } },
      { createdAt: timeOf(2), actor: { name: ticket.closedBy ?? '' }, toState: { type: 'completed' } },
      { createdAt: timeOf(3), actor: { name: 'Bot' }, toState: null },
    ];
    return data({ issue: { history: { nodes } } });
  }
  if (text.includes('comments(')) {
    const nodes = ticket.comments.toReversed().map((each) => ({
      ...{ id: `comment-${each.id}`, body: each.body, user: { name: each.author } },
      createdAt: timeOf(each.createdAtMs),
    }));
    return data({ issue: { comments: { nodes } } });
  }
  if (text.includes('states')) return data({ issue: { team: { states: { nodes: TEAM_STATES } } } });
  return data({ issue: record(ticket) });
}

function linearPerson(login: string | null) {
  const person = personNamed(login);
  return person === null ? null : { id: `person-${person.id}`, name: person.name, email: person.email };
}

function generic(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
  if (path !== '/generic') return null;
  const { headers } = request;
  const mac = (text: string) => createHmac('sha256', TRACKER_TOKEN).update(text);
  const id = String(headers['webhook-id']);
  const dated = `${id}.${headers['webhook-timestamp']}.${request.body}`;
  const isSigned =
    headers['x-service-signature'] === mac(request.body).digest('hex') &&
    headers['webhook-signature'] === `v1,${mac(dated).digest('base64')}`;
  if (!isSigned || headers.authorization !== undefined) return { status: 401, body: {} };
  if (body.target !== 'support' || body.idempotency_key !== id) return { status: 422, body: {} };
  if (body.event === 'ping') return ok({});
  const record = (ticket: StoredTicket) => ({
    key: `SUP-${ticket.number}`,
    url: `https://tickets.example/${ticket.number}`,
    state: ticket.isClosed ? 'closed' : 'open',
  });
  if (body.event === 'ticket.create') {
    const known = store.tickets.find(({ uuid }) => uuid === id);
    const made = { uuid: id, title: String(body.title), body: String(body.body_markdown) };
    return known === undefined ? { status: 201, body: record(store.create(made)) } : ok(record(known));
  }
  const ticket = store.tickets.find(({ number }) => body.key === `SUP-${number}`);
  if (ticket === undefined) return NONE;
  if (body.event === 'ticket.comment') {
    // A repeated message is known by its id.
    if (!ticket.labels.includes(id)) store.comment(ticket, BOT, String(body.body_markdown));
    ticket.labels.push(id);
  } else if (body.event === 'ticket.assign') {
    const { assignee } = body;
    store.assign(ticket, isJsonObject(assignee) ? String(assignee.handle) : null);
  } else store.move(ticket, body.state === 'closed', null);
  return ok(record(ticket));
}

function faultOf(code: string): Result {
  return { status: 400, body: { errors: [{ message: 'no', extensions: { code } }] } };
}
