import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import type { TargetRequest } from '../http-target.ts';
import {
  answerHooksOf,
  BOT,
  LABELS,
  NONE,
  ok,
  personNamed,
  REPOSITORIES,
  type Result,
  type Store,
  type StoredTicket,
  TRACKER_PEOPLE,
  TRACKER_TOKEN,
  timeOf,
  titled,
} from './tracker-store.ts';

export function gitlab(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
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
