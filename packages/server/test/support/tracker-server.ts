import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { type HttpTarget, startHttpTarget, type TargetRequest } from './http-target.ts';
import { fullRights, type StoredHook } from './tracker-hooks-server.ts';
import { generic } from './trackers/generic.ts';
import { github } from './trackers/github.ts';
import { gitlab } from './trackers/gitlab.ts';
import { jira } from './trackers/jira.ts';
import { linear } from './trackers/linear.ts';
import {
  BOT,
  type Dialect,
  type Store,
  type StoredTicket,
  type TrackerRules,
} from './trackers/tracker-store.ts';

/** How the next request misbehaves: a status with headers, an answer that is lost after the work, or one before it. */
export type Fault = { status: number; headers?: Record<string, string>; body?: string } | 'lost' | 'cut';

/**
 * A server that stands for the documented calls of GitHub, Jira, GitLab and Linear, and at `/generic` for the service in
 * front of any other tracker, over one store of tickets.
 */
export interface TrackerServer {
  url: string;
  tickets: StoredTicket[];
  requests: TargetRequest[];
  rules: TrackerRules;
  hooks: StoredHook[];
  /** What the next requests of a method get, one each. */
  fail(method: string, ...faults: Fault[]): void;
  /** A person closes or reopens a ticket there. */
  move(number: number, isClosed: boolean, reason?: string | null): void;
  /** A person gives a ticket to another one there, or writes a comment. */
  assign(number: number, login: string | null): void;
  comment(number: number, body: string, options?: { isInternal?: boolean }): void;
  close(): Promise<void>;
}

export async function startTrackerServer(): Promise<TrackerServer> {
  const tickets: StoredTicket[] = [];
  const faults: { method: string; fault: Fault }[] = [];
  let clockMs = Date.now();

  function create(fields: Partial<StoredTicket>): StoredTicket {
    const number = tickets.length + 1;
    const ticket: StoredTicket = {
      ...{ number, uuid: `uuid-${number}`, title: '', body: '', labels: [], isClosed: false, reason: null },
      ...{ updatedAtMs: tick(), comments: [], backLinks: {}, assignee: null },
      ...fields,
    };
    tickets.push(ticket);
    return ticket;
  }

  function tick(): number {
    clockMs = Math.max(clockMs + 1, Date.now());
    return clockMs;
  }

  function move(ticket: StoredTicket, isClosed: boolean, reason: string | null, by: string = BOT): void {
    const closedBy = isClosed ? by : null;
    Object.assign(ticket, { isClosed, reason: isClosed ? reason : null, closedBy, updatedAtMs: tick() });
  }

  let comments = 0;
  function comment(ticket: StoredTicket, author: string, body: string, isInternal = false): void {
    comments += 1;
    const createdAtMs = tick();
    ticket.comments.push({ id: comments, author, body, createdAtMs, isInternal });
    ticket.updatedAtMs = createdAtMs;
  }

  function assign(ticket: StoredTicket, login: string | null): void {
    Object.assign(ticket, { assignee: login, updatedAtMs: tick() });
  }

  function ticketOf(number: number): StoredTicket {
    const ticket = tickets[number - 1];
    if (ticket === undefined) throw new Error(`no ticket ${number}`);
    return ticket;
  }

  const rules: TrackerRules = {
    ...{ requires: {}, owner: 'person', app: null, poison: null },
    rights: fullRights(),
  };
  const hooks: StoredHook[] = [];
  const dialects: readonly Dialect[] = [github, gitlab, jira, linear, generic];

  function answer(request: TargetRequest, response: ServerResponse): void {
    const index = faults.findIndex(({ method }) => method === request.method);
    const fault = index === -1 ? null : (faults.splice(index, 1)[0]?.fault ?? null);
    if (fault === 'cut') return void response.destroy();
    const { poison } = rules;
    if (poison !== null && `${request.url} ${request.body}`.includes(poison)) {
      return void response.writeHead(500).end('<h1>Error</h1>');
    }
    if (fault !== null && fault !== 'lost') {
      return void response.writeHead(fault.status, fault.headers).end(fault.body ?? '{"message":"no"}');
    }
    const body: unknown = request.body === '' ? {} : JSON.parse(request.body);
    const path = new URL(request.url, 'http://tracker.test');
    const store: Store = { tickets, create, move, assign, comment, query: path.searchParams, rules, hooks };
    const given = isJsonObject(body) ? body : {};
    for (const dialect of dialects) {
      const result = dialect(store, request, path.pathname, given);
      if (result === null) continue;
      if (fault === 'lost') return void response.destroy();
      const text = result.body === undefined ? '' : JSON.stringify(result.body);
      // GitHub and GitLab name their answers.
      const isNamed = request.method === 'GET' && (dialect === github || dialect === gitlab);
      const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
      if (isNamed && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      const type = { 'content-type': 'application/json' };
      response.writeHead(result.status, { ...type, ...(isNamed ? { etag } : {}), ...result.headers });
      return void response.end(text);
    }
    response.writeHead(404).end('{}');
  }

  const target: HttpTarget = await startHttpTarget({ answer });
  return {
    url: `http://127.0.0.1:${target.port}`,
    tickets,
    requests: target.requests,
    rules,
    hooks,
    fail: (method, ...added) => faults.push(...added.map((fault) => ({ method, fault }))),
    move(number, isClosed, reason = null) {
      move(ticketOf(number), isClosed, reason, 'Ben Smith');
    },
    assign: (number, login) => assign(ticketOf(number), login),
    comment: (number, body, { isInternal = false } = {}) =>
      comment(ticketOf(number), 'ben', body, isInternal),
    close: target.close,
  };
}
