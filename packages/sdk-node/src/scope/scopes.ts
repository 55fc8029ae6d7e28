import { AsyncLocalStorage } from 'node:async_hooks';
import type { Prepared } from '../../../sdk-core/src/client.ts';
import { readRequestIds } from '../../../sdk-core/src/correlation.ts';
import type { ScopeData } from '../../../sdk-core/src/options.ts';
import { mergeScopes } from '../../../sdk-core/src/scope.ts';
import type { Directive } from '../../../sdk-core/src/wire.ts';
import type { LogLine, ResponseInfo } from '../client/implementation.ts';
import type { Exchange } from './exchange.ts';
import { Trail } from './trail.ts';

const MAX_TAGS = 50;
const MAX_TAG_CHARS = 200;
const MAX_CONTEXTS = 10;
const MAX_HOSTS = 20;
type RequestIds = ReturnType<typeof readRequestIds>;
const NO_IDS: RequestIds = { requestId: null, traceId: null, parent: null };

/** An exception that waits for the response of its request. */
export interface PendingException {
  prepared: Prepared;
  error: unknown;
  /** Reported by a framework, which may still answer it below 500. */
  isExpected: boolean;
}

/** One unit of work: a request, a job, or the process itself. Nested scopes share it. */
export class Unit {
  readonly kind: 'process' | 'request' | 'job';
  readonly exchange: Exchange | null;
  readonly jobName: string | null;
  /** Exceptions and log lines with an Error that wait for the end. */
  pending: PendingException[] = [];
  loggedErrors: { line: LogLine; error: unknown; atMs: number; scope: Scope; isLate: boolean }[] = [];
  captured = 0;
  /** Shared with the unit around it: what fails in one of them is the failure of both. */
  family: object = {};
  /** Its failure was reported outside of it, by the job or the thread that it waited for. */
  isTold = false;
  isFinished = false;
  /** Its answers are 200 whatever fails, as those of GraphQL. */
  isAnsweredApart = false;
  cancelTimer: (() => void) | null = null;
  routeTemplate: string | null = null;
  framework: string | null = null;
  frameworkVersion: string | null = null;
  requestBody: unknown;
  response: ResponseInfo | null = null;
  /** The directives of the trigger token; null until a probe needs them. */
  triggers: readonly Directive[] | null = null;
  #trail: Trail | null = null;
  #ids: RequestIds | null = null;
  #traceId: string | null = null;
  #requestId: string | null = null;
  /** Holds nothing alive, also while one turn of the event loop throws a million of them. */
  #errors: WeakSet<object> | null = null;
  #hosts: string[] = [];

  constructor(kind: Unit['kind'], exchange: Exchange | null, jobName: string | null = null) {
    this.kind = kind;
    this.exchange = exchange;
    this.jobName = jobName;
  }

  get trail(): Trail {
    this.#trail ??= new Trail();
    return this.#trail;
  }

  get hasTrail(): boolean {
    return this.#trail !== null;
  }

  /** Shows the lines and breadcrumbs of another unit as its own. */
  shareTrail(of: Unit): void {
    this.#trail = of.#trail;
  }

  get ids(): RequestIds {
    const { exchange } = this;
    this.#ids ??= exchange === null ? NO_IDS : readRequestIds((name) => exchange.requestHeader(name));
    return this.#ids;
  }

  /** Returns the id of the request's headers, else one that is generated for it; null outside of requests. */
  requestId(make: () => string): string | null {
    if (this.kind !== 'request') return null;
    this.#requestId ??= this.ids.requestId ?? make();
    return this.#requestId;
  }

  get traceId(): string | null {
    return this.#traceId ?? this.ids.traceId;
  }

  set traceId(id: string | null) {
    this.#traceId = id;
  }

  /** Hosts that this unit has called. */
  get hosts(): readonly string[] {
    return this.#hosts;
  }

