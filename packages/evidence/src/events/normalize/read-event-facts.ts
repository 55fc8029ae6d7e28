import { cleanText } from '../envelope/clean-text.ts';
import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { EventType } from './event.ts';
import type { EventFacts } from './event-facts.ts';
import { lineLevel } from './log-level.ts';

/** The facts of an event whose shape was found valid. */
export function readEventFacts(event: JsonObject): EventFacts {
  const { event_id: eventId, project_token: projectToken } = event;
  const service = objectOrEmpty(event.service);
  const eventType = event.event_type as EventType;
  const payload = objectOrEmpty(event.payload);
  return {
    eventType,
    dialect: event.schema_version !== undefined || event.sdk_name !== undefined ? 'wire' : 'seed',
    eventId: typeof eventId === 'string' ? eventId : null,
    serviceName: trimmed(service.name),
    environment: trimmed(service.environment),
    logRank: eventType === 'log_event' ? lineLevel(payload).rank : null,
    isCaptured: eventType === 'log_event' && payload.captured === true,
    request: eventType === 'request_event' ? requestFacts(payload) : null,
    projectToken: typeof projectToken === 'string' ? projectToken : null,
  };
}

function trimmed(value: JsonValue | undefined): string {
  return typeof value === 'string' ? cleanText(value.trim(), 400) : '';
}

function requestFacts(payload: JsonObject): EventFacts['request'] {
  const status = payload.response_status ?? payload.status_code;
  const path = payload.path ?? payload.url;
  return {
    method: typeof payload.method === 'string' ? payload.method.toUpperCase() : '',
    path: typeof path === 'string' ? path : '',
    status: typeof status === 'number' ? status : 0,
  };
}
