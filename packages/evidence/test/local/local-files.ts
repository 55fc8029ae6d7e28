import type { JsonObject } from '../../src/events/envelope/json.ts';
import type { LocalFile } from '../../src/local/local-file.ts';
import { type LocalIncidents, localPolicy, readLocalIncidents } from '../../src/local/local-incidents.ts';

/** When the first file of a test was written: soon after the fixture events. */
export const START_MS = Date.parse('2026-03-24T10:30:01.000Z');

/** A file of events, as a library names and writes it. */
export function localFile(events: readonly JsonObject[], receivedAtMs = START_MS, sequence = 1): LocalFile {
  return {
    name: `${receivedAtMs}-${String(sequence).padStart(4, '0')}-api-server.events.json`,
    receivedAtMs,
    format: 'array',
    bytes: Buffer.from(JSON.stringify(events)),
  };
}

export function readFiles(
  files: readonly LocalFile[],
  resolved: Record<string, number> = {},
): LocalIncidents {
  return readLocalIncidents(files, {
    policy: localPolicy('balanced'),
    resolvedAtMs: new Map(Object.entries(resolved)),
  });
}
