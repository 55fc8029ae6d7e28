import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import type { TargetRequest } from '../http-target.ts';
import { answerHooks, type StoredHook, type StoredRights } from '../tracker-hooks-server.ts';

/** A ticket of the stand-in. */
export interface StoredTicket {
  number: number;
  /** Linear's own id. */
  uuid: string;
  title: string;
  body: string;
  labels: string[];
  isClosed: boolean;
  /** `not_planned` of GitHub, a resolution of Jira, `canceled` of Linear. */
  reason: string | null;
  updatedAtMs: number;
  comments: StoredComment[];
  /** Jira's remote links by their global id, Linear's attachments by their address. */
  backLinks: Record<string, { url: string; title: string }>;
  /** The login of the person who has it. */
  assignee: string | null;
  /** The name of the person who closed it. */
  closedBy?: string | null;
  priority?: string | null;
}

interface StoredComment {
  id: number;
  author: string;
  body: string;
  createdAtMs: number;
  /** Only some people see it. */
  isInternal: boolean;
}

/** What the products demand besides, to be changed by tests. */
export interface TrackerRules {
  /** Jira: the values that fields of new tickets must have, and what it says of each that is missing or wrong. */
  requires: Readonly<Record<string, { value: unknown; says: string }>>;
  /** GitHub: what the token belongs to. */
  owner: 'person' | 'app' | 'none';
  /** GitHub: an App, the tokens that it got, and until when they are valid; null: there is none. */
  app: GitHubApp | null;
  /** Requests with this in their address or body always fail; null: none. */
  poison: string | null;
  /** What the products say that the token may do. */
  rights: StoredRights;
}

export interface GitHubApp {
  id: string;
  publicKey: KeyObject;
  tokens: string[];
  expiresAt: string;
}

/** The people who are known to each product. */
export const TRACKER_PEOPLE = [
  { id: 7, login: 'ada', name: 'Ada Lovelace', email: 'ada@acme.example' },
  { id: 8, login: 'ben', name: 'Ben Smith', email: 'ben@acme.example' },
] as const;

export const TRACKER_TOKEN = 'tracker-token-of-a-test';
/** Repositories that the token sees, more than a list shows. */
export const REPOSITORIES = ['acme/shop', ...Array.from({ length: 80 }, (_, n) => `acme/other-${n}`)];
/** The labels of the target. */
export const LABELS = ['bug', 'urgent'];
export const TEAM_STATES = [
  { id: 's-canceled', name: 'Canceled', type: 'canceled', position: 4 },
  { id: 's-done', name: 'Done', type: 'completed', position: 3 },
  { id: 's-doing', name: 'In Progress', type: 'started', position: 2 },
];

export interface Store {
  tickets: readonly StoredTicket[];
  create(fields: Partial<StoredTicket>): StoredTicket;
  move(ticket: StoredTicket, isClosed: boolean, reason: string | null): void;
  assign(ticket: StoredTicket, login: string | null): void;
  comment(ticket: StoredTicket, author: string, body: string): void;
  query: URLSearchParams;
  rules: TrackerRules;
  hooks: StoredHook[];
}

/** The account of the token. */
export const BOT = 'culprit-bot';

export function personNamed(login: string | null) {
  return TRACKER_PEOPLE.find((each) => each.login === login) ?? null;
}

export const timeOf = (timeMs: number) => new Date(timeMs).toISOString();

export type Result = { status: number; body?: unknown; headers?: Readonly<Record<string, string>> };

export const answerHooksOf = ({ hooks, rules }: Store, ...asked: [TargetRequest, string, JsonObject]) =>
  answerHooks({ hooks, rights: rules.rights }, ...asked);

export const ok = (body: unknown): Result => ({ status: 200, body });
export const NONE: Result = { status: 404, body: {} };

export const labelsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

/** Tickets with a text in their title, the latest changed first. */
export function titled({ tickets }: Store, text: string): StoredTicket[] {
  return tickets
    .filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()))
    .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs);
}

/** Answers a request of one product; null if the path is of another. */
export type Dialect = (store: Store, request: TargetRequest, path: string, body: JsonObject) => Result | null;
