import { FOUND_TICKETS_MAX, TICKET_CHOICES_MAX } from '@culprit/contract/alerts/tracker-words';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { Secret } from '../../platform/secrets/secret.ts';
import { commentDocument, commentWiki, documentText, ticketDocument, ticketWiki } from './jira-text.ts';
import {
  choiceOf,
  emailIn,
  idIn,
  longTextIn,
  momentIn,
  nameIn,
  objectIn,
  objectsIn,
  readEach,
  textIn,
  textsIn,
  timeIn,
  urlIn,
} from './tracker-answer.ts';
import type {
  Call,
  Connection,
  KnownPerson,
  Ticket,
  TicketDraft,
  TicketPerson,
  TrackerApi,
  TrackerRequest,
} from './tracker-api.ts';
import { TrackerFailure } from './tracker-call.ts';

const PAGE_SIZE = 50;
const LABEL_PREFIX = 'culprit-';
/** Tickets of one answer, answers of one reading, and those of a reading that is all of one minute. */
const CHANGED_SIZE = 100;
const PAGES_MAX = 3;
const MINUTE_PAGES_MAX = 9;
const MINUTE_MS = 60_000;
const FIELDS = ['summary', 'status', 'resolution', 'assignee', 'updated'];
/** Resolutions of a ticket that is not going to be fixed. */
const WONT_FIX = ["won't do", "won't fix", 'duplicate', 'cannot reproduce', 'declined'];

/** The fields of every ticket, which no setting replaces. */
export const TICKET_FIELDS = ['project', 'issuetype', 'summary', 'description', 'labels'];
/** The limit of fields that one failure names. It names several, so that a person can set them together. */
const REFUSED_FIELDS_MAX = 5;

/** Resolutions of a ticket that is done, the best first; others can be named as a server's people like. */
const DONE = ['Done', 'Fixed', 'Resolved'];

