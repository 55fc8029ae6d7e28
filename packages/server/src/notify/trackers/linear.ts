import { FOUND_TICKETS_MAX, TICKET_CHOICES_MAX } from '@culprit/contract/alerts/tracker-words';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { commentMarkdown, ticketMarkdown } from './ticket-markdown.ts';
import {
  emailIn,
  idIn,
  longTextIn,
  momentIn,
  nameIn,
  objectIn,
  objectsIn,
  readEach,
  textIn,
  timeIn,
  urlIn,
} from './tracker-answer.ts';
import type { Call, Connection, Ticket, TicketPerson, TrackerApi } from './tracker-api.ts';
import { TrackerFailure } from './tracker-call.ts';

const PAGE_SIZE = 50;
/** Tickets of one answer to the question what changed. */
const CHANGED_SIZE = 100;
/** Teams that are looked through. */
const TEAMS = 100;
const ISSUE = 'id identifier url title updatedAt state { name type } assignee { id name email }';

const UPDATE = `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`;

/** Issues of Linear, by its GraphQL interface. */
export const LINEAR: TrackerApi = {
  target: /^[A-Za-z0-9]{1,20}$/,

  async readAccount(connection, call) {
    const { viewer } = await ask(connection, call, 'query { viewer { name } }', {});
    await teamOf(connection, call);
    return nameIn(objectIn(viewer).name) ?? '';
  },

  async listTargets(connection, call) {
    const { teams } = await ask(
      connection,
      call,
      `query { teams(first: ${TEAMS}) { nodes { key name } } }`,
      {},
    );
    const found = objectsIn(objectIn(teams).nodes);
    return found.map(({ key, name }) => ({ target: textIn(key), name: `${textIn(name)} (${textIn(key)})` }));
  },
  listIssueTypes: null,

  async findTickets(connection, call, text) {
    const query = `query($team: String!, $text: String!) { issues(first: ${FOUND_TICKETS_MAX}, orderBy: updatedAt,
      filter: { team: { key: { eq: $team } }, title: { containsIgnoreCase: $text } }) { nodes { ${ISSUE} } } }`;
    const { issues } = await ask(connection, call, query, { team: connection.target, text });
    return readEach(objectsIn(objectIn(issues).nodes), ticketOf);
  },

  async listFields(connection, call) {
    // Labels of the team, and those of every team.
    const query = `query($team: String!) { issuePriorityValues { priority label }
      issueLabels(first: ${TICKET_CHOICES_MAX}, filter: { isGroup: { eq: false },
        or: [{ team: { key: { eq: $team } } }, { team: { null: true } }] }) { nodes { id name } } }`;
    const answer = await ask(connection, call, query, { team: connection.target });
    return {
      priorities: readEach(objectsIn(answer.issuePriorityValues), ({ priority, label }) => ({
        id: idIn(priority),
        name: textIn(label),
      })),
      labels: readEach(objectsIn(objectIn(answer.issueLabels).nodes), ({ id, name }) => ({
        id: idIn(id),
        name: textIn(name),
      })),
    };
  },

  async readCloser(connection, call, id) {
    const text = `query($id: String!) { issue(id: $id) { history(first: ${PAGE_SIZE}) {
      nodes { createdAt actor { name } toState { type } } } } }`;
    const { issue } = await ask(connection, call, text, { id });
    const moves = objectsIn(objectIn(objectIn(issue).history).nodes)
      .filter(({ toState }) => isJsonObject(toState))
      .toSorted((a, b) => timeIn(b.createdAt) - timeIn(a.createdAt));
    const actor = moves[0]?.actor;
    return isJsonObject(actor) ? nameIn(actor.name) : null;
  },

  async create(connection, call, draft) {
    const team = await teamOf(connection, call);
    const input = {
      // An id of ours: the same ticket cannot be created twice.
      id: draft.linkId,
      teamId: idIn(team.id),
      title: draft.title,
      description: ticketMarkdown(draft),
      ...((draft.labels ?? []).length === 0 ? {} : { labelIds: draft.labels }),
      ...(typeof draft.priority === 'string' ? { priority: Number(draft.priority) } : {}),
    };
    const text = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ${ISSUE} } } }`;
    const { issueCreate } = await ask(connection, call, text, { input });
    return ticketOf(objectIn(objectIn(issueCreate).issue));
  },

  async findCreated(connection, call, { linkId }) {
    const text = `query($id: ID!) { issues(filter: { id: { eq: $id } }, first: 1) { nodes { ${ISSUE} } } }`;
    const { issues } = await ask(connection, call, text, { id: linkId });
    const [found] = objectsIn(objectIn(issues).nodes);
    return found === undefined ? null : ticketOf(found);
  },

  readKey({ target }, text) {
    const [, key = ''] =
      /(?:^|\/issue\/)([A-Za-z0-9]{1,20}-\d{1,12})(?:\/[\w-]{0,200})?$/.exec(text.trim()) ?? [];
    return key.toUpperCase().startsWith(`${target.toUpperCase()}-`) ? key.toUpperCase() : null;
  },

  async read(connection, call, id) {
    const { issue } = await ask(connection, call, `query($id: String!) { issue(id: $id) { ${ISSUE} } }`, {
      id,
    });
    return ticketOf(objectIn(issue));
  },

  async readChanged(connection, call, sinceMs) {
    const text = `query($team: String!, $since: DateTimeOrDuration!, $after: String) {
      issues(filter: { team: { key: { eq: $team } }, updatedAt: { gte: $since } }, first: ${CHANGED_SIZE},
        orderBy: updatedAt, after: $after) { nodes { ${ISSUE} } pageInfo { hasNextPage endCursor } } }`;
    const found: JsonObject[] = [];
    let after: string | null = null;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const variables = { team: connection.target, since: new Date(sinceMs).toISOString(), after };
      const { issues } = await ask(connection, call, text, variables);
      const { nodes, pageInfo } = objectIn(issues);
      found.push(...objectsIn(nodes));
      const info = objectIn(pageInfo);
      if (info.hasNextPage !== true) break;
      after = idIn(info.endCursor);
    }
    const tickets = readEach(found, ticketOf).toSorted((a, b) => (a.updatedAtMs ?? 0) - (b.updatedAtMs ?? 0));
    return { tickets, untilMs: null, etag: null };
  },

  async setClosed(connection, call, id, isClosed) {
    const states = await statesOf(connection, call, id);
    const wanted = isClosed ? ['completed'] : ['started', 'unstarted'];
    const state = wanted
      .map((type) => states.find((each) => each.type === type))
      .find((each) => each !== undefined);
    if (state === undefined) throw new TrackerFailure('invalid', 'no_transition');
    await ask(connection, call, UPDATE, { id, input: { stateId: idIn(state.id) } });
    return await LINEAR.read(connection, call, id);
  },

  async comment(connection, call, id, comment) {
    const mutation = 'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }';
    await ask(connection, call, mutation, { input: { issueId: id, body: commentMarkdown(comment) } });
  },

  async readComments(connection, call, id, sinceMs) {
    const text = `query($id: String!) { issue(id: $id) { comments(first: ${PAGE_SIZE}) {
      nodes { id body createdAt user { name } } } } }`;
    const { issue } = await ask(connection, call, text, { id });
    const nodes = objectsIn(objectIn(objectIn(issue).comments).nodes);
    return readEach(nodes, (each) => ({
      id: idIn(each.id),
      authorName: isJsonObject(each.user) ? (nameIn(each.user.name) ?? '') : '',
      text: longTextIn(each.body),
      createdAtMs: timeIn(each.createdAt),
    }))
      .filter(({ createdAtMs }) => createdAtMs >= sinceMs)
      .toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  },

  async assign(connection, call, id, person) {
    const known = person === null ? null : await userOf(connection, call, person.email);
    if (person !== null && known === null) return false;
    await ask(connection, call, UPDATE, { id, input: { assigneeId: known } });
    return true;
  },
};

/** Readings of one run; what changed before is read again by the next. */
const PAGES_MAX = 10;

/** The id of the person with an address; null when there is none. */
async function userOf(connection: Connection, call: Call, email: string): Promise<string | null> {
  const text =
    'query($email: String!) { users(filter: { email: { eqIgnoreCase: $email } }, first: 1) { nodes { id } } }';
  const { users } = await ask(connection, call, text, { email });
  const [found] = objectsIn(objectIn(users).nodes);
  return found === undefined ? null : idIn(found.id);
}

/** The team in which tickets are created. @throws TrackerFailure */
export async function teamOf(connection: Connection, call: Call): Promise<JsonObject> {
  const text = 'query($key: String!) { teams(filter: { key: { eq: $key } }, first: 1) { nodes { id } } }';
  const { teams } = await ask(connection, call, text, { key: connection.target });
  const [team] = objectsIn(objectIn(teams).nodes);
  if (team === undefined) throw new TrackerFailure('missing', 'unknown_team');
  return team;
}

/** The states of the team of a ticket, in their order. */
async function statesOf(connection: Connection, call: Call, id: string): Promise<JsonObject[]> {
  const text = `query($id: String!) { issue(id: $id) { team { states { nodes { id type position } } } } }`;
  const { issue } = await ask(connection, call, text, { id });
  const { team } = objectIn(issue);
  const { states } = objectIn(team);
  return objectsIn(objectIn(states).nodes).toSorted((a, b) => Number(a.position) - Number(b.position));
}

/** @returns `data` of the answer. @throws TrackerFailure for errors, which come with status 200 or 400 */
export async function ask(
  connection: Connection,
  call: Call,
  query: string,
  variables: object,
): Promise<JsonObject> {
  const body = { query, variables };
  const answer = objectIn(
    await call({
      method: 'POST',
      path: '/graphql',
      authorization: connection.token,
      body,
      readsFaults: true,
    }),
  );
  if (answer.errors === undefined) return objectIn(answer.data);
  const [error] = objectsIn(answer.errors);
  const code = isJsonObject(error?.extensions) ? error.extensions.code : null;
  if (code === 'AUTHENTICATION_ERROR') throw new TrackerFailure('refused', 'graphql_refused');
  if (code === 'FORBIDDEN') throw new TrackerFailure('refused', 'graphql_forbidden');
  if (code === 'RATELIMITED') throw new TrackerFailure('limited', 'graphql_limited', RATE_WAIT_MS);
  // A missing entity has the code of any wrong input, and a message of its kind.
  const isMissing = typeof error?.message === 'string' && error.message.startsWith('Entity not found');
  if (code === 'ENTITY_NOT_FOUND' || isMissing) throw new TrackerFailure('missing', 'graphql_missing');
  throw new TrackerFailure('invalid', 'graphql_error');
}

const RATE_WAIT_MS = 60_000;

function ticketOf(issue: JsonObject): Ticket {
  const state = objectIn(issue.state);
  const isWontFix = state.type === 'canceled' || state.type === 'duplicate';
  return {
    id: idIn(issue.id),
    key: idIn(issue.identifier),
    url: urlIn(issue.url),
    title: textIn(issue.title),
    isClosed: state.type === 'completed' || isWontFix,
    isWontFix,
    stateName: textIn(state.name),
    assignee: isJsonObject(issue.assignee) ? personOf(issue.assignee) : null,
    updatedAtMs: momentIn(issue.updatedAt),
  };
}

function personOf(each: JsonObject): TicketPerson {
  return { id: idIn(each.id), name: nameIn(each.name) ?? '', login: null, email: emailIn(each.email) };
}
