import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import type { RecordKind, RequestField } from '@culprit/contract/endpoints/scope';
import { ACCOUNT_REQUESTS } from './requests-of-accounts.ts';
import { INCIDENT_REQUESTS } from './requests-of-incidents.ts';
import { PROJECT_REQUESTS } from './requests-of-projects.ts';
import { ofMapUpload, ofSourceMap } from './source-map-requests.ts';
import {
  type MakeRequest,
  ofAlert,
  ofCheck,
  ofCollaborator,
  ofDestination,
  ofHeartbeat,
  ofImprovement,
  ofIncident,
  ofIncidents,
  ofProject,
  ofProjectQuery,
  ofRelease,
  ofReportChannel,
  ofRule,
  ofTeam,
  ofTracker,
  ofWebhook,
} from './subject-requests.ts';

/** The requests that name a record and need nothing else; kinds without one have a row for each of their endpoints. */
const OF_RECORD: Readonly<Partial<Record<RecordKind, MakeRequest>>> = {
  alert: ofAlert,
  availability_check: (stage) => ofCheck(stage),
  capture_rule: ofRule,
  heartbeat: (stage) => ofHeartbeat(stage),
  improvement: ofImprovement,
  incident: ofIncident,
  project_member: ofCollaborator,
  release: ofRelease,
  slack_destination: ofDestination,
  source_map: ofSourceMap,
  source_map_upload: ofMapUpload,
  team: (stage) => ofTeam(stage),
  tracker: ofTracker,
  webhook: ofWebhook,
  weekly_report_channel: (stage) => ofReportChannel(stage),
};

const OF_PROJECT: Readonly<Partial<Record<RequestField, MakeRequest>>> = {
  'params.id': ofProject,
  'query.project_id': ofProjectQuery,
};

/** A request of each operation of the contract, by endpoint id. */
export const operationRequests: Readonly<Record<string, MakeRequest>> = {
  ...Object.fromEntries(api.map((endpoint) => [endpoint.id, subjectRequest(endpoint)])),
  ...INCIDENT_REQUESTS,
  ...PROJECT_REQUESTS,
  ...ACCOUNT_REQUESTS,
};

/** Returns the request that has the subject of the endpoint's scope, and nothing else. */
function subjectRequest({ id, scope }: Endpoint): MakeRequest {
  switch (scope?.of) {
    case 'project':
    case 'projects':
      return OF_PROJECT[scope.id] ?? missing(id);
    case 'record':
    case 'project_record':
      return OF_RECORD[scope.kind] ?? missing(id);
    case 'records':
      return scope.kind === 'incident' ? ofIncidents : missing(id);
    default:
      return () => ({});
  }
}

/** The place of a row that the endpoint needs: no request follows from its scope. */
function missing(id: string): MakeRequest {
  return () => {
    throw new Error(`${id} needs a row in a file requests-of-….ts`);
  };
}
