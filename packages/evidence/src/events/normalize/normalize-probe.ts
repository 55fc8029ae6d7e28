import { boundedMap } from '../envelope/bounded-json.ts';
import { parseIsoTime } from '../envelope/iso-time.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { listOrEmpty, objectOrEmpty } from '../envelope/read-json.ts';
import { safeTextOrNull } from '../envelope/safe-text.ts';
import type { ProbeItem, ProbePayload } from './event.ts';
import type { SenderClock } from './sender-clock.ts';

const PROBE_ITEMS_MAX = 500;
const LABEL_CHARS_MAX = 400;

/** A standalone `probe_event` (docs/contract/ingestion.md 2.8). */
export function normalizeProbeEvent(payload: JsonObject): ProbePayload {
  const label = safeTextOrNull(payload.label, LABEL_CHARS_MAX) ?? '';
  return {
    kind: 'probe',
    label,
    data: probeData(payload.data),
    activationId: activationId(payload.activation_id),
    labelPattern: safeTextOrNull(payload.probe_label_pattern, LABEL_CHARS_MAX) ?? label,
  };
}

/** The ring buffer that rides on an exception (2.8.1). Of too many items the newest, which are the last, stay. */
export function normalizeProbeData(value: JsonValue | undefined, clock: SenderClock): ProbeItem[] {
  const items = listOrEmpty(getOwn(objectOrEmpty(value), 'items'));
  return items.slice(-PROBE_ITEMS_MAX).map((each) => {
    const item = objectOrEmpty(each);
    const time = getOwn(item, 'timestamp') ?? getOwn(item, 'occurred_at');
    const writtenMs = typeof time === 'string' ? parseIsoTime(time) : null;
    return {
      label: safeTextOrNull(getOwn(item, 'label'), LABEL_CHARS_MAX) ?? '',
      data: probeData(getOwn(item, 'data')),
      timestampMs: writtenMs === null ? clock.effectiveAtMs : clock.at(writtenMs),
      activationId: activationId(getOwn(item, 'activation_id')),
    };
  });
}

/** Probe callbacks may return a scalar; it is wrapped. */
function probeData(value: JsonValue | undefined): JsonObject {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  return boundedMap(isJsonObject(value) ? value : { value });
}

/** Both forms are sent, one is kept (docs/contract/ingestion.md 6.5). */
function activationId(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string') return null;
  const id = value.toLowerCase();
  return id.startsWith('act_') ? id : `act_${id}`;
}
