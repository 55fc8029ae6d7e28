import type { JsonObject } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { EventType } from '../normalize/event.ts';
import type { AddressedRequests } from './outlined-exchange.ts';
import { isSmall, type OutlineObject, pageOf, picked } from './outlined-parts.ts';

const TEXTS = [
  'name',
  'error_class',
  'error',
  'message',
  'stack',
  'stacktrace',
  'exceptions',
  'threads',
  'causes',
  'inner_exception',
  'rejection_reason',
  'debug_ids',
  'level',
  'route',
] as const;

/** The parts that the grouping key and the severity come from. */
export function codeOutline(
  event_type: EventType,
  raw: JsonObject,
  { context, requests, payload }: { context: JsonObject; requests: AddressedRequests; payload: JsonObject },
): OutlineObject {
  const { runtime, browser_event } = payload;
  return {
    event_type,
    service: { runtime: objectOrEmpty(raw.service).runtime },
    sdk_language: raw.sdk_language,
    context: {
      severity: getOwn(context, 'severity'),
      causes: getOwn(context, 'causes'),
      request: requests.inContext,
    },
    payload: {
      ...picked(payload, TEXTS),
      request: requests.inPayload,
      runtime: isSmall(objectOrEmpty(runtime)) ? { cwd: getOwn(objectOrEmpty(runtime), 'cwd') } : runtime,
      browser_event: pageOf(browser_event),
    },
  };
}