  addHost(host: string): void {
    if (this.#hosts.includes(host)) return;
    this.#hosts.push(host);
    if (this.#hosts.length > MAX_HOSTS) this.#hosts.shift();
  }

  /** Keeps of a finished request what errors of its later work need, and nothing of the host's objects. */
  release(copy: (value: unknown) => unknown): void {
    this.exchange?.release();
    this.response = null;
    if (this.requestBody !== undefined) this.requestBody = copy(this.requestBody);
  }

  remember(error: unknown): void {
    if (typeof error !== 'object' || error === null) return;
    this.#errors ??= new WeakSet();
    this.#errors.add(error);
  }

  /** Returns true if this object was the subject of an exception here. */
  knows(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#errors?.has(error) === true;
  }
}

/** Data that the host set for a part of a unit's work. */
export class Scope {
  readonly unit: Unit;
  readonly #parent: Scope | null;
  #user: { id?: unknown } | null = null;
  #hasUser = false;
  #tags: Map<string, string> | null = null;
  #context: Map<string, unknown> | null = null;

  constructor(unit: Unit, parent: Scope | null) {
    this.unit = unit;
    this.#parent = parent;
  }

  setUser(user: unknown): void {
    this.#hasUser = true;
    this.#user = typeof user === 'object' && user !== null ? { id: Reflect.get(user, 'id') } : null;
  }

  setTag(key: unknown, value: unknown): void {
    this.#tags ??= new Map();
    const name = String(key).slice(0, MAX_TAG_CHARS);
    if (this.#tags.size >= MAX_TAGS && !this.#tags.has(name)) return;
    this.#tags.set(name, String(value).slice(0, MAX_TAG_CHARS));
  }

  setContext(name: unknown, value: unknown): void {
    this.#context ??= new Map();
    const key = String(name).slice(0, MAX_TAG_CHARS);
    if (this.#context.size >= MAX_CONTEXTS && !this.#context.has(key)) return;
    this.#context.set(key, value);
  }

  /** Replaces what the host set by copies. */
  release(copy: (value: unknown) => unknown): void {
    for (const [name, value] of this.#context ?? []) {
      if (typeof value === 'object') this.#context?.set(name, copy(value));
    }
  }

  /** Everything of a map of options or of a hint. */
  assign(data: ScopeData): void {
    if (data.user !== undefined) this.setUser(data.user);
    for (const [key, value] of Object.entries(data.tags ?? {})) this.setTag(key, value);
    for (const [name, value] of Object.entries(data.context ?? {})) this.setContext(name, value);
  }

  /** The host's part of `context`, outermost scope first, later wins key by key. */
  merged(hint?: ScopeData): Record<string, unknown> {
    return mergeScopes([...this.#chain().map((scope) => scope.#data()), hint]);
  }

  #data(): ScopeData {
    return {
      ...(this.#hasUser ? { user: this.#user } : {}),
      ...(this.#tags === null ? {} : { tags: Object.fromEntries(this.#tags) }),
      ...(this.#context === null ? {} : { context: Object.fromEntries(this.#context) }),
    };
  }

  #chain(): Scope[] {
    const chain: Scope[] = [];
    for (let scope: Scope | null = this; scope !== null; scope = scope.#parent) chain.unshift(scope);
    return chain;
  }
}

/** The scopes of a process, carried by asynchronous context. */
export class Scopes {
  readonly process: Scope = new Scope(new Unit('process', null), null);
  readonly #storage = new AsyncLocalStorage<Scope | undefined>();
  /** The scope of the library's own work, which belongs to no unit of the host. */
  readonly #own = new Scope(new Unit('process', null), null);
  /** The scopes of requests that began before the library, whose work has no scope in its context. */
  readonly #early = new Set<Scope>();
  /** For work of one of several such requests, of which nothing may reach the others. */
  readonly #unclear: Scope = this.scopeOf(new Unit('process', null));

  /** Set when a server of the process accepts a connection. */
  hasClients = false;

  /**
   * Returns the scope for facts of one client. A message of a WebSocket belongs to no unit, and the user who sent it is
   * not that of the process: then it is a scope of what the current work does from now on.
   */
  enterClient(): Scope {
    const { current } = this;
    if (!this.hasClients || current !== this.process || this.isOwn) return current;
    const scope = new Scope(current.unit, current);
    this.#storage.enterWith(scope);
    return scope;
  }

  get current(): Scope {
    const scope = this.#storage.getStore();
    if (scope === this.#own) return this.process;
    return scope ?? (this.#early.size === 0 ? this.process : this.#earlyScope());
  }

  #earlyScope(): Scope {
    const [scope = this.process, another] = this.#early;
    return another === undefined ? scope : this.#unclear;
  }

  /** Makes a request that began before the library the scope of the process, so that its values do not reach all others. */
  adopt(scope: Scope): void {
    this.#early.add(scope);
  }

  /** Ends that. */
  dismiss(scope: Scope): void {
    this.#early.delete(scope);
  }

  /** Returns the scope of the request of this address that began before the library. */
  earlyOf({ method, url }: { method?: unknown; url?: unknown }): Scope | undefined {
    return [...this.#early].find(
      ({ unit: { exchange, isFinished } }) =>
        !isFinished && exchange?.method === method && exchange?.target === url,
    );
  }

  /** Returns true if the library itself does this, its requests to ingestion included. */
  get isOwn(): boolean {
    return this.#storage.getStore() === this.#own;
  }

  runOwn<T>(run: () => T): T {
    return this.#storage.run(this.#own, run);
  }

  /** Makes `unit` that of everything that the current asynchronous work starts from now on. */
  enter(unit: Unit): Scope {
    const scope = this.scopeOf(unit);
    this.#storage.enterWith(scope);
    return scope;
  }

  scopeOf(unit: Unit): Scope {
    return new Scope(unit, this.process);
  }

  runUnit<T>(unit: Unit, run: () => T): T {
    return this.#storage.run(this.scopeOf(unit), run);
  }

  runNested<T>(run: () => T): T {
    const { current } = this;
    return this.#storage.run(new Scope(current.unit, current), run);
  }

  runIn<T>(scope: Scope, run: () => T): T {
    return this.#storage.run(scope, run);
  }
}
