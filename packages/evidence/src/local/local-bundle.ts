import { assembleBundle } from '../bundles/document/assemble-bundle.ts';
import type { BundleDocument } from '../bundles/document/bundle-document.ts';
import { sampleEvidence } from '../bundles/evidence/sample-evidence.ts';
import type { Fingerprint } from '../events/fingerprint/sealed-fingerprint.ts';
import type { NormalizedEvent } from '../events/normalize/event.ts';
import { normalizeEvent } from '../events/normalize/normalize-event.ts';
import { correlationHashes } from '../incidents/judge-event.ts';
import type { EventSource } from './context-index.ts';
import type { LocalLedger } from './count-file.ts';
import { type LocalFile, readLocalFile } from './local-file.ts';
import { LOCAL_PROJECT } from './local-ids.ts';
import { type LocalIncident, localIncidentEvidence } from './local-incident.ts';

/** Nothing answers there: a local incident has no page. */
const LOCAL_LINKS = { baseUrl: 'local:', appUrl: 'local:' };

/** The debug bundle of an incident, from its samples and what happened around them. */
export function localBundle(
  incident: LocalIncident,
  ledger: LocalLedger,
  files: readonly LocalFile[],
  fingerprintOf: (event: NormalizedEvent) => Fingerprint | null,
): BundleDocument | null {
  const { serviceName, environment, serviceId } = incident;
  const deployments = ledger.deployments.of(serviceName, environment);
  const events = readEvents(
    files,
    incident.samples.map(({ sample }) => sample),
  );
  const samples = incident.samples.flatMap(({ sample: { severity, eventId }, roles }) => {
    const event = events.get(eventId);
    return event === undefined
      ? []
      : [sampleEvidence(event, { severity, roles }, fingerprintOf(event), deployments)];
  });
  const primary = samples.find(({ roles }) => roles.includes('highest_severity')) ?? samples[0];
  if (primary === undefined) return null;
  const around = ledger.context.find({
    incidentId: incident.uuid,
    environment,
    serviceId,
    effectiveAtMs: primary.event.effectiveAtMs,
    hashes: correlationHashes(primary.event),
  });
  const context = readEvents(
    files,
    around.map(({ entry }) => entry),
  );
  return assembleBundle({
    incident: localIncidentEvidence(incident),
    project: { slug: LOCAL_PROJECT.slug },
    samples,
    correlated: around.flatMap(({ entry, relation }) => {
      const event = context.get(entry.eventId);
      return event === undefined ? [] : [{ event, relation }];
    }),
    deployments: [...deployments],
    constants: LOCAL_LINKS,
    generationNumber: 1,
  });
}

/** Reads events again, each file once. By id. */
function readEvents(
  files: readonly LocalFile[],
  wanted: readonly { eventId: string; source: EventSource }[],
): Map<string, NormalizedEvent> {
  const byFile = new Map<number, Map<number, string>>();
  for (const { eventId, source } of wanted) {
    const positions = byFile.get(source.file) ?? new Map<number, string>();
    positions.set(source.position, eventId);
    byFile.set(source.file, positions);
  }
  const events = new Map<string, NormalizedEvent>();
  for (const [index, positions] of byFile) {
    const file = files[index];
    if (file === undefined) continue;
    for (const { raw, position } of readLocalFile(file).events) {
      const eventId = positions.get(position);
      if (eventId === undefined) continue;
      events.set(eventId, normalizeEvent(raw, { eventId, receivedAtMs: file.receivedAtMs }));
    }
  }
  return events;
}
