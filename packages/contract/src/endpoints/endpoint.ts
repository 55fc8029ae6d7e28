import type { Static, TObject, TSchema } from 'typebox';
import { ID_KIND_KEYWORD } from '../schemas/identifiers.ts';
import { isProblemCode, PROBLEM_STATUS, type ProblemCode } from './problems.ts';
import { RECORD_KINDS, type Scope, unseenProblem } from './scope.ts';

/**
 * The callers that an endpoint accepts: anyone, a member (token or session), a project token, or a browser session only
 * (docs/contract/account.md 1.1).
 */
export type Auth = 'public' | 'member' | 'project_token' | 'session';

/** The least role in the project, where the contract asks for one. The binder checks it, after visibility. */
export type Role = 'member' | 'admin' | 'owner';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The header by which a caller repeats a request that creates a record, and its values. */
export const REPEAT_KEY_HEADER = 'Idempotency-Key';
export const REPEAT_KEY_PATTERN = '^[ -~]{1,64}$';

/** `TSchema` alone is an empty interface, which a string would satisfy too. */
export type Schema = TSchema & object;

/** One endpoint of the API. Everything about its interface is here and nowhere else. */
export interface Endpoint {
  /** Unique, camelCase; names the operation in the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** With `:name` for path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly auth: Auth;
  readonly role?: Role;
  /** The subject of the endpoint. */
  readonly scope?: Scope;
  /** Heading in the reference; derived from the path when absent. */
  readonly group?: string;
  /** One entry per `:name`; ids are made by `PathId`. */
  readonly params?: TObject;
  /** Absent: every query parameter is refused. */
  readonly query?: TObject;
  /**
   * Parameters the query does not name are ignored instead of refused: providers and proxies add some
   * (docs/contract/account.md 0).
   */
  readonly ignoresUnknownQuery?: true;
  /**
   * `'none'`: absent, empty or `{}` with any content type. `'bytes'`: raw bytes, which may be compressed. Absent: the
   * request carries no body (GET).
   */
  readonly body?: Schema | 'none' | 'bytes';
  /** The size limit of the body, decoded; absent: the limit of every endpoint. */
  readonly bodyBytesMax?: number;
  /** The conditions for a request besides its schemas, in sentences; otherwise `invalid_payload` or `invalid_query`. */
  readonly conditions?: readonly string[];
  /** Tokens with the access `build` may use it too (docs/contract/source-maps.md 11). */
  readonly access?: 'build';
  /** A POST that changes nothing, so that tokens with the access `read` may use it. */
  readonly changesNothing?: true;
  /** A GET that begins a change, so that tokens with the access `read` may not use it. */
  readonly startsChange?: true;
  /**
   * The request creates a record, and a caller may repeat it with the same header `Idempotency-Key`: the record is
   * created once.
   */
  readonly isRepeatable?: true;
  /** The body may be left out, which is the same as `{}`. */
  readonly isBodyOptional?: true;
  /** The answer is a stream of server-sent events; its schema describes their text. */
  readonly isEventStream?: true;
  /** By status; `'empty'` for an answer without a body. */
  readonly responses: Readonly<Record<number, Schema | 'empty'>>;
  /** Codes special to this endpoint; `problemsOf` adds those that follow from credential, scope and schemas. */
  readonly errors?: readonly ProblemCode[];
}

/** The declaration of an endpoint; without `auth` it needs a member. */
type Declaration = Omit<Endpoint, 'auth'> & { readonly auth?: Auth };

/** Declares an endpoint and keeps its literal types, from which handlers and clients are typed. */
export function defineEndpoint<const E extends Declaration>(
  endpoint: E,
): E & { readonly auth: E extends { readonly auth: infer A extends Auth } ? A : 'member' };
export function defineEndpoint(endpoint: Declaration): Endpoint {
  return { ...endpoint, auth: endpoint.auth ?? 'member' };
}

type StaticOrNothing<S> = S extends Schema ? Static<S> : undefined;

export type ParamsOf<E extends Endpoint> = E extends { readonly params: infer S extends TObject }
  ? Static<S>
  : Record<never, never>;

export type QueryOf<E extends Endpoint> = E extends { readonly query: infer S extends TObject }
  ? Static<S>
  : Record<never, never>;

