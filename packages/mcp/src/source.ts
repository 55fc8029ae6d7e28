import type { Incident } from '@culprit/contract/incidents/incidents';
import type { PriorityLevel } from '@culprit/contract/incidents/triage-words';
import type { IncidentEvidence } from './evidence/incident-answer.ts';
import type { SectionName } from './evidence/sections.ts';

/** A failure in words for an agent: what happened, and how to fix it. It never contains text of an answer. */
export class SourceError extends Error {
  override name = 'SourceError';
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}

export interface ProjectFacts {
  projectId: string;
  slug: string;
  name: string;
  openIncidents: number;
  services: readonly { name: string; environment: string }[];
}

interface IncidentFilter {
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

/** The source of incidents. Every call throws `SourceError`. */
export interface IncidentSource {
  listProjects(): Promise<readonly ProjectFacts[]>;
  listIncidents(filter: IncidentFilter): Promise<ListedIncidents>;
  /** @param sections that are asked for by name: some are read only then */
  evidence(reference: string, sections: readonly SectionName[]): Promise<IncidentEvidence>;
  /** Null where nothing can be changed. */
  changes: IncidentChanges | null;
}

/** The changes to one incident; a field that is absent stays, and null undoes it. */
export interface TriageWish {
  /** Person by `me`, handle, address, name or id. */
  assignee?: string | null | undefined;
  priority?: PriorityLevel | null | undefined;
  /** ISO 8601. */
  snoozeUntil?: string | null | undefined;
  note?: string | undefined;
  /** Address of a pull request or commit. */
  fixUrl?: string | undefined;
  /** `new`, or the address of a ticket that exists. */
  ticket?: string | undefined;
  /** Release in which it is resolved, or `next`. */
  resolvedIn?: string | undefined;
}

export interface IncidentChanges {
  /**
   * Changes one incident, step by step in the order of the fields.
   * @returns the incident afterwards
   */
  triage(incidentId: string, wish: TriageWish): Promise<Incident>;
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
