import * as alertDeliveries from '../alerts/alert-deliveries.ts';
import * as alertVerdicts from '../alerts/alert-verdicts.ts';
import * as alerts from '../alerts/alerts.ts';
import * as personalMessages from '../alerts/personal-messages.ts';
import * as slack from '../alerts/slack.ts';
import * as trackers from '../alerts/trackers.ts';
import * as webhooks from '../alerts/webhooks.ts';
import * as weeklyReports from '../alerts/weekly-reports.ts';
import * as capturePolicy from '../capture/capture-policy.ts';
import * as capturePreview from '../capture/capture-preview.ts';
import * as captureRules from '../capture/capture-rules.ts';
import * as probes from '../capture/probes.ts';
import * as dsnKeys from '../events/dsn-keys.ts';
import * as eventFates from '../events/event-fates.ts';
import * as events from '../events/events.ts';
import * as recentEvents from '../events/recent-events.ts';
import * as sdkConfig from '../events/sdk-config.ts';
import * as groupingPreview from '../incidents/grouping-preview.ts';
import * as improvements from '../incidents/improvements.ts';
import * as incidentActivity from '../incidents/incident-activity.ts';
import * as incidentBundle from '../incidents/incident-bundle.ts';
import * as incidentEvents from '../incidents/incident-events.ts';
import * as incidentFixes from '../incidents/incident-fixes.ts';
import * as incidentGrouping from '../incidents/incident-grouping.ts';
import * as incidentHistory from '../incidents/incident-history.ts';
import * as incidentLinks from '../incidents/incident-links.ts';
import * as incidentNotes from '../incidents/incident-notes.ts';
import * as incidentSimilar from '../incidents/incident-similar.ts';
import * as incidentSnooze from '../incidents/incident-snooze.ts';
import * as incidentTags from '../incidents/incident-tags.ts';
import * as incidentTriage from '../incidents/incident-triage.ts';
import * as incidentWatch from '../incidents/incident-watch.ts';
import * as incidents from '../incidents/incidents.ts';
import * as lifecycle from '../incidents/lifecycle.ts';
import * as logs from '../incidents/logs.ts';
import * as lookup from '../incidents/lookup.ts';
import * as occurrences from '../incidents/occurrences.ts';
import * as regroupings from '../incidents/regroupings.ts';
import * as serviceActivity from '../incidents/service-activity.ts';
import * as services from '../incidents/services.ts';
import * as availabilityChecks from '../monitor/availability-checks.ts';
import * as checkHistory from '../monitor/check-history.ts';
import * as heartbeats from '../monitor/heartbeats.ts';
import * as deployments from '../releases/deployments.ts';
import * as mapUploads from '../releases/map-uploads.ts';
import * as releases from '../releases/releases.ts';
import * as sourceMaps from '../releases/source-maps.ts';
import * as queryReading from '../search/query-reading.ts';
import * as views from '../search/views.ts';
import * as clients from '../setup/clients.ts';
import * as account from '../workspace/account.ts';
import * as billing from '../workspace/billing.ts';
import * as cliSignIn from '../workspace/cli-sign-in.ts';
import * as github from '../workspace/github.ts';
import * as groupGrants from '../workspace/group-grants.ts';
import * as invites from '../workspace/invites.ts';
import * as members from '../workspace/members.ts';
import * as oidc from '../workspace/oidc.ts';
import * as operator from '../workspace/operator.ts';
import * as ownership from '../workspace/ownership.ts';
import * as people from '../workspace/people.ts';
import * as projects from '../workspace/projects.ts';
import * as sampleData from '../workspace/sample-data.ts';
import * as signIn from '../workspace/sign-in.ts';
import * as teams from '../workspace/teams.ts';
import * as tokens from '../workspace/tokens.ts';
import type { Endpoint } from './endpoint.ts';
import * as health from './health.ts';
import * as server from './server.ts';
import * as stream from './stream.ts';

/** The modules that declare endpoints, in the order of the reference. */
const MODULES: readonly object[] = [
  events,
  sdkConfig,
  incidents,
  queryReading,
  incidentActivity,
  incidentTriage,
  incidentSnooze,
  views,
  incidentNotes,
  incidentWatch,
  incidentFixes,
  incidentLinks,
  occurrences,
  incidentHistory,
  incidentTags,
  incidentSimilar,
  incidentGrouping,
  logs,
  incidentEvents,
  lookup,
  incidentBundle,
  lifecycle,
  stream,
  improvements,
  capturePolicy,
  capturePreview,
  groupingPreview,
  regroupings,
  captureRules,
  services,
  clients,
  serviceActivity,
  deployments,
  releases,
  eventFates,
  projects,
  sampleData,
  groupGrants,
  members,
  ownership,
  people,
  teams,
  invites,
  probes,
  recentEvents,
  slack,
  alerts,
  alertDeliveries,
  alertVerdicts,
  heartbeats,
  availabilityChecks,
  checkHistory,
  trackers,
  webhooks,
  sourceMaps,
  mapUploads,
  weeklyReports,
  github,
  oidc,
  cliSignIn,
  signIn,
  tokens,
  dsnKeys,
  account,
  personalMessages,
  billing,
  server,
  operator,
  health,
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Every endpoint of the service: those that the modules export, by path and method. A server that does not bind one of
 * them does not start.
 */
export const api: readonly Endpoint[] = MODULES.flatMap((module) =>
  Object.values(module).filter(isEndpoint).sort(byPath),
);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'path' in value && 'responses' in value;
}

function byPath(a: Endpoint, b: Endpoint): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return METHODS.indexOf(a.method) - METHODS.indexOf(b.method);
}
