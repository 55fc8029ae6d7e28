import type { Incident } from '@culprit/contract/incidents';
import type { IncidentEvidence } from './evidence/incident-answer.ts';

/** A failure in words for an agent: what happened, and what mends it. Never text of somebody's answer. */
export class SourceError extends Error {
  override name = 'SourceError';
  readonly mend: string | null;

  constructor(message: string, mend: string | null = null) {
    super(message);
    this.mend = mend;
  }
}

export interface ProjectFacts {
  projectId: string;
  slug: string;
  name: string;
  openIncidents: number;
  services: readonly { name: string; environment: string }[];
}

export interface IncidentFilter {
  /** Id, slug or name. */
  project?: string;
  status: 'active' | 'open' | 'resolved' | 'regressed';
  /** Words and filters, which can be read. */
  query?: string;
  severity?: Incident['severity'];
  service?: string;
  environment?: string;
  /** ISO 8601: with activity since then. */
  since?: string;
  limit: number;
  cursor?: string;
}

export interface ListedIncidents {
  incidents: readonly { reference: string; incident: Incident }[];
  nextCursor: string | null;
}

/** Where incidents come from. Every call throws `SourceError`. */
export interface IncidentSource {
  listProjects(): Promise<readonly ProjectFacts[]>;
  listIncidents(filter: IncidentFilter): Promise<ListedIncidents>;
  /** @param withSuggestions asks for capture rules too */
  evidence(reference: string, withSuggestions: boolean): Promise<IncidentEvidence>;
  /** Null where nothing can be changed. */
  changes: IncidentChanges | null;
}

export interface IncidentChanges {
  setStatus(incidentIds: readonly string[], status: 'resolved' | 'open'): Promise<readonly Incident[]>;
  createCaptureRule(rule: {
    incidentId: string;
    suggestionId: string;
    isEnabled: boolean;
    expiresAt: string;
  }): Promise<{ ruleId: string; isEnabled: boolean }>;
  activateProbe(probe: {
    project: string;
    labelPattern: string;
    service?: string;
    environment?: string;
    ttlSeconds: number;
  }): Promise<{ activationId: string; expiresAt: string }>;
}
