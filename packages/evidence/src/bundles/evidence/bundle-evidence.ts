import type { GroupingExplanation } from '@culprit/contract/incidents/grouping-explanation';
import type { SourceTrust } from '@culprit/contract/incidents/incidents';
import type { ParsedException } from '../../events/fingerprint/stack/parsed-stack.ts';
import type { NormalizedEvent, Severity } from '../../events/normalize/event.ts';
import type { SampleRole } from '../../events/normalize/sample-role.ts';

/**
 * Everything a bundle is made of (docs/contract/incidents.md 3.10). Nothing else may enter: equal evidence gives equal
 * bytes, in whatever order its lists arrive. All times are milliseconds since the epoch, UTC.
 */
export interface BundleEvidence {
  incident: IncidentEvidence;
  project: { slug: string };
  /** The sampled occurrences, at least one. */
  samples: SampleEvidence[];
  /** Candidates inside the windows of docs/contract/incidents.md 3.3; order and maxima are applied here. */
  correlated: CorrelatedEvidence[];
  /** Deployments of the same service and environment. */
  deployments: DeploymentEvidence[];
  /** Absent where only its own key ever brought events to the incident. */
  grouping?: GroupingEvidence;
  constants: { baseUrl: string; appUrl: string };
  /** From 1; the number this document gets if its content is new. */
  generationNumber: number;
}

export type FingerprintKind = 'exception' | 'request' | 'log' | 'window' | 'resource' | 'availability';

/** The incident row at generation time. */
export interface IncidentEvidence {
  /** `inc_…` */
  incidentId: string;
  /** `bun_…` */
  bundleId: string;
  /** `proj_…` */
  projectId: string;
  title: string;
  severity: Severity;
  status: 'open' | 'resolved' | 'regressed';
  /** 64 lower-case hex digits. */
  fingerprint: string;
  fingerprintKind: FingerprintKind;
  environment: string;
  serviceName: string | null;
  serviceId: string | null;
  firstSeenAtMs: number;
  lastSeenAtMs: number;
  occurrenceCount: number;
  /** Null when no occurrence named a user. */
  affectedUsersEstimate: number | null;
  requestIds: { everyOccurrenceHadOne: boolean; distinctCount: number };
  occurrencesWithRequestBlock: number;
  attributedSuppressedCount: number;
  /** Absent where no signal of it names one. */
  releases?: { first: string | null; last: string | null; regressedIn: string | null };
  /** Absent if the document is not about an incident. */
  sourceTrust?: SourceTrust;
  /** The explanation of its key; absent for an improvement. */
  explanation?: GroupingExplanation;
}

/** One sampled occurrence. */
export interface SampleEvidence {
  event: NormalizedEvent;
  severity: Severity;
  roles: SampleRole[];
  /** Outermost first; empty for events that carry no exception and no stack. */
  chain: ParsedException[];
  applicationFrame: ApplicationFrameEvidence | null;
  /** Version of the newest deployment at or before the occurrence. */
  deployVersion: string | null;
}

/**
 * The innermost in-app frame of the exception that supplied the fingerprint's frames (docs/contract/incidents.md
 * 5.4.7).
 */
export interface ApplicationFrameEvidence {
  file: string | null;
  line: number | null;
  function: string | null;
}

export interface CorrelatedEvidence {
  event: NormalizedEvent;
  relation: 'trace' | 'request' | 'session' | 'joined' | 'time';
}

export interface DeploymentEvidence {
  version: string | null;
  commitSha: string | null;
  branch: string | null;
  deployedAtMs: number;
  /** Receive time of its `deploy_metadata` event. */
  receivedAtMs: number;
}

/** The reasons besides its own key that bring events to an incident, with their origin; newest first. */
export interface GroupingEvidence {
  /** `inc_…` */
  members: readonly string[];
  slots: readonly SlotEvidence[];
  changes: readonly GroupingChangeEvidence[];
}

/** An open slot. */
interface SlotEvidence {
  slotId: string;
  pattern: string;
  /** An empty word represents any value. */
  words: readonly string[];
  isBrowser: boolean;
  openedAtMs: number;
  openedByEventId: string;
}

export interface GroupingChangeEvidence {
  kind: 'merged' | 'split';
  atMs: number;
  by: 'person' | 'slot' | 'rules' | 'maps';
  userId: string | null;
  slotId: string | null;
  /** `inc_…` */
  into: string | null;
}
