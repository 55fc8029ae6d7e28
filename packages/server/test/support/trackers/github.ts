import { randomUUID, verify } from 'node:crypto';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import type { TargetRequest } from '../http-target.ts';
import { answerHooks } from '../tracker-hooks-server.ts';
import {
  BOT,
  type GitHubApp,
  LABELS,
  labelsIn,
  NONE,
  ok,
  personNamed,
  REPOSITORIES,
  type Result,
  type Store,
  type StoredTicket,
  TRACKER_TOKEN,
  timeOf,
  titled,
} from './tracker-store.ts';

export function github(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
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
