import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { TargetRequest } from '../http-target.ts';
import {
  answerHooksOf,
  BOT,
  LABELS,
  labelsIn,
  NONE,
  ok,
  personNamed,
  type Result,
  type Store,
  type StoredTicket,
  TRACKER_PEOPLE,
  TRACKER_TOKEN,
  timeOf,
  titled,
} from './tracker-store.ts';

export function jira(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
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
