import { FOUND_TICKETS_MAX, TICKET_CHOICES_MAX } from '@culprit/contract/alerts/tracker-words';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { Secret } from '../../platform/secrets/secret.ts';
import { issueCalls } from './issue-calls.ts';
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
  TicketDraft,
  TicketPerson,
  TrackerApi,
  TrackerRequest,
} from './tracker-api.ts';
import { TrackerFailure } from './tracker-call.ts';

/** Created tickets are looked for among so many of the newest. */
const NEWEST = 50;
/** The most repositories that are searched, those with the latest push first. */
const TARGETS = 100;

/** Accounts of tokens that belong to no person. */
const APP_ACCOUNT = 'a GitHub App';
const NO_ACCOUNT = 'a token without an account';

/** Issues of GitHub, by version 2022-11-28 of its REST interface. */
export const GITHUB: TrackerApi = {
  ...issueCalls({
    ...{ request, issues, ticketOf },
    // Lists of issues have pull requests too.
    isIssue: (each) => !isJsonObject(each.pull_request),
    bodyOf: (draft) => ({ title: draft.title, body: ticketMarkdown(draft), ...labelsOf(draft) }),
    changedSince: (since) => `sort=updated&direction=asc&since=${since}`,
    change: (isClosed) => ({
      method: 'PATCH',
      body: isClosed ? { state: 'closed', state_reason: 'completed' } : { state: 'open' },
    }),
    comments: 'comments',
    commentsSince: (since) => `since=${since}`,
    listsOldestFirst: true,
    commentOf: (each) => ({
      id: idIn(each.id),
      authorName: isJsonObject(each.user) ? (nameIn(each.user.login) ?? '') : '',
      text: longTextIn(each.body),
      createdAtMs: timeIn(each.created_at),
    }),
    assignment,
  }),
  target: /^(?!\.{1,2}\/)[A-Za-z0-9._-]+\/(?!\.{1,2}$)[A-Za-z0-9._-]+$/,

  async readAccount(connection, call) {
    await call(request(connection, 'GET', `/repos/${connection.target}`));
    return await byToken(
      async () => nameIn(objectIn(await call(request(connection, 'GET', '/user'))).login) ?? '',
      async () => {
        await call(request(connection, 'GET', '/installation/repositories?per_page=1'));
        return APP_ACCOUNT;
      },
      // Its account is not needed: it reads the repository.
      () => NO_ACCOUNT,
    );
  },

  async listTargets(connection, call) {
    const read = (path: string) => call(request(connection, 'GET', `${path}per_page=${TARGETS}`));
    const found = await byToken(
      async () => objectsIn(await read('/user/repos?sort=pushed&')),
      async () => objectsIn(objectIn(await read('/installation/repositories?')).repositories),
      (refusal) => {
        throw refusal;
      },
    );
    return found.map((each) => ({ target: textIn(each.full_name), name: textIn(each.full_name) }));
  },
  listIssueTypes: null,

  async findTickets(connection, call, text) {
    const words = text.replaceAll(/["\\]/g, ' ').trim();
    const list = `${issues(connection)}?state=all&sort=updated&direction=desc&per_page=${FOUND_TICKETS_MAX}`;
    if (words === '') return ticketsIn(connection, objectsIn(await call(request(connection, 'GET', list))));
    const q = encodeURIComponent(`"${words}" in:title is:issue repo:${connection.target}`);
    const path = `/search/issues?q=${q}&sort=updated&order=desc&per_page=${FOUND_TICKETS_MAX}`;
    const { items } = objectIn(await call(request(connection, 'GET', path)));
    return ticketsIn(connection, objectsIn(items));
  },

  async listFields(connection, call) {
    const path = `/repos/${connection.target}/labels?per_page=${TICKET_CHOICES_MAX}`;
    const found = objectsIn(await call(request(connection, 'GET', path)));
    return { priorities: [], labels: found.map(({ name }) => choiceOf(name)) };
  },

  async readCloser(connection, call, id) {
    // Lists of issues leave it out.
    const issue = objectIn(await call(request(connection, 'GET', `${issues(connection)}/${id}`)));
    return isJsonObject(issue.closed_by) ? nameIn(issue.closed_by.login) : null;
  },

  async findCreated(connection, call, draft) {
    const query = `?state=all&sort=created&direction=desc&per_page=${NEWEST}`;
    const found = objectsIn(await call(request(connection, 'GET', issues(connection) + query)));
    const issue = found.find(({ body }) => typeof body === 'string' && body.includes(markerOf(draft)));
    return issue === undefined ? null : ticketOf(connection, issue);
  },

  readKey({ target }, text) {
    const [, repository = target, number = ''] =
      /^(?:(?:https?:\/\/[^/\s]+\/)?([\w.-]+\/[\w.-]+)(?:\/issues\/|#))?#?(\d{1,12})$/.exec(text.trim()) ??
      [];
    return number === '' || repository.toLowerCase() !== target.toLowerCase() ? null : number;
  },
};

/**
 * Asks as a person, and where the token has none (403), as an installation of a GitHub App. Both refuse some
 * fine-grained tokens that may do all that tickets need.
 */
async function byToken<Answer>(
  asPerson: () => Promise<Answer>,
  asInstallation: () => Promise<Answer>,
  otherwise: (refusal: TrackerFailure) => Answer,
): Promise<Answer> {
  try {
    return await asPerson();
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  try {
    return await asInstallation();
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return otherwise(error);
  }
}

function isForbidden(error: unknown): error is TrackerFailure {
  return error instanceof TrackerFailure && error.kind === 'refused' && error.word === 'http_403';
}

/** The interface shows no addresses of people, so a person is the one whose login is the handle. */
async function assignment(
  connection: Connection,
  call: Call,
  person: KnownPerson | null,
): Promise<object | null> {
  if (person === null) return { assignees: [] };
  try {
    const login = encodeURIComponent(person.handle);
    await call(request(connection, 'GET', `/repos/${connection.target}/assignees/${login}`));
  } catch (error) {
    if (error instanceof TrackerFailure && error.kind === 'missing') return null;
    throw error;
  }
  return { assignees: [person.handle] };
}

/** The issues in a list, which has pull requests too. */
function ticketsIn(connection: Connection, found: readonly JsonObject[]): Ticket[] {
  const isIssue = (each: JsonObject) => !isJsonObject(each.pull_request);
  return readEach(found.filter(isIssue), (each) => ticketOf(connection, each));
}

function labelsOf({ labels = [] }: TicketDraft): object {
  return labels.length === 0 ? {} : { labels };
}

function issues({ target }: Connection): string {
  return `/repos/${target}/issues`;
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
    path,
    authorization: new Secret(`Bearer ${token.reveal()}`),
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    ...(body === undefined ? {} : { body }),
  };
}

function ticketOf({ target }: Connection, each: JsonObject): Ticket {
  const id = idIn(each.number);
  const isClosed = each.state === 'closed';
  const reason = each.state_reason;
  return {
    id,
    key: `${target}#${id}`,
    url: urlIn(each.html_url),
    title: textIn(each.title),
    isClosed,
    isWontFix: isClosed && (reason === 'not_planned' || reason === 'duplicate'),
    stateName: textIn(isClosed && typeof reason === 'string' ? `closed as ${reason}` : each.state),
    assignee: isJsonObject(each.assignee) ? personOf(each.assignee) : null,
    updatedAtMs: momentIn(each.updated_at),
  };
}

function personOf({ login }: JsonObject): TicketPerson {
  return { id: textIn(login), name: nameIn(login) ?? '', login: nameIn(login), email: null };
}
