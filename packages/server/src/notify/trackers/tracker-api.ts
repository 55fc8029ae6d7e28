import type { Secret } from '../../platform/secrets/secret.ts';

/** The data that calls to one tracker need. */
export interface Connection {
  /** The address of its API, without a final slash. */
  baseUrl: string;
  target: string;
  token: Secret;
  /** Jira Cloud: the address that belongs to the token. */
  user: string | null;
  issueType: string | null;
  /** Jira: fields that its project requires of new tickets. */
  extraFields: readonly ExtraField[];
  /** Generic: where it reports what happened to tickets. */
  callbackUrl: Secret | null;
}

/** A field of new tickets: JSON as the tracker takes it, or else a text. */
export interface ExtraField {
  id: string;
  value: string;
}

/** A ticket as its tracker answers it now. */
export interface Ticket {
  /** The tracker's own id, by which the other calls name the ticket. */
  id: string;
  /** The key by which people name it. */
  key: string;
  /** Null: the tracker did not name it, and what is known of it stays. */
  url: string | null;
  title: string | null;
  isClosed: boolean;
  /** Closed, because it is not going to be fixed. */
  isWontFix: boolean;
  stateName: string;
  /** Undefined: the tracker does not say. */
  assignee: TicketPerson | null | undefined;
  /** The name of the person who closed it; null: none is known; undefined: it has to be asked for. */
  closedBy?: string | null;
  /** The time of the ticket's last change, by the tracker's clock; null: the tracker does not send it. */
  updatedAtMs: number | null;
}

/** A person as a tracker knows them. */
export interface TicketPerson {
  id: string;
  name: string;
  /** The name by which they sign in there; null where the tracker has none. */
  login: string | null;
  email: string | null;
}

/** A person as Culprit knows them. */
export interface KnownPerson {
  name: string | null;
  handle: string;
  email: string;
}

/** A text that is added to a ticket. */
export interface CommentText {
  /** Ours. */
  text: string;
  /** Text of a person. It only ever appears in a block of code, where trackers read no names in it; null: there is none. */
  code: string | null;
  /** The address that it belongs to, by which it is known again. */
  url: string;
  /** The id of the message, for a tracker that knows repeated ones by it. */
  id: string;
}

/** A comment of a ticket that everyone with access to the ticket sees. */
export interface TicketComment {
  id: string;
  authorName: string;
  text: string;
  createdAtMs: number;
}

/** A ticket before its creation. */
export interface TicketDraft {
  title: string;
  /** The address of the incident. */
  url: string;
  /** The facts about it, in lines without line breaks. */
  facts: readonly string[];
  /** Text of the failing application. It only ever appears in a block of code, where trackers read no names in it. */
  code: string;
  /** The id of the link: found again in the ticket when the answer to its creation was lost. */
  linkId: string;
  /** Ids of `listFields`. */
  labels?: readonly string[];
  priority?: string | null;
  /** The record of the incident, for a tracker that makes its own text of it. */
  incident: object;
}

/** Tickets that changed. */
export interface Changes {
  tickets: Ticket[];
  /** There are more than a few calls answer, and what changed until then was read; null: everything was. */
  untilMs: number | null;
  /** The tag of an answer without tickets. A request with it is free while nothing changes; null: there is none. */
  etag: string | null;
}

/** A place where tickets can be created. */
interface Target {
  target: string;
  name: string;
}

/** Something that a new ticket can have. */
export interface TicketChoice {
  id: string;
  name: string;
}

/** The calls of a product for tickets, as it documents them. Each throws `TrackerFailure`. */
export interface TrackerApi {
  /** The forms of `target` that name something. */
  readonly target: RegExp;
  /** Returns the account of the token; reads the target too. */
  readAccount(connection: Connection, call: Call): Promise<string>;
  /** Targets that the token sees, with a text in their name if the product can search; null: there is no list. */
  readonly listTargets: ((connection: Connection, call: Call, text: string) => Promise<Target[]>) | null;
  /** Types of the tickets of the target; null: there are none to choose. */
  readonly listIssueTypes: ((connection: Connection, call: Call) => Promise<string[]>) | null;
  /**
   * Some tickets of the target with a text in their title, the latest changed first; an empty text finds all. Null: they
   * cannot be looked for.
   */
  readonly findTickets: ((connection: Connection, call: Call, text: string) => Promise<Ticket[]>) | null;
  /** Priorities and labels that new tickets of the target can have; null: there are none to choose. */
  readonly listFields:
    | ((
        connection: Connection,
        call: Call,
      ) => Promise<{ priorities: TicketChoice[]; labels: TicketChoice[] }>)
    | null;
  create(connection: Connection, call: Call, draft: TicketDraft): Promise<Ticket>;
  /** The ticket that an earlier `create` of this draft made; null when there is none, or `create` itself finds it. */
  findCreated(connection: Connection, call: Call, draft: TicketDraft): Promise<Ticket | null>;
  /** The id in a key or address that people paste; null when it names no ticket of the target. */
  readKey(connection: Connection, text: string): string | null;
  read(connection: Connection, call: Call, id: string): Promise<Ticket>;
  /**
   * Tickets of the target that changed since a moment, the earliest first, by the tag of an earlier answer to the same
   * question; null: it reports them and cannot be read.
   */
  readonly readChanged:
    | ((connection: Connection, call: Call, sinceMs: number, etag: string | null) => Promise<Changes>)
    | null;
  /** Closes or reopens a ticket. @returns what it is then */
  setClosed(connection: Connection, call: Call, id: string, isClosed: boolean): Promise<Ticket>;
  comment(connection: Connection, call: Call, id: string, comment: CommentText): Promise<void>;
  /** Up to 50 of the latest comments of a ticket since a moment; null: they cannot be read. */
  readonly readComments:
    | ((connection: Connection, call: Call, id: string, sinceMs: number) => Promise<TicketComment[]>)
    | null;
  /** The name of the person who closed a ticket; null: none is known. Null in its place: tickets say it themselves. */
  readonly readCloser: ((connection: Connection, call: Call, id: string) => Promise<string | null>) | null;
  /** Gives a ticket to a person, or to none. @returns false when the tracker knows no such person */
  assign(connection: Connection, call: Call, id: string, person: KnownPerson | null): Promise<boolean>;
}

/** A tag of an earlier answer to a request, if there is one, and what hears that of a new answer. */
interface Condition {
  etag: string | null;
  onEtag(etag: string | null): void;
}

/** One request, relative to the base address of the connection. */
export interface TrackerRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  authorization?: Secret;
  /** Signs the body, with this id of the message. */
  signature?: { secret: Secret; id: string };
  headers?: Readonly<Record<string, string>>;
  body?: object;
  /** Asks only for what changed since an earlier answer; where nothing did, the answer is undefined. */
  condition?: Condition;
  /** Hears what the token may do, where the answer says so. */
  onScopes?: (scopes: string | null) => void;
  /** The answer with status 400 is read too. */
  readsFaults?: true;
}

/** Sends a request; its answer is the JSON of a 2xx, undefined where there is none. Throws `TrackerFailure`. */
export type Call = (request: TrackerRequest) => Promise<unknown>;
