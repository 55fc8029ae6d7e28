import type { IncomingHttpHeaders } from 'node:http';
import {
  type Auth,
  CREDENTIAL_PROBLEM,
  type Endpoint,
  type Role,
} from '@culprit/contract/endpoints/endpoint';
import type { Scope } from '@culprit/contract/endpoints/scope';
import type { HttpServer } from '../server/http-server.ts';
import { Problem } from './problem.ts';

/** The type to which each kind of credential resolves. */
export interface Callers {
  member: unknown;
  project_token: unknown;
  session: unknown;
  /** The access that an operation receives for the subject of its request, by the kind of the endpoint's scope. */
  access: { [Kind in ScopeKind]: unknown };
}

/** The kinds of scope that are resolved; what is the caller's alone needs nothing. */
export type ScopeKind = Exclude<Scope['of'], 'person'>;

type CredentialKind = Exclude<keyof Callers, 'access'>;

/** Finds the caller of these headers; null when there is none, which answers 401 with the code of the kind. */
type Authenticate<Caller> = (headers: IncomingHttpHeaders) => Promise<Caller | null>;

export interface BinderOptions<C extends Callers> {
  server: HttpServer;
  authenticators: { [Kind in CredentialKind]: Authenticate<C[Kind]> };
  /**
   * Steps 7 to 9 of the order of checks (docs/contract/account.md 0) for an endpoint with a scope: visibility, role,
   * paused sharing. Throws `Problem`.
   */
  authorizers: { [Kind in ScopeKind]: Authorize<C['member'] | C['session'], C['access'][Kind], Kind> };
  /** Judges mutations by members and sessions; the answer is a code or null (docs/contract/account.md 2.6). */
  checkCsrf: (
    caller: C['member'] | C['session'],
    headers: IncomingHttpHeaders,
  ) => 'invalid_csrf_token' | null;
  /**
   * Returns true if the caller's credential permits this kind of request at all, whatever its access to the subject.
   */
  mayAsk: (caller: C['member'] | C['session'], request: { changes: boolean; isOfBuild: boolean }) => boolean;
  /** Returns the caller and the subject of a request, which separate a key of a repeat from other keys. */
  repeatParts: (
    caller: C['member'] | C['session'],
    access: C['access'][ScopeKind] | null,
  ) => readonly string[];
  /** Checks every answer against its whole schema and fails on a difference: for tests. */
  verifiesResponses?: boolean;
}

/** Finds what the scope names in a checked request, and whether the caller may do with it what the role allows. */
export type Authorize<Caller, Access, Kind extends ScopeKind> = (
  caller: Caller,
  scope: Extract<Scope, { of: Kind }>,
  role: Role,
  request: CheckedRequest,
) => Promise<Access>;

/** The parts of a request that have passed their schemas. */
export interface CheckedRequest {
  params: unknown;
  query: unknown;
  body: unknown;
}

export type CallerOf<C extends Callers, E extends Endpoint> = E['auth'] extends CredentialKind
  ? C[E['auth']]
  : null;

/** The access that the operation of an endpoint receives for the subject of its request; null without a scope. */
export type AccessOf<C extends Callers, E extends Endpoint> = E extends {
  readonly scope: { readonly of: infer Kind extends ScopeKind };
}
  ? C['access'][Kind]
  : null;

/** Step 2: the credential, from the headers alone. */
export async function authenticate<C extends Callers>(
  options: BinderOptions<C>,
  auth: Auth,
  headers: IncomingHttpHeaders,
): Promise<C[CredentialKind] | null> {
  if (auth === 'public') return null;
  const caller = await options.authenticators[auth](headers);
  if (caller === null) throw new Problem(CREDENTIAL_PROBLEM[auth]);
  return caller;
}

/** Steps 7 to 9: what the request is about; null for an endpoint without a scope. */
export async function authorize<C extends Callers>(
  { authorizers }: BinderOptions<C>,
  { scope, role = 'member' }: Endpoint,
  caller: C['member'] | C['session'],
  request: CheckedRequest,
): Promise<unknown> {
  switch (scope?.of) {
    case undefined:
    case 'person':
      return null;
    case 'organization':
      return await authorizers.organization(caller, scope, role, request);
    case 'installation':
      return await authorizers.installation(caller, scope, role, request);
    case 'project':
      return await authorizers.project(caller, scope, role, request);
    case 'projects':
      return await authorizers.projects(caller, scope, role, request);
    case 'record':
      return await authorizers.record(caller, scope, role, request);
    case 'records':
      return await authorizers.records(caller, scope, role, request);
    case 'project_record':
      return await authorizers.project_record(caller, scope, role, request);
  }
}
