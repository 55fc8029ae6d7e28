import type {
  EventAnswer,
  EventDetail,
  getIncidentEvent as endpoint,
} from '@culprit/contract/incidents/incident-events';
import type { OpenJsonMap } from '@culprit/contract/schemas/open-json';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { stackBlock } from '@culprit/evidence/bundles/document/context-blocks/stack';
import { symbolicationBlock } from '@culprit/evidence/bundles/document/context-blocks/symbolication';
import { redactBody, redactMap } from '@culprit/evidence/bundles/evidence/redact-evidence';
import { sampleEvidence } from '@culprit/evidence/bundles/evidence/sample-evidence';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { fingerprintEvent } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { eventIdKey } from '@culprit/evidence/events/redact/event-id-key';
import { stripUrlSecrets } from '@culprit/evidence/events/redact/strip-url-secrets';
import { createKeptForms } from '../../../maps/lookup/kept-forms.ts';
import { createNameMemory } from '../../../maps/lookup/map-session.ts';
import { mappedFingerprinter } from '../../../maps/lookup/mapped-fingerprinter.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { ObjectMissingError, type ObjectStore } from '../../../platform/objects/object-store.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findGroupingSettings } from '../../../workspace/projects/grouping-settings.queries.ts';
import type { EventLocation } from '../../bundles/evidence/bundle-evidence.queries.ts';
import { decodeBatchObject, decodeRecords, derivedEventId } from '../../stored-events/batch-object.ts';
import { levelOfRank, levelRank } from '../../stored-events/event-codes.ts';
import { DamagedObjectError } from '../../stored-events/raw-record.ts';
import {
  type AttachedEvent,
  type BatchLocation,
  findAttachedEvent,
  findBatchesAt,
  findNeighbours,
} from './logs.queries.ts';

/**
 * One event of an incident with what it says (docs/contract/server-additions.md S7).
 * @throws Problem `event_not_found`, `event_expired`
 */
export async function readEvent(
  runtime: Runtime,
  { access: { projectId, recordId: incidentId }, params: { eventId } }: ApiRequest<typeof endpoint>,
): Promise<EventAnswer> {
  const { database, objects } = runtime;
  const idHash = eventIdKey(eventId);
  const attached = await findAttachedEvent(database, { projectId, incidentId, eventId, idHash });
  if (attached === null) throw new Problem('event_not_found');
  const raw = attached.isContext
    ? await readFromBatches(objects, await findBatchesAt(database, projectId, attached.receivedAtMs), eventId)
    : attached.place && (await readAt(objects, attached.place));
  if (raw === null) throw new Problem('event_expired');
  const { occurredAtMs } = attached;
  const { older, newer } = await findNeighbours(database, incidentId, { occurredAtMs, eventId });
  const normalized = normalizeEvent(raw, { eventId, receivedAtMs: attached.receivedAtMs });
  const mapped = await mappedStack(runtime, projectId, normalized);
  const event = { ...detailOf(raw, normalized, attached), ...mapped };
  return { event, older_event_id: older, newer_event_id: newer };
}

function detailOf(raw: JsonObject, event: NormalizedEvent, attached: AttachedEvent): EventDetail {
  const { receivedAtMs, isSampled } = attached;
  const { traceId, requestId, sessionId } = event.correlation;
  return {
    event_id: event.eventId,
    event_type: event.eventType,
    occurred_at: formatTimestamp(attached.occurredAtMs),
    received_at: formatTimestamp(receivedAtMs),
    is_sampled: isSampled,
    service: event.service.name,
    environment: event.service.environment,
    sdk: { name: event.sdk.name, version: event.sdk.version },
    correlation: { trace_id: traceId, request_id: requestId, session_id: sessionId },
    level: levelOfRank(attached.level ?? signalLevel(event)),
    payload: isJsonObject(raw.payload) ? shown(raw.payload) : {},
    context: shown(event.context),
  };
}

/** The stack as source maps know it, as in a bundle; nothing where the project has none. */
async function mappedStack(
  { database, objects, maps }: Runtime,
  projectId: string,
  event: NormalizedEvent,
): Promise<Pick<EventDetail, 'stack' | 'symbolication'>> {
  const settings = await findGroupingSettings(database, projectId);
  if (!maps.isOn || settings.mapsVersion === 0) return {};
  const memory = { forms: createKeptForms(objects), names: createNameMemory() };
  const raw = (each: NormalizedEvent) => fingerprintEvent(each, settings.stackRules);
  const fingerprintOf = await mappedFingerprinter({ database, memory, projectId, settings, raw }, [event]);
  const sample = sampleEvidence(event, { severity: 'low', roles: [] }, fingerprintOf(event), []);
  const [stack, symbolication] = [stackBlock(sample), symbolicationBlock(sample)];
  if (stack === null || symbolication === null) return {};
  return { stack, symbolication };
}

/** A signal that says no level itself is an error (docs/contract/incidents.md 2.6). */
function signalLevel({ payload }: NormalizedEvent): number {
  return levelRank(payload.kind === 'log' ? payload.level : 'error');
}

/** Returns a map in the form of a bundle: without secrets, and addresses without user-info, query and fragment. */
function shown(map: JsonObject): OpenJsonMap {
  const redacted = redactMap(map);
  return Object.fromEntries(Object.entries(redacted).map(([key, value]) => [key, shownValue(key, value)]));
}

function shownValue(key: string, value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    return stripUrlSecrets(key.toLowerCase().endsWith('body') ? String(redactBody(value)) : value);
  }
  if (Array.isArray(value)) return value.map((item) => shownValue(key, item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shownValue(name, member)]));
}

/** The stored event at a place; null when it is gone or damaged. */
async function readAt(objects: ObjectStore, place: EventLocation): Promise<JsonObject | null> {
  return await orGone(async () => {
    const frame = await objects.getRange(place.objectKey, place.frameOffset, place.frameLength);
    const [record] = await decodeRecords(frame, [place.recordOffset]);
    return record === undefined ? null : parsed(record.eventBytes);
  });
}

/** The stored event of an id in one of some batches. */
async function readFromBatches(
  objects: ObjectStore,
  batches: readonly BatchLocation[],
  eventId: string,
): Promise<JsonObject | null> {
  for (const batch of batches) {
    const found = await orGone(async () => {
      const bytes = await objects.getRange(batch.objectKey, batch.offset, batch.sizeBytes);
      for (const record of (await decodeBatchObject(bytes)).records) {
        const raw = parsed(record.eventBytes);
        const id =
          typeof raw?.event_id === 'string' ? raw.event_id : derivedEventId(batch.batchId, record.position);
        if (id === eventId) return raw;
      }
      return null;
    });
    if (found !== null) return found;
  }
  return null;
}

function parsed(bytes: Buffer): JsonObject | null {
  const raw: unknown = JSON.parse(bytes.toString('utf8'));
  return isJsonObject(raw) ? raw : null;
}

async function orGone(read: () => Promise<JsonObject | null>): Promise<JsonObject | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ObjectMissingError || error instanceof DamagedObjectError) return null;
    throw error;
  }
}