/** Issues of Jira: version 3 of its REST interface in the cloud, version 2 on an own server. */
export const JIRA: TrackerApi = {
  target: /^[A-Z][A-Z0-9_]{1,30}$/,

  async readAccount(connection, call) {
    await call(request(connection, 'GET', `/project/${connection.target}`));
    const person = objectIn(await call(request(connection, 'GET', '/myself')));
    return nameIn(person.displayName) ?? '';
  },

  async listTargets(connection, call, text) {
    // A self-hosted Jira has no search, and returns all projects in one response.
    const path = `/project/search?maxResults=${PAGE_SIZE}&query=${encodeURIComponent(text)}`;
    const answer = await call(request(connection, 'GET', isCloud(connection) ? path : '/project'));
    const found = objectsIn(isCloud(connection) ? objectIn(answer).values : answer);
    return found.map(({ key, name }) => ({ target: textIn(key), name: `${textIn(name)} (${textIn(key)})` }));
  },

  async listIssueTypes(connection, call) {
    const project = objectIn(await call(request(connection, 'GET', `/project/${connection.target}`)));
    // A part of another ticket cannot be created without it.
    const types = objectsIn(project.issueTypes).filter(({ subtask }) => subtask !== true);
    return types.map(({ name }) => textIn(name));
  },

  async findTickets(connection, call, text) {
    // Marks have a meaning in its searches, and words alone find what people look for.
    const words = text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
    const isWanted = words === '' ? '' : ` AND summary ~ "${words}*"`;
    const jql = `project = "${connection.target}"${isWanted} ORDER BY updated DESC`;
    const { issues } = await search(connection, call, { jql, maxResults: FOUND_TICKETS_MAX });
    return ticketsOf(connection, objectsIn(issues));
  },

  async listFields(connection, call) {
    const priorities = objectsIn(await call(request(connection, 'GET', '/priority')));
    // A self-hosted Jira has no list of labels, and proposes some.
    const path = isCloud(connection)
      ? `/label?maxResults=${TICKET_CHOICES_MAX}`
      : '/jql/autocompletedata/suggestions?fieldName=labels&fieldValue=';
    const answer = objectIn(await call(request(connection, 'GET', path)));
    const labels = isCloud(connection)
      ? textsIn(answer.values)
      : objectsIn(answer.results).map(({ value }) => textIn(value));
    return {
      priorities: readEach(priorities, ({ id, name }) => ({ id: idIn(id), name: textIn(name) })),
      labels: labels.filter((name) => !name.startsWith(LABEL_PREFIX)).map(choiceOf),
    };
  },

  async readCloser(connection, call, id) {
    const path = `/issue/${id}?fields=status&expand=changelog`;
    const issue = objectIn(await call(request(connection, 'GET', path)));
    // The cloud lists the latest changes first, an own server the earliest.
    const moves = objectsIn(objectIn(issue.changelog).histories)
      .filter(({ items }) => objectsIn(items).some(({ field }) => field === 'status'))
      .toSorted((a, b) => timeIn(b.created) - timeIn(a.created));
    const author = moves[0]?.author;
    return isJsonObject(author) ? nameIn(author.displayName) : null;
  },

  async create(connection, call, draft) {
    const fields = {
      ...Object.fromEntries(connection.extraFields.map(({ id, value }) => [id, fieldValue(value)])),
      project: { key: connection.target },
      issuetype: { name: connection.issueType ?? 'Task' },
      summary: draft.title,
      description: isCloud(connection) ? ticketDocument(draft) : ticketWiki(draft),
      labels: [labelOf(draft), ...(draft.labels ?? [])],
      ...(typeof draft.priority === 'string' ? { priority: { id: draft.priority } } : {}),
    };
    const sent = request(connection, 'POST', '/issue', { fields });
    const made = objectIn(await call({ ...sent, readsFaults: true }));
    if (made.id === undefined) throw refusedFields(made);
    return await JIRA.read(connection, call, idIn(made.id));
  },

  async findCreated(connection, call, draft) {
    const jql = `labels = "${labelOf(draft)}"`;
    const [found] = objectsIn((await search(connection, call, { jql, maxResults: 1 })).issues);
    return found === undefined ? null : ticketOf(connection, found);
  },

  readKey({ target }, text) {
    const [, key = ''] = /(?:^|\/)([A-Za-z][A-Za-z0-9_]*-\d{1,12})$/.exec(text.trim()) ?? [];
    return key.toUpperCase().startsWith(`${target}-`) ? key.toUpperCase() : null;
  },

  async read(connection, call, id) {
    const path = `/issue/${id}?fields=${FIELDS.join(',')}`;
    return ticketOf(connection, objectIn(await call(request(connection, 'GET', path))));
  },

  async readChanged(connection, call, sinceMs) {
    // Times in a query are whole minutes of the person's zone, so the moment is an age.
    const minutes = Math.max(1, Math.ceil((Date.now() - sinceMs) / MINUTE_MS));
    const jql = `project = "${connection.target}" AND updated >= "-${minutes}m" ORDER BY updated ASC`;
    const found: JsonObject[] = [];
    let untilMs = sinceMs;
    let next: object = {};
    // All changes of one minute are read together, because the next reading would begin with that minute again.
    for (let page = 1; page <= PAGES_MAX || untilMs < sinceMs + 2 * MINUTE_MS; page += 1) {
      if (page > MINUTE_PAGES_MAX) {
        untilMs = sinceMs + 2 * MINUTE_MS;
        break;
      }
      const answer = await search(connection, call, { jql, maxResults: CHANGED_SIZE, ...next });
      const issues = objectsIn(answer.issues);
      found.push(...issues);
      const last = found.at(-1);
      next = isCloud(connection) ? { nextPageToken: answer.nextPageToken } : { startAt: found.length };
      const isWhole = isCloud(connection)
        ? typeof answer.nextPageToken !== 'string'
        : issues.length === 0 || found.length >= Number(answer.total);
      if (last === undefined || isWhole) {
        return { tickets: ticketsOf(connection, found), untilMs: null, etag: null };
      }
      untilMs = timeIn(objectIn(last.fields).updated);
    }
    return { tickets: ticketsOf(connection, found), untilMs, etag: null };
  },

  async setClosed(connection, call, id, isClosed) {
    const path = `/issue/${id}/transitions`;
    const answer = objectIn(await call(request(connection, 'GET', `${path}?expand=transitions.fields`)));
    const transitions = objectsIn(answer.transitions);
    const wanted = isClosed ? ['done'] : ['indeterminate', 'new'];
    const transition = wanted
      .map((category) => easiest(transitions.filter((each) => categoryOf(each.to) === category)))
      .find((each) => each !== undefined);
    // The workflow leads nowhere of that kind from here.
    if (transition === undefined) throw new TrackerFailure('invalid', 'no_transition');
    const fields = requiredOf(transition).includes('resolution') ? { fields: resolutionOf(transition) } : {};
    await call(request(connection, 'POST', path, { transition: { id: idIn(transition.id) }, ...fields }));
    return await JIRA.read(connection, call, id);
  },

  async comment(connection, call, id, comment) {
    const body = isCloud(connection) ? commentDocument(comment) : commentWiki(comment);
    await call(request(connection, 'POST', `/issue/${id}/comment`, { body }));
  },

  async readComments(connection, call, id, sinceMs) {
    const path = `/issue/${id}/comment?orderBy=-created&maxResults=${PAGE_SIZE}`;
    const { comments } = objectIn(await call(request(connection, 'GET', path)));
    // One that only some people see stays there.
    const visible = objectsIn(comments).filter(
      ({ visibility, jsdPublic }) => visibility === undefined && jsdPublic !== false,
    );
    const found = readEach(visible, (each) => ({
      id: idIn(each.id),
      authorName: isJsonObject(each.author) ? (nameIn(each.author.displayName) ?? '') : '',
      text: isCloud(connection) ? longTextIn(documentText(each.body)) : longTextIn(each.body),
      createdAtMs: timeIn(each.created),
    }));
    return found.filter(({ createdAtMs }) => createdAtMs >= sinceMs).reverse();
  },

  async assign(connection, call, id, person) {
    const names = isCloud(connection) ? 'accountId' : 'name';
    const known = person === null ? null : await assignable(connection, call, person);
    if (person !== null && known === null) return false;
    await call(request(connection, 'PUT', `/issue/${id}/assignee`, { [names]: known }));
    return true;
  },
};

