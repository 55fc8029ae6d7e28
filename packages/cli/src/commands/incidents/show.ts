import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { getIncident } from '@culprit/contract/incidents/incidents';
import { hintOf } from '@culprit/contract/schemas/hint';
import { frameText } from '../../bundle-text/frame-text.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printRecord } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { priorityText, snoozeText } from './triage-words.ts';

export const run: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const body = await api.call(getIncident, { params: { id } });
  const { incident } = body;
  const document = context.globals.json ? null : await api.attempt(getIncidentBundle, { params: { id } });
  const bundle = document?.ok === true && 'bundle_version' in document.body ? document.body : null;
  printRecord(context, {
    body,
    key: 'incident',
    id: incident.incident_id,
    rows: [
      ['Title', incident.title],
      ['Severity', incident.severity],
      ['Status', incident.status],
      ['Priority', priorityText(incident)],
      ['Assignee', incident.triage.assignee?.name],
      ['Snoozed', snoozeText(incident)],
      [
        'Tickets',
        incident.triage.links.map(({ key, url, state }) => `${key ?? url ?? 'new'} ${state}`).join(', ') ||
          null,
      ],
      ['Where', `${incident.service_name ?? '-'} / ${incident.environment}`],
      ['Project', incident.project_name],
      ['Occurrences', incident.occurrence_count],
      ['First seen', incident.first_seen_at],
      ['Last seen', incident.last_seen_at],
      ['Resolved', incident.resolved_at],
      ['Regressed', incident.regressed_at],
      ['Spike', incident.spike_detected_at],
      ['Because', incident.incident_reason.description],
      ['Hint', bundle === null || bundle === undefined ? null : hintOf(bundle.summary)?.sentence],
      ['Code', frameText(bundle?.summary.first_application_frame ?? null)],
      ['Number', incident.short_id],
      ['Id', incident.incident_id],
    ],
  });
  return EXIT.ok;
};