export type BodyOf<E extends Endpoint> = E extends { readonly body: infer S extends Schema }
  ? Static<S>
  : E extends { readonly body: 'bytes' }
    ? Uint8Array<ArrayBuffer>
    : undefined;

/** The status and body of every declared answer, as a union discriminated by the status. */
export type ResponseOf<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: {
    status: Status;
    body: StaticOrNothing<E['responses'][Status]>;
  };
}[keyof E['responses'] & number];

/** The code of a failed credential (docs/contract/account.md 1.5). */
export const CREDENTIAL_PROBLEM = {
  member: 'invalid_member_token',
  project_token: 'invalid_project_token',
  session: 'invalid_session',
} as const satisfies Record<Exclude<Auth, 'public'>, ProblemCode>;

/**
 * Returns true if a request of this method changes something, and so needs the CSRF header with a cookie
 * (docs/contract/account.md 2.6).
 */
export function isMutation(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE';
}

/** Returns true if the operation changes something, which tokens with the access `read` may not. */
export function needsFullAccess({ method, changesNothing, startsChange }: Endpoint): boolean {
  return startsChange === true || (isMutation(method) && changesNothing !== true);
}

/**
 * All codes the endpoint can answer: its own and those of the order of checks (docs/contract/account.md 0), by status,
 * then name.
 */
export function problemsOf(endpoint: Endpoint): ProblemCode[] {
  const codes = new Set<ProblemCode>(endpoint.errors ?? []);
  if (endpoint.path.startsWith('/v1/')) {
    for (const code of ['internal_error', 'request_timeout', 'service_unavailable'] as const) codes.add(code);
    if (endpoint.auth !== 'project_token') codes.add('invalid_query');
    if (endpoint.auth !== 'public') codes.add(CREDENTIAL_PROBLEM[endpoint.auth]);
    if (isMutation(endpoint.method)) {
      codes.add('outcome_unknown');
      codes.add('payload_too_large');
      if (endpoint.body !== undefined) codes.add('invalid_payload');
      if (endpoint.auth === 'member' || endpoint.auth === 'session') codes.add('invalid_csrf_token');
    }
    if (endpoint.auth === 'member' && needsFullAccess(endpoint)) codes.add('forbidden');
  }
  for (const code of scopeProblems(endpoint)) codes.add(code);
  for (const name of pathParameterNames(endpoint.path)) codes.add(pathIdProblem(endpoint, name));
  return [...codes].sort((a, b) => PROBLEM_STATUS[a] - PROBLEM_STATUS[b] || (a < b ? -1 : 1));
}

/** Returns the errors of the scope's checks: unseen, a role that is too low, sharing that is paused. */
function scopeProblems({ scope, role }: Endpoint): ProblemCode[] {
  if (scope === undefined || scope.of === 'person') return [];
  if (scope.of === 'organization') return ['forbidden'];
  if (scope.of === 'installation') return ['not_found'];
  const codes: (ProblemCode | null)[] = [unseenProblem(scope)];
  // Sharing is never paused for the owner.
  if (role !== 'owner') codes.push('shared_access_suspended');
  if (scope.of === 'project_record') codes.push(RECORD_KINDS[scope.kind].missing);
  if (role !== undefined && role !== 'member') codes.push('forbidden');
  return codes.filter((code) => code !== null);
}

/** The code of a malformed path parameter: `invalid_<kind>_id`, or `not_found` for one that is no id. */
export function pathIdProblem(endpoint: Endpoint, name: string): ProblemCode {
  const schema: unknown = endpoint.params?.properties[name];
  if (typeof schema !== 'object' || schema === null || !(ID_KIND_KEYWORD in schema)) return 'not_found';
  const code = `invalid_${String(schema[ID_KIND_KEYWORD])}_id`;
  return isProblemCode(code) ? code : 'not_found';
}

/** The `:name` parts of a path, in order. */
export function pathParameterNames(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1));
}

/** The heading under which the reference lists the endpoint: its resource. */
export function groupOf(endpoint: Endpoint): string {
  if (endpoint.group !== undefined) return endpoint.group;
  const segments = endpoint.path.split('/').filter((segment) => segment !== '' && segment !== 'v1');
  const [first, second, third] = segments;
  if (first === undefined) return 'service';
  // Records of a project are grouped by their kind, not by their path.
  return first === 'projects' && second?.startsWith(':') === true && third !== undefined ? third : first;
}