/** JSON as Jira takes it; what is none is a text. */
function fieldValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Names the fields that Jira requires or whose values it refuses, each with Jira's sentence. */
function refusedFields({ errors }: JsonObject): TrackerFailure {
  const named = Object.entries(isJsonObject(errors) ? errors : {})
    .filter(([id]) => /^\w{1,60}$/.test(id))
    .slice(0, REFUSED_FIELDS_MAX)
    .map(([id, sentence]) => `${id} (${nameIn(sentence) ?? 'refused'})`);
  return new TrackerFailure(
    'invalid',
    named.length === 0 ? 'http_400' : `fields_refused: ${named.join(', ')}`,
  );
}

/** The id by which a ticket of the target is given to a person; null when the project has no such person. */
async function assignable(
  connection: Connection,
  call: Call,
  { email, name }: KnownPerson,
): Promise<string | null> {
  const key = isCloud(connection) ? 'query' : 'username';
  for (const [text, isThis] of [
    [email, (each: TicketPerson) => each.email?.toLowerCase() === email.toLowerCase()],
    [name, (each: TicketPerson) => each.name.toLowerCase() === name?.toLowerCase()],
  ] as const) {
    if (text === null) continue;
    const query = `?project=${connection.target}&maxResults=${PAGE_SIZE}&${key}=${encodeURIComponent(text)}`;
    const found = objectsIn(await call(request(connection, 'GET', `/user/assignable/search${query}`)));
    // The cloud finds people by an address that it does not show.
    const only = key === 'query' && text === email && found.length === 1 ? found[0] : undefined;
    const fitting = found.filter((each) => isThis(personOf(each)));
    const person = only ?? (fitting.length === 1 ? fitting[0] : undefined);
    if (person !== undefined) return personOf(person).id;
  }
  return null;
}

