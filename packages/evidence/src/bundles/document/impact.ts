import type { BundleImpact } from '@culprit/contract/incidents/bundle';
import type { BundleContext } from '@culprit/contract/incidents/bundle-context';
import type { NormalizedEvent, Severity } from '../../events/normalize/event.ts';
import { SEVERITIES } from '../../events/normalize/severity.ts';
import type { IncidentEvidence } from '../evidence/bundle-evidence.ts';
import { statusCodes } from './context-blocks/request-response.ts';

/**
 * Returns the affected users and the extent (docs/contract/incidents.md 3.6). `inputs` are all events of which the
 * document was built; `isDeployRegression` is true if the incident started within the window of its newest deploy.
 */
export function impactOf(
  incident: IncidentEvidence,
  inputs: readonly NormalizedEvent[],
  frontend: BundleContext['frontend'],
  isDeployRegression: boolean,
): BundleImpact {
  return {
    affected_users_estimate: incident.affectedUsersEstimate,
    affected_requests_estimate: affectedRequests(incident),
    customer_visible: isCustomerVisible(inputs, frontend),
    regression_suspected: incident.status === 'regressed' || isDeployRegression,
    business_criticality: businessCriticality(incident.severity, incident.environment),
  };
}

/** Returns true if the name of this environment suggests that customers use it. */
export function isProductionLike(environment: string): boolean {
  return ['production', 'prod', 'live'].includes(environment.toLowerCase());
}

/** Distinct requests where every occurrence names one, else the occurrences that happened in some request. */
function affectedRequests(incident: IncidentEvidence): number | null {
  const { everyOccurrenceHadOne, distinctCount } = incident.requestIds;
  const count = everyOccurrenceHadOne
    ? distinctCount
    : incident.occurrencesWithRequestBlock + incident.attributedSuppressedCount;
  return count === 0 ? null : count;
}

/** Returns true if a customer saw the failure: an error in a browser, or an answer of 500 and above. */
function isCustomerVisible(inputs: readonly NormalizedEvent[], frontend: BundleContext['frontend']): boolean {
  if (inputs.some((event) => event.eventType === 'frontend_exception')) return true;
  const seen = (frontend?.network_requests ?? []).map((request) => request.status ?? 0);
  return [...statusCodes(inputs), ...seen].some((status) => status >= 500);
}

/** The severity, one step down outside production. */
function businessCriticality(severity: Severity, environment: string): Severity {
  if (isProductionLike(environment)) return severity;
  return SEVERITIES[Math.max(0, SEVERITIES.indexOf(severity) - 1)] ?? severity;
}
