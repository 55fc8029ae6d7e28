import { readdirSync, readFileSync } from 'node:fs';
import type { DebugBundle } from '@culprit/contract/bundle';
import type { Incident } from '@culprit/contract/incidents';
import type { IncidentEvidence } from '../src/evidence/incident-answer.ts';

const FOLDER = new URL('./corpus/demo/', import.meta.url);

export interface DemoIncident {
  /** As in `demo/expected-incidents.ts`. */
  name: string;
  evidence: IncidentEvidence;
}

/** The incidents of the demo as `demo/record-evidence.ts` stored them. */
export function demoIncidents(): DemoIncident[] {
  return readdirSync(FOLDER).map((file) => {
    const recorded: { incident: Incident; bundle: DebugBundle } = JSON.parse(
      readFileSync(new URL(file, FOLDER), 'utf8'),
    );
    const { incident, bundle } = recorded;
    return {
      name: file.replace('.json', ''),
      evidence: {
        incident,
        reference: incident.incident_id,
        trust: incident.source_trust,
        bundle,
        absence: null,
        suggestions: [],
      },
    };
  });
}
