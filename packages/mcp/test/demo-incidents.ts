import { readdirSync, readFileSync } from 'node:fs';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import type { IncidentEvidence } from '../src/evidence/incident-answer.ts';

const FOLDER = new URL('./corpus/demo/', import.meta.url);

/** The incidents were stored before people could decide about them. */
const UNTOUCHED: Incident['triage'] = {
  priority: { level: 'normal', reasons: [], is_manual: false },
  assignee: null,
  snooze: null,
  notes: 0,
  links: [],
};

interface DemoIncident {
  /** As in `demo/expected-incidents.ts`. */
  name: string;
  evidence: IncidentEvidence;
}

/** The incidents of the demo as `demo/record-evidence.ts` stored them. */
export function demoIncidents(): DemoIncident[] {
  return readdirSync(FOLDER).map((file) => {
    const recorded: { incident: Omit<Incident, 'triage'>; bundle: DebugBundle } = JSON.parse(
      readFileSync(new URL(file, FOLDER), 'utf8'),
    );
    const { incident, bundle } = recorded;
    return {
      name: file.replace('.json', ''),
      evidence: {
        incident: { ...incident, triage: UNTOUCHED },
        reference: incident.incident_id,
        trust: incident.source_trust,
        bundle,
        absence: null,
        suggestions: [],
      },
    };
  });
}
