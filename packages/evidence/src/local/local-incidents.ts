import type { Incident } from '@culprit/contract/incidents/incidents';
import type { BundleDocument } from '../bundles/document/bundle-document.ts';
import {
  type CapturePreset,
  type ResolvedCapturePolicy,
  resolveCapturePolicy,
} from '../capture/capture-policy.ts';
import { createFingerprinter, createGroupingKeyMaker } from '../events/fingerprint/memoized-fingerprint.ts';
import { acceptEvents } from './accept-events.ts';
import { createReportIndex } from './attribute-reports.ts';
import { createContextIndex } from './context-index.ts';
import { countFile, type LocalLedger, settleResolutions } from './count-file.ts';
import { localBundle } from './local-bundle.ts';
import { createLocalDeployments } from './local-deployments.ts';
import { compareFiles, type LocalFile, readLocalFile } from './local-file.ts';
import { createServiceIds } from './local-ids.ts';
import { localRecord } from './local-incident.ts';

interface LocalIncidentsOptions {
  policy: ResolvedCapturePolicy;
  /** The times when incidents were resolved by hand, by `inc_…`; milliseconds since the epoch. */
  resolvedAtMs: ReadonlyMap<string, number>;
}

/** The incidents of some files of events. */
export interface LocalIncidents {
  /** Latest activity first, as the API lists them. */
  incidents: readonly Incident[];
  /** The debug bundle of an incident; null where there is no such incident. */
  bundle(incidentId: string): BundleDocument | null;
  /** Files of which nothing could be used. */
  unusable: readonly { file: string; why: string }[];
  /** The outcomes of the events. */
  counts: LocalCounts;
}

interface LocalCounts {
  submitted: number;
  processed: number;
  duplicate: number;
  refusedByPolicy: number;
  invalid: number;
}

/** Distinct events whose fingerprint is remembered. */
const FINGERPRINTS_MAX = 2000;

/** Returns the policy under which local files are judged: nothing limits what a machine shows of itself. */
export function localPolicy(preset: CapturePreset): ResolvedCapturePolicy {
  return resolveCapturePolicy({ preset, overrides: {}, plan: 'team' });
}

/**
 * Plays the service in memory: every file is a batch that was received at the time of its name. Groups, counts and
 * judges by the code of the server, so that the bundles are those that it would make (docs/contract/clients.md 11.5).
 * Equal files give equal results, in whatever order they are given.
 */
export function readLocalIncidents(
  files: readonly LocalFile[],
  options: LocalIncidentsOptions,
): LocalIncidents {
  const inOrder = [...files].sort(compareFiles);
  const fingerprintOf = createFingerprinter({ entriesMax: FINGERPRINTS_MAX });
  const keyOf = createGroupingKeyMaker({ entriesMax: FINGERPRINTS_MAX });
  const serviceIdOf = createServiceIds();
  const ledger: LocalLedger = {
    incidents: new Map(),
    deployments: createLocalDeployments(),
    context: createContextIndex(),
    reports: createReportIndex(),
    resolvedAtMs: options.resolvedAtMs,
  };
  const unusable: { file: string; why: string }[] = [];
  const counts: LocalCounts = { submitted: 0, processed: 0, duplicate: 0, refusedByPolicy: 0, invalid: 0 };
  const knownIds = new Set<bigint>();

  inOrder.forEach((file, index) => {
    const content = readLocalFile(file);
    if (content.fault !== null) unusable.push({ file: file.name, why: content.fault });
    counts.submitted += content.events.length + content.refused.length;
    counts.invalid += content.refused.length;
    const accepted = acceptEvents(file, content.events, options.policy, { keyOf, serviceIdOf });
    counts.refusedByPolicy += content.events.length - accepted.length;
    const fresh = accepted.filter(({ judged: { idHash } }) => {
      if (idHash === null || !knownIds.has(idHash)) {
        if (idHash !== null) knownIds.add(idHash);
        return true;
      }
      counts.duplicate += 1;
      return false;
    });
    counts.processed += fresh.length;
    countFile(ledger, fresh, index);
  });

  settleResolutions(ledger);

  const incidents = [...ledger.incidents.values()].map((incident) => ({
    incident,
    record: localRecord(incident, ledger.deployments.of(incident.serviceName, incident.environment)),
  }));
  incidents.sort(
    (a, b) =>
      b.incident.state.lastSeenAtMs - a.incident.state.lastSeenAtMs ||
      (a.incident.uuid < b.incident.uuid ? 1 : -1),
  );
  return {
    incidents: incidents.map(({ record }) => record),
    bundle(incidentId) {
      const found = incidents.find(({ record }) => record.incident_id === incidentId);
      return found === undefined ? null : localBundle(found.incident, ledger, inOrder, fingerprintOf);
    },
    unusable,
    counts,
  };
}