function personOf(each: JsonObject): TicketPerson {
  return {
    id: textIn(each.accountId ?? each.name),
    name: nameIn(each.displayName) ?? '',
    login: nameIn(each.name),
    email: emailIn(each.emailAddress),
  };
}

/** The first transition whose screen requires no more than a resolution, else the first. */
function easiest(transitions: readonly JsonObject[]): JsonObject | undefined {
  const isEasy = (each: JsonObject) => requiredOf(each).every((field) => field === 'resolution');
  return transitions.find(isEasy) ?? transitions[0];
}

/** The fields that the screen of a transition requires and does not fill by itself. */
function requiredOf({ fields }: JsonObject): string[] {
  return Object.entries(isJsonObject(fields) ? fields : {}).flatMap(([name, field]) =>
    isJsonObject(field) && field.required === true && field.hasDefaultValue !== true ? [name] : [],
  );
}

/** The resolution of a ticket that is done, of those that the screen of a transition allows. */
function resolutionOf({ fields }: JsonObject): { resolution: { name: string } } {
  const { resolution } = objectIn(fields);
  const allowed = objectsIn(objectIn(resolution).allowedValues).map(({ name }) => textIn(name));
  const isDone = (name: string) => !WONT_FIX.includes(name.toLowerCase());
  const name = DONE.find((each) => allowed.includes(each)) ?? allowed.find(isDone);
  if (name === undefined) throw new TrackerFailure('invalid', 'no_transition');
  return { resolution: { name } };
}

/** With an address the token is one of the cloud. */
export function isCloud({ user }: Connection): boolean {
  return user !== null;
}

/** A label is found exactly, and text is not. */
function labelOf({ linkId }: TicketDraft): string {
  return `${LABEL_PREFIX}${linkId}`;
}

async function search(
  connection: Connection,
  call: Call,
  query: { jql: string; maxResults: number },
): Promise<JsonObject> {
  const path = isCloud(connection) ? '/search/jql' : '/search';
  return objectIn(await call(request(connection, 'POST', path, { ...query, fields: FIELDS })));
}

/** A request to the API, authorized. */
export function request(
  connection: Connection,
  method: TrackerRequest['method'],
  path: string,
  body?: object,
): TrackerRequest {
  const { user, token } = connection;
  const credentials =
    user === null
      ? `Bearer ${token.reveal()}`
      : `Basic ${Buffer.from(`${user}:${token.reveal()}`).toString('base64')}`;
  return {
    method,
    path: `/rest/api/${isCloud(connection) ? 3 : 2}${path}`,
    authorization: new Secret(credentials),
    ...(body === undefined ? {} : { body }),
  };
}

function categoryOf(status: unknown): unknown {
  return isJsonObject(status) && isJsonObject(status.statusCategory) ? status.statusCategory.key : null;
}

function ticketsOf(connection: Connection, issues: readonly JsonObject[]): Ticket[] {
  return readEach(issues, (each) => ticketOf(connection, each));
}

function ticketOf({ baseUrl }: Connection, issue: JsonObject): Ticket {
  const fields = objectIn(issue.fields);
  const key = idIn(issue.key);
  const isClosed = categoryOf(fields.status) === 'done';
  const resolution = isJsonObject(fields.resolution) ? textIn(fields.resolution.name) : '';
  return {
    id: idIn(issue.id),
    key,
    url: urlIn(`${baseUrl}/browse/${key}`),
    title: textIn(fields.summary),
    isClosed,
    isWontFix: isClosed && WONT_FIX.includes(resolution.toLowerCase()),
    stateName: isJsonObject(fields.status) ? textIn(fields.status.name) : '',
    assignee: isJsonObject(fields.assignee) ? personOf(fields.assignee) : null,
    updatedAtMs: momentIn(fields.updated),
  };
}
