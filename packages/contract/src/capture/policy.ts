import { type Endpoint, problemsOf } from '../endpoints/endpoint.ts';
import type { ProblemCode } from '../endpoints/problems.ts';
import { type RequestField, type Scope, unseenProblem } from '../endpoints/scope.ts';

/** The answer of an operation: the status of its success, or the code of a refusal. */
export type Verdict = number | ProblemCode;

/**
 * The answers to people, by their role in the project that the request is about. Member and admin own no organization.
 * A stranger has a project elsewhere and none here, and owns an organization.
 */
export interface PeoplePolicy {
  readonly member: Verdict;
  readonly admin: Verdict;
  readonly owner: Verdict;
  readonly stranger: Verdict;
}

/** The answers of one operation by caller, given a request and a state with which it succeeds for the owner. */
type Policy = { readonly anybody: Verdict } | { readonly projectToken: Verdict } | PeoplePolicy;

/**
 * The answers that do not follow from scope and role: to these callers the operation itself returns something else,
 * given a state with which it succeeds for another.
 */
const EXCEPTIONS: Readonly<Record<string, Partial<PeoplePolicy>>> = {
  leaveProject: { owner: 'owner_removal_not_allowed' },
  // Callers revoke or change their own tokens and views; the stranger requests another person's.
  revokeMemberToken: { stranger: 'token_not_found' },
  rotateMemberToken: { stranger: 'token_not_found' },
  updateView: { stranger: 'view_not_found' },
  deleteView: { stranger: 'view_not_found' },
  // Without a payment provider there is nothing to succeed with.
  createCheckout: { owner: 'billing_not_configured', stranger: 'billing_not_configured' },
  confirmCheckout: { owner: 'billing_not_configured', stranger: 'billing_not_configured' },
  openBillingPortal: { owner: 'billing_not_configured', stranger: 'billing_not_configured' },
};

/**
 * A row of the authorization matrix (docs/contract/account.md 12, docs/contract/reliability.md A10): what a caller is
 * answered whose credential the endpoint takes. It follows from the endpoint's scope and role, which the binder
 * enforces. What every other caller is answered follows from `auth`, the method and docs/contract/account.md 1.5 and 2.6.
 */
export function policyOf(endpoint: Endpoint): Policy {
  const success = successOf(endpoint);
  if (endpoint.auth === 'public') return { anybody: success };
  if (endpoint.auth === 'project_token') return { projectToken: success };
  return { ...peoplePolicy(endpoint, success), ...EXCEPTIONS[endpoint.id] };
}

/**
 * Throws for the first endpoint that does not say what it is about, or whose row names an answer that it does not
 * declare: called at the start of the service.
 */
export function requirePolicies(endpoints: readonly Endpoint[]): void {
  for (const endpoint of endpoints) {
    const fault = faultOf(endpoint);
    if (fault !== null) throw new Error(`endpoint ${endpoint.id} ${fault}`);
  }
}

function peoplePolicy({ scope, role = 'member' }: Endpoint, success: number): PeoplePolicy {
  const everybody = { member: success, admin: success, owner: success, stranger: success };
  if (scope === undefined || scope.of === 'person') return everybody;
  // No role in a project makes a person an operator.
  if (scope.of === 'installation') {
    return { member: 'not_found', admin: 'not_found', owner: 'not_found', stranger: 'not_found' };
  }
  // Member and admin own no organization, the stranger owns one.
  if (scope.of === 'organization') return { ...everybody, member: 'forbidden', admin: 'forbidden' };
  return {
    member: role === 'member' ? success : 'forbidden',
    admin: role === 'owner' ? 'forbidden' : success,
    owner: success,
    stranger: unseenProblem(scope) ?? success,
  };
}

/** The lowest status that an endpoint declares as an answer to a request that it carries out. */
function successOf({ responses }: Endpoint): number {
  return Math.min(...Object.keys(responses).map(Number));
}

function faultOf(endpoint: Endpoint): string | null {
  const { auth, scope, role } = endpoint;
  const isPersonal = auth === 'member' || auth === 'session';
  if (isPersonal !== (scope !== undefined)) {
    return isPersonal ? 'does not say what it is about' : `has a scope, but takes ${auth} callers`;
  }
  if (
    role !== undefined &&
    (scope?.of === 'person' ||
      scope?.of === 'installation' ||
      (scope?.of === 'organization' && role !== 'owner'))
  ) {
    return 'asks for a role, but names no project';
  }
  const missing =
    scope === undefined ? undefined : fieldsOf(scope).find((field) => !hasField(endpoint, field));
  if (missing !== undefined) return `is about ${missing}, which its request does not have`;
  const undeclared = Object.values(policyOf(endpoint)).find((verdict) => !isDeclared(endpoint, verdict));
  return undeclared === undefined ? null : `answers ${undeclared}, which it does not declare`;
}

function fieldsOf(scope: Scope): RequestField[] {
  switch (scope.of) {
    case 'person':
    case 'organization':
    case 'installation':
      return [];
    case 'project':
    case 'projects':
    case 'record':
      return [scope.id];
    case 'records':
      return [scope.ids];
    case 'project_record':
      return [scope.project, scope.id];
  }
}

function hasField({ params, query, body }: Endpoint, field: RequestField): boolean {
  const [part = '', key = ''] = field.split('.');
  const schema: unknown = Object.entries({ params, query, body }).find(([name]) => name === part)?.[1];
  return (
    typeof schema === 'object' &&
    schema !== null &&
    'properties' in schema &&
    typeof schema.properties === 'object' &&
    schema.properties !== null &&
    Object.hasOwn(schema.properties, key)
  );
}

function isDeclared(endpoint: Endpoint, verdict: Verdict): boolean {
  return typeof verdict === 'number'
    ? Object.hasOwn(endpoint.responses, verdict)
    : problemsOf(endpoint).includes(verdict);
}
