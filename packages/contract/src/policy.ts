import { type Auth, type Endpoint, problemsOf, type Role } from './endpoint.ts';
import type { ProblemCode } from './problems.ts';

/** What an operation answers: the status of its success, or the code of a refusal. */
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

/** What one operation answers whom, given a request and a state with which it succeeds for the owner. */
export type Policy = { readonly anybody: Verdict } | { readonly projectToken: Verdict } | PeoplePolicy;

/** Any member of the project. */
function members(success: number, unseen: ProblemCode = 'project_not_found'): PeoplePolicy {
  return { member: success, admin: success, owner: success, stranger: unseen };
}

/** Admins and owner of the project. */
function admins(success: number, unseen: ProblemCode = 'project_not_found'): PeoplePolicy {
  return { ...members(success, unseen), member: 'forbidden' };
}

/** Everybody who is signed in, for what is their own. */
function everyPerson(success: number): PeoplePolicy {
  return { member: success, admin: success, owner: success, stranger: success };
}

/** Whoever owns an organization, for that organization. */
function organizationOwners(verdict: Verdict): PeoplePolicy {
  return { member: 'forbidden', admin: 'forbidden', owner: verdict, stranger: verdict };
}

/**
 * The authorization matrix (account.md 12, reliability rule A10), by endpoint id: what a caller is answered whose
 * credential the endpoint takes. What it answers every other caller follows from its `auth`, its method and account.md
 * 1.5 and 2.6. An endpoint without a row does not start.
 */
export const policies: Readonly<Record<string, Policy>> = {
  postEvents: { projectToken: 202 },
  getSdkConfig: { projectToken: 200 },

  listIncidents: members(200),
  getIncident: members(200, 'incident_not_found'),
  resolveIncident: members(200, 'incident_not_found'),
  reopenIncident: members(200, 'incident_not_found'),
  resolveIncidents: members(200, 'incident_not_found'),
  reopenIncidents: members(200, 'incident_not_found'),
  listIncidentLogs: members(200, 'incident_not_found'),
  listLogs: members(200, 'incident_not_found'),
  getIncidentBundle: members(200, 'incident_not_found'),
  getIncidentReproduction: members(200, 'incident_not_found'),
  suggestCaptureRules: members(200, 'incident_not_found'),
  createSuggestedCaptureRule: admins(201, 'incident_not_found'),

  listImprovements: members(200),
  getImprovement: members(200, 'improvement_not_found'),
  resolveImprovement: members(200, 'improvement_not_found'),
  reopenImprovement: members(200, 'improvement_not_found'),
  snoozeImprovement: members(200, 'improvement_not_found'),
  getImprovementBundle: members(200),
  getImprovementSettings: members(200),
  updateImprovementSettings: admins(200),

  getCapturePolicy: members(200),
  updateCapturePolicy: admins(200),
  listCaptureRules: members(200),
  createCaptureRule: admins(201),
  updateCaptureRule: admins(200),
  deleteCaptureRule: admins(200),

  listServices: members(200),

  listProjects: everyPerson(200),
  createProject: everyPerson(201),
  getProject: members(200),
  updateProject: admins(200),
  deleteProject: { member: 'forbidden', admin: 'forbidden', owner: 200, stranger: 'project_not_found' },

  listMembers: admins(200),
  changeMemberRole: admins(200),
  removeMember: admins(200),
  leaveProject: { ...members(200), owner: 'owner_removal_not_allowed' },
  listInvites: admins(200),
  invitePerson: admins(201),
  cancelInvite: admins(200),
  acceptInvite: everyPerson(200),
  acceptInviteAlias: everyPerson(200),

  listProbes: members(200),
  activateProbe: members(201),
  deactivateProbe: members(200),

  getSlackInstallUrl: admins(200),
  finishSlackInstall: { anybody: 302 },
  listSlackDestinations: members(200),
  testSlackDestination: admins(200, 'slack_destination_not_found'),
  deleteSlackDestination: admins(204, 'slack_destination_not_found'),

  listAlerts: members(200),
  createAlert: members(201),
  updateAlert: members(200, 'alert_not_found'),
  deleteAlert: members(204, 'alert_not_found'),

  listAvailabilityChecks: members(200),
  createAvailabilityCheck: admins(201),
  getAvailabilityCheck: members(200),
  updateAvailabilityCheck: admins(200),
  deleteAvailabilityCheck: admins(200),
  testAvailabilityTarget: admins(200),
  listAvailabilityResults: members(200),
  listDailyRollups: members(200),

  listWebhooks: members(200),
  createWebhook: members(201),
  getWebhook: members(200, 'webhook_not_found'),
  updateWebhook: members(200, 'webhook_not_found'),
  deleteWebhook: members(204, 'webhook_not_found'),
  testWebhook: members(200, 'webhook_not_found'),
  listWebhookDeliveries: members(200, 'webhook_not_found'),
  retryWebhookDelivery: members(200, 'webhook_not_found'),

  listWeeklyReportChannels: members(200),
  createWeeklyReportChannel: admins(201),
  updateWeeklyReportChannel: admins(200, 'weekly_report_channel_not_found'),
  deleteWeeklyReportChannel: admins(204, 'weekly_report_channel_not_found'),

  requestSignInCode: { anybody: 200 },
  verifySignInCode: { anybody: 200 },
  getSession: everyPerson(200),
  logOut: everyPerson(200),

  startGithubSignIn: { anybody: 302 },
  finishGithubSignIn: { anybody: 302 },
  startDeviceRequest: { anybody: 200 },
  pollDeviceRequest: { anybody: 200 },
  claimDeviceRequest: { anybody: 200 },
  exchangeGithubToken: { anybody: 200 },

  listProjectTokens: members(200),
  createProjectToken: members(201),
  revokeProjectToken: members(200),
  listMemberTokens: everyPerson(200),
  createMemberToken: everyPerson(201),
  // Of their own tokens; the stranger asks for somebody else's.
  revokeMemberToken: members(200, 'token_not_found'),

  exportAccount: organizationOwners(200),
  requestDeletionCode: organizationOwners(200),
  deleteAccount: organizationOwners(200),

  getBilling: organizationOwners(200),
  startTrial: organizationOwners(200),
  increaseCapacity: organizationOwners(200),
  scheduleReduction: organizationOwners(200),
  cancelReduction: organizationOwners(200),
  // Without a payment provider there is nothing to succeed with.
  createCheckout: organizationOwners('billing_not_configured'),
  confirmCheckout: organizationOwners('billing_not_configured'),
  openBillingPortal: organizationOwners('billing_not_configured'),

  getHealth: { anybody: 200 },
  getLive: { anybody: 200 },
  getReady: { anybody: 200 },
};

