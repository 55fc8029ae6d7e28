import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { TargetRequest } from '../http-target.ts';
import {
  answerHooksOf,
  BOT,
  LABELS,
  labelsIn,
  ok,
  personNamed,
  type Result,
  type Store,
  type StoredTicket,
  TEAM_STATES,
  TRACKER_PEOPLE,
  TRACKER_TOKEN,
  timeOf,
  titled,
} from './tracker-store.ts';

export function linear(store: Store, request: TargetRequest, path: string, body: JsonObject): Result | null {
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

function faultOf(code: string): Result {
  return { status: 400, body: { errors: [{ message: 'no', extensions: { code } }] } };
}
