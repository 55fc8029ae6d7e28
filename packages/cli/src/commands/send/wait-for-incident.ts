import { type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import { listIncidentLogs } from '@culprit/contract/incidents/logs';
import { CliError } from '../../cli-error.ts';
import type { JsonObject } from '../../config/json-file.ts';
import { isObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printRecord } from '../../output/print.ts';
import { projectId as chooseProject } from '../../references/project-reference.ts';
import { sleep } from '../../sleep.ts';

const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 250;
const CANDIDATES = 5;

/** The incident that the event belongs to, once it is visible; null when none came in time. */
export async function findIncidentOf(
  context: Context,
  event: JsonObject,
  projectId: string,
): Promise<Incident | null> {
  const api = await context.api();
  const service = isObject(event.service) ? event.service : {};
  const deadline = performance.now() + WAIT_MS;
  const seen = new Map<string, string>();
  while (performance.now() < deadline && !context.interrupted.aborted) {
    const { incidents } = await api.call(listIncidents, {
      query: {
        project_id: projectId,
        limit: CANDIDATES,
        service: String(service.name),
        environment: String(service.environment),
      },
    });
    for (const incident of incidents) {
      // An incident that did not change since it was looked at has no new event.
      const mark = `${incident.occurrence_count} ${incident.last_seen_at}`;
      if (seen.get(incident.incident_id) === mark) continue;
      const { logs } = await api.call(listIncidentLogs, {
        params: { id: incident.incident_id },
        query: { limit: 100 },
      });
      if (logs.some(({ event_id }) => event_id === event.event_id)) return incident;
      seen.set(incident.incident_id, mark);
    }
    await sleep(LOOK_EVERY_MS, context.interrupted);
  }
  return null;
}

/** Prints the incident of the event, or says that none came. */
export async function waitForIncident(context: Context, event: JsonObject): Promise<ExitCode> {
  const projectId = await chooseProject(context);
  const incident = await findIncidentOf(context, event, projectId);
  if (incident === null) {
    throw new CliError('The event was accepted, but no incident appeared within 30 s.', {
      exit: EXIT.negative,
      code: 'no_incident',
      hint: 'it may be of a kind that opens none: culprit capture policy show',
    });
  }
  printRecord(context, {
    body: { incident },
    key: 'incident',
    id: incident.incident_id,
    rows: [
      ['Incident', incident.title],
      ['Status', incident.status],
      ['Occurrences', incident.occurrence_count],
      ['Id', incident.incident_id],
    ],
  });
  return EXIT.ok;
}