/**
 * The row of an endpoint.
 * @throws Error naming the endpoint when it has none
 */
export function policyOf(endpoint: Pick<Endpoint, 'id'>, table = policies): Policy {
  const policy = Object.hasOwn(table, endpoint.id) ? table[endpoint.id] : undefined;
  if (policy === undefined) throw new Error(`endpoint ${endpoint.id} has no row in the policy table`);
  return policy;
}

/**
 * Throws for the first endpoint without a row, for a row that contradicts what its endpoint declares, and for a row
 * without endpoint: called at the start of the service.
 */
export function requirePolicies(endpoints: readonly Endpoint[], table = policies): void {
  for (const endpoint of endpoints) {
    const fault = contradiction(endpoint, policyOf(endpoint, table));
    if (fault !== null) throw new Error(`the policy of ${endpoint.id} ${fault}`);
  }
  const ids = new Set(endpoints.map(({ id }) => id));
  const idle = Object.keys(table).find((id) => !ids.has(id));
  if (idle !== undefined) throw new Error(`the policy table has a row for ${idle}, which is no endpoint`);
}

const KIND_OF_AUTH: Readonly<Record<Auth, 'anybody' | 'projectToken' | 'owner'>> = {
  public: 'anybody',
  project_token: 'projectToken',
  member: 'owner',
  session: 'owner',
};

function contradiction(endpoint: Endpoint, policy: Policy): string | null {
  if (!(KIND_OF_AUTH[endpoint.auth] in policy)) return `is not one for ${endpoint.auth} callers`;
  const undeclared = Object.values(policy).find((verdict) => !isDeclared(endpoint, verdict));
  if (undeclared !== undefined) return `says ${undeclared}, which the endpoint does not declare`;
  if (!('owner' in policy)) return null;
  const least = leastRole(policy);
  const declared = endpoint.role ?? 'member';
  return least === declared ? null : `lets in the ${least}, but the endpoint declares ${declared}`;
}

function isDeclared(endpoint: Endpoint, verdict: Verdict): boolean {
  return typeof verdict === 'number'
    ? Object.hasOwn(endpoint.responses, verdict)
    : problemsOf(endpoint).includes(verdict);
}

/** The first role that is not refused for being too low. */
function leastRole(policy: PeoplePolicy): Role {
  if (policy.member !== 'forbidden') return 'member';
  return policy.admin === 'forbidden' ? 'owner' : 'admin';
}
