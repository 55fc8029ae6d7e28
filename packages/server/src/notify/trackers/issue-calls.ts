import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { commentMarkdown } from './ticket-markdown.ts';
import { objectIn, objectsIn, readEach, timeIn } from './tracker-answer.ts';
import type {
  Call,
  Connection,
  KnownPerson,
  Ticket,
  TicketComment,
  TicketDraft,
  TrackerApi,
  TrackerRequest,
} from './tracker-api.ts';

/** Entries of one answer. */
export const PAGE_SIZE = 50;
/** Issues of one answer, answers of one reading, and those of a reading that is all of one second. */
const CHANGED_SIZE = 100;
const PAGES_MAX = 3;
const SECOND_PAGES_MAX = 9;
const SECOND_MS = 1000;
/** Comments of one answer where the list begins with the oldest, and answers until the latest are reached. */
const OLDEST_FIRST_SIZE = 100;
const OLDEST_FIRST_PAGES_MAX = 5;

/** In what the REST interfaces of GitHub and GitLab differ. */
interface IssueDialect {
  request(
    connection: Connection,
    method: TrackerRequest['method'],
    path: string,
    body?: object,
  ): TrackerRequest;
  /** The path of the issues of the target. */
  issues(connection: Connection): string;
  ticketOf(connection: Connection, issue: JsonObject): Ticket;
  /** Returns true if an entry of a list is an issue. */
  isIssue(entry: JsonObject): boolean;
  bodyOf(draft: TicketDraft): object;
  /** The query for what changed since a moment, the earliest first. */
  changedSince(since: string): string;
  /** The request that closes or reopens an issue. */
  change(isClosed: boolean): { method: TrackerRequest['method']; body: object };
  /** The name of comments in paths. */
  comments: string;
  /** The query for the comments since a moment, and one of them; null: it is for some people alone, or no comment. */
  commentsSince(since: string): string;
  /** The list of comments begins with the oldest, and no query changes that. */
  listsOldestFirst: boolean;
  commentOf(entry: JsonObject): TicketComment | null;
  /** The change that gives an issue to a person or none; null when the product knows no such person. */
  assignment(connection: Connection, call: Call, person: KnownPerson | null): Promise<object | null>;
}

/** The calls to issues that REST interfaces of this kind share. */
export function issueCalls(
  dialect: IssueDialect,
): Pick<TrackerApi, 'create' | 'read' | 'readChanged' | 'setClosed' | 'comment' | 'readComments' | 'assign'> {
  const { request, issues, ticketOf } = dialect;
  const issue = (connection: Connection, id: string) => `${issues(connection)}/${id}`;
  return {
    async create(connection, call, draft) {
      const sent = request(connection, 'POST', issues(connection), dialect.bodyOf(draft));
      return ticketOf(connection, objectIn(await call(sent)));
    },

    async read(connection, call, id) {
      return ticketOf(connection, objectIn(await call(request(connection, 'GET', issue(connection, id)))));
    },

    async readChanged(connection, call, sinceMs, etag) {
      const query = dialect.changedSince(new Date(sinceMs).toISOString());
      const tickets: Ticket[] = [];
      let untilMs = sinceMs;
      let newEtag: string | null = null;
      const onEtag = (tag: string | null) => {
        newEtag = tag;
      };
      // All changes of one second are read together, because the next reading would begin with that second again.
      for (let page = 1; page <= PAGES_MAX || untilMs < sinceMs + SECOND_MS; page += 1) {
        if (page > SECOND_PAGES_MAX) return { tickets, untilMs: sinceMs + SECOND_MS, etag: null };
        const path = `${issues(connection)}?state=all&${query}&per_page=${CHANGED_SIZE}&page=${page}`;
        const condition = page === 1 ? { condition: { etag, onEtag } } : {};
        const answer = await call({ ...request(connection, 'GET', path), ...condition });
        if (answer === undefined && etag !== null) return { tickets, untilMs: null, etag };
        const found = objectsIn(answer);
        tickets.push(...readEach(found.filter(dialect.isIssue), (each) => ticketOf(connection, each)));
        const isEmpty = page === 1 && found.length === 0;
        if (found.length < CHANGED_SIZE) return { tickets, untilMs: null, etag: isEmpty ? newEtag : null };
        untilMs = timeIn(found.at(-1)?.updated_at);
      }
      return { tickets, untilMs, etag: null };
    },

    async setClosed(connection, call, id, isClosed) {
      const { method, body } = dialect.change(isClosed);
      const sent = request(connection, method, issue(connection, id), body);
      return ticketOf(connection, objectIn(await call(sent)));
    },

    async comment(connection, call, id, comment) {
      const path = `${issue(connection, id)}/${dialect.comments}`;
      await call(request(connection, 'POST', path, { body: commentMarkdown(comment) }));
    },

    async readComments(connection, call, id, sinceMs) {
      const query = dialect.commentsSince(new Date(sinceMs).toISOString());
      const size = dialect.listsOldestFirst ? OLDEST_FIRST_SIZE : PAGE_SIZE;
      const found: JsonObject[] = [];
      for (let page = 1; page <= (dialect.listsOldestFirst ? OLDEST_FIRST_PAGES_MAX : 1); page += 1) {
        const path = `${issue(connection, id)}/${dialect.comments}?${query}&per_page=${size}&page=${page}`;
        const entries = objectsIn(await call(request(connection, 'GET', path)));
        found.push(...entries);
        if (entries.length < size) break;
      }
      return readEach(found, dialect.commentOf)
        .filter((each) => each !== null)
        .filter(({ createdAtMs }) => createdAtMs >= sinceMs)
        .toSorted((a, b) => a.createdAtMs - b.createdAtMs)
        .slice(-PAGE_SIZE);
    },

    async assign(connection, call, id, person) {
      const body = await dialect.assignment(connection, call, person);
      if (body === null) return false;
      const { method } = dialect.change(true);
      await call(request(connection, method, issue(connection, id), body));
      return true;
    },
  };
}
