import { STREAM_RESOURCES } from '@culprit/contract/endpoints/stream';
import { listEventFates } from '@culprit/contract/events/event-fates';
import { getImprovement, listImprovements } from '@culprit/contract/incidents/improvements';
import { getIncidentActivity } from '@culprit/contract/incidents/incident-activity';
import { getIncidentBundle, getIncidentReproduction } from '@culprit/contract/incidents/incident-bundle';
import { getIncidentGrouping } from '@culprit/contract/incidents/incident-grouping';
import { getIncidentHistory } from '@culprit/contract/incidents/incident-history';
import { listLinks } from '@culprit/contract/incidents/incident-links';
import { listNotes } from '@culprit/contract/incidents/incident-notes';
import { listSimilarIncidents } from '@culprit/contract/incidents/incident-similar';
import { getIncident, listIncidents } from '@culprit/contract/incidents/incidents';
import { listIncidentLogs } from '@culprit/contract/incidents/logs';
import { getIncidentOccurrences, getProjectOccurrences } from '@culprit/contract/incidents/occurrences';
import { getServiceActivity } from '@culprit/contract/incidents/service-activity';
import { getAvailabilityCheck, listAvailabilityChecks } from '@culprit/contract/monitor/availability-checks';
import { getProject, listProjects } from '@culprit/contract/workspace/projects';

/** A message of the stream: it names what to request again, never the new values. */
export interface Hint {
  /** Null for all. */
  projectId: string | null;
  resources: readonly string[];
  /** Null for more than are named. */
  incidentIds: readonly string[] | null;
}

/** The endpoints that show several records in one answer, which changes with any of them. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  incidents: [
    listIncidents,
    getIncidentActivity,
    listProjects,
    getProject,
    getProjectOccurrences,
    getServiceActivity,
    listAvailabilityChecks,
    getAvailabilityCheck,
    listEventFates,
  ].map(({ id }) => id),
  improvements: [listImprovements, getImprovement].map(({ id }) => id),
  rejections: [listEventFates.id],
};
/** The endpoints about one incident, whose id is the second part of the key. */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  incidents: [
    getIncident,
    getIncidentOccurrences,
    getIncidentHistory,
    getIncidentGrouping,
    listSimilarIncidents,
    listIncidentLogs,
    listLinks,
    listNotes,
  ].map(({ id }) => id),
  bundles: [getIncidentBundle, getIncidentReproduction].map(({ id }) => id),
};

/** The hint if the change is unknown. */
export const EVERYTHING: Hint = {
  projectId: null,
  resources: [...STREAM_RESOURCES],
  incidentIds: null,
};

/** Returns the hint in a `changed` message; null for a message that this page does not understand. */
export function readHint(text: string): Hint | null {
  const data: unknown = JSON.parse(text);
  if (typeof data !== 'object' || data === null) return null;
  if (!('project_id' in data) || !('resources' in data) || !('incident_ids' in data)) return null;
  if (!Array.isArray(data.resources)) return null;
  return {
    projectId: String(data.project_id),
    resources: data.resources.map(String),
    incidentIds: Array.isArray(data.incident_ids) ? data.incident_ids.map(String) : null,
  };
}

/** Returns true if the data that was read with this key may have changed. */
export function isAbout({ projectId, resources, incidentIds }: Hint, key: readonly unknown[]): boolean {
  const [endpoint, scope] = key;
  const isNamed = incidentIds === null || incidentIds.includes(String(scope));
  return resources.some((resource) => {
    const isList = LISTS[resource]?.some((id) => id === endpoint) === true;
    if (endpoint === listEventFates.id) return isList && (projectId === null || scope === projectId);
    if (isList) return endpoint !== listIncidents.id || isListOf(String(scope), projectId);
    return isNamed && RECORDS[resource]?.some((id) => id === endpoint) === true;
  });
}

/** Returns true if a list, by its name in the key, shows rows of this project. */
function isListOf(name: string, projectId: string | null): boolean {
  const shown = new URLSearchParams(name).get('project');
  return projectId === null || shown === null || shown === '' || shown === projectId;
}
