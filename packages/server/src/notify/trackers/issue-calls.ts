import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { objectIn, objectsIn, timeIn } from './tracker-answer.ts';
import type { Connection, Ticket, TicketDraft, TrackerApi, TrackerRequest } from './tracker-api.ts';

/** Issues of one answer, and answers of one reading. */
export const PAGE_SIZE = 50;
const PAGES_MAX = 3;

/** In what the REST interfaces of GitHub and GitLab differ. */
export interface IssueDialect {
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
}

/** The calls to issues that REST interfaces of this kind share. */
export function issueCalls(
  dialect: IssueDialect,
): Pick<TrackerApi, 'create' | 'read' | 'readChanged' | 'setClosed' | 'comment'> {
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

    async readChanged(connection, call, sinceMs) {
      const query = dialect.changedSince(new Date(sinceMs).toISOString());
      const tickets: Ticket[] = [];
      let untilMs = sinceMs;
      for (let page = 1; page <= PAGES_MAX; page += 1) {
        const path = `${issues(connection)}?state=all&${query}&per_page=${PAGE_SIZE}&page=${page}`;
        const found = objectsIn(await call(request(connection, 'GET', path)));
        tickets.push(...found.filter(dialect.isIssue).map((each) => ticketOf(connection, each)));
        if (found.length < PAGE_SIZE) return { tickets, untilMs: null };
        untilMs = timeIn(found.at(-1)?.updated_at);
      }
      return { tickets, untilMs };
    },

    async setClosed(connection, call, id, isClosed) {
      const { method, body } = dialect.change(isClosed);
      const sent = request(connection, method, issue(connection, id), body);
      return ticketOf(connection, objectIn(await call(sent)));
    },

    async comment(connection, call, id, text) {
      const path = `${issue(connection, id)}/${dialect.comments}`;
      await call(request(connection, 'POST', path, { body: text }));
    },
  };
}
