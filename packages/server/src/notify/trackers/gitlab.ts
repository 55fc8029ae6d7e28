import { FOUND_TICKETS_MAX, TICKET_CHOICES_MAX } from '@culprit/contract/alerts/tracker-words';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { Secret } from '../../platform/secrets/secret.ts';
import { issueCalls, PAGE_SIZE } from './issue-calls.ts';
import { markerOf, ticketMarkdown } from './ticket-markdown.ts';
import {
  choiceOf,
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
import type {
  Call,
  Connection,
  KnownPerson,
  Ticket,
  TicketPerson,
  TrackerApi,
  TrackerRequest,
} from './tracker-api.ts';

/** The label of a ticket that is not going to be fixed. */
const WONT_FIX_LABEL = 'wontfix';

/** Issues of GitLab, by version 4 of its REST interface. */
export const GITLAB: TrackerApi = {
  ...issueCalls({
    ...{ request, issues, ticketOf },
    isIssue: () => true,
    bodyOf: (draft) => ({
      title: draft.title,
      description: ticketMarkdown(draft),
      ...((draft.labels ?? []).length === 0 ? {} : { labels: draft.labels?.join(',') }),
    }),
    changedSince: (since) => `order_by=updated_at&sort=asc&updated_after=${since}`,
    change: (isClosed) => ({ method: 'PUT', body: { state_event: isClosed ? 'close' : 'reopen' } }),
    comments: 'notes',
    commentsSince: () => 'order_by=created_at&sort=desc',
    listsOldestFirst: false,
    // Entries of the system are no comments, and internal ones stay there.
    commentOf: (each) =>
      each.system === true || each.internal === true || each.confidential === true
        ? null
        : {
            id: idIn(each.id),
            authorName: isJsonObject(each.author) ? (nameIn(each.author.name) ?? '') : '',
            text: longTextIn(each.body),
            createdAtMs: timeIn(each.created_at),
          },
    assignment,
  }),
  target: /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)+$/,

  async readAccount(connection, call) {
    await call(request(connection, 'GET', projectPath(connection)));
    const user = objectIn(await call(request(connection, 'GET', '/user')));
    return nameIn(user.username) ?? '';
  },

  async listTargets(connection, call, text) {
    const query = `?membership=true&simple=true&order_by=last_activity_at&per_page=${PAGE_SIZE}`;
    const path = `/projects${query}&search=${encodeURIComponent(text)}&search_namespaces=true`;
    const found = objectsIn(await call(request(connection, 'GET', path)));
    return found.map((each) => ({
      target: textIn(each.path_with_namespace),
      name: textIn(each.name_with_namespace),
    }));
  },
  listIssueTypes: null,

  async findTickets(connection, call, text) {
    const search = text === '' ? '' : `&in=title&search=${encodeURIComponent(text)}`;
    const query = `?state=all&order_by=updated_at&sort=desc&per_page=${FOUND_TICKETS_MAX}${search}`;
    const found = objectsIn(await call(request(connection, 'GET', issues(connection) + query)));
    return readEach(found, (each) => ticketOf(connection, each));
  },

  async listFields(connection, call) {
    const path = `${projectPath(connection)}/labels?per_page=${TICKET_CHOICES_MAX}`;
    const found = objectsIn(await call(request(connection, 'GET', path)));
    // Its interface separates labels by commas.
    const labels = found.map(({ name }) => choiceOf(name)).filter(({ name }) => !name.includes(','));
    return { priorities: [], labels };
  },
  readCloser: null,

  async findCreated(connection, call, draft) {
    const query = `?state=all&in=description&search=${encodeURIComponent(markerOf(draft))}&per_page=1`;
    const [found] = objectsIn(await call(request(connection, 'GET', issues(connection) + query)));
    return found === undefined ? null : ticketOf(connection, found);
  },

  readKey({ target }, text) {
    const [, address = '', number = ''] =
      /^(?:https?:\/\/[^/\s]+\/)?([\w./-]{0,200}?)(?:\/-\/(?:issues|work_items)\/|#|^)(\d{1,12})$/.exec(
        text.trim(),
      ) ?? [];
    const project = address === '' ? target : address;
    return number === '' || project.toLowerCase() !== target.toLowerCase() ? null : number;
  },
};

/** A person of the project by the name for signing in, or else by the only one with the whole name. */
async function assignment(
  connection: Connection,
  call: Call,
  person: KnownPerson | null,
): Promise<object | null> {
  if (person === null) return { assignee_ids: [] };
  for (const text of [person.handle, person.name]) {
    if (text === null) continue;
    const path = `${projectPath(connection)}/users?search=${encodeURIComponent(text)}&per_page=${PAGE_SIZE}`;
    const found = objectsIn(await call(request(connection, 'GET', path))).map(personOf);
    const named = (each: TicketPerson) => (text === person.handle ? each.login : each.name)?.toLowerCase();
    const [only, ...others] = found.filter((each) => named(each) === text.toLowerCase());
    if (only !== undefined && others.length === 0) return { assignee_ids: [Number(only.id)] };
  }
  return null;
}

function personOf(each: JsonObject): TicketPerson {
  return {
    id: idIn(each.id),
    name: nameIn(each.name) ?? '',
    login: nameIn(each.username),
    email: null,
  };
}

export function projectPath({ target }: Connection): string {
  return `/projects/${encodeURIComponent(target)}`;
}

function issues(connection: Connection): string {
  return `${projectPath(connection)}/issues`;
}

/** A request to the API, authorized. */
export function request(
  { token }: Connection,
  method: TrackerRequest['method'],
  path: string,
  body?: object,
): TrackerRequest {
  return {
    method,
    path: `/api/v4${path}`,
    authorization: new Secret(`Bearer ${token.reveal()}`),
    ...(body === undefined ? {} : { body }),
  };
}

function ticketOf({ target }: Connection, each: JsonObject): Ticket {
  const id = idIn(each.iid);
  const isClosed = each.state === 'closed';
  const labels = Array.isArray(each.labels) ? each.labels : [];
  return {
    id,
    key: `${target}#${id}`,
    url: urlIn(each.web_url),
    title: textIn(each.title),
    isClosed,
    isWontFix: isClosed && labels.includes(WONT_FIX_LABEL),
    stateName: textIn(each.state),
    assignee: isJsonObject(each.assignee) ? personOf(each.assignee) : null,
    closedBy: isClosed && isJsonObject(each.closed_by) ? nameIn(each.closed_by.name) : null,
    updatedAtMs: momentIn(each.updated_at),
  };
}
