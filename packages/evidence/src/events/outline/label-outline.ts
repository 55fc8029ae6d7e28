import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { EventType } from '../normalize/event.ts';
import type { AddressedRequests } from './outlined-exchange.ts';
import { hostOnly, isSmall, type OutlineObject, outlinedDevice, pageOf } from './outlined-parts.ts';

/** The parts that service, library, release, loss and tags of an event come from, except its own tags. */
export function labelOutline(
  event_type: EventType,
  raw: JsonObject,
  { context, requests }: { context: JsonObject; requests: AddressedRequests },
): OutlineObject {
  const { service, sdk, sdk_name, sdk_version, sdk_language } = raw;
  const payload = objectOrEmpty(raw.payload);
  const { runtime, handled, route, browser, user_agent, browser_event, url } = payload;
  const isBackend = event_type === 'backend_exception';
  return {
    event_type,
    ...{ service, sdk, sdk_name, sdk_version, sdk_language },
    device: outlinedDevice(raw.device),
    context: {
      capture_loss: getOwn(context, 'capture_loss'),
      environment: hostIn(getOwn(context, 'environment')),
      release: getOwn(objectOrEmpty(raw.context), 'release'),
      url: hostOnly(getOwn(objectOrEmpty(raw.context), 'url')),
      request: requests.inContext,
      response: statusOf(getOwn(context, 'response')),
    },
    payload: {
      context: { release: getOwn(objectOrEmpty(payload.context), 'release') },
      device: outlinedDevice(payload.device),
      runtime: {
        name: getOwn(objectOrEmpty(runtime), 'name'),
        hostname: getOwn(objectOrEmpty(runtime), 'hostname'),
      },
      request: requests.inPayload,
      response: isBackend ? statusOf(payload.response) : undefined,
      browser_event: pageOf(browser_event),
      url: hostOnly(url),
      ...{ handled, route, browser, user_agent },
    },
  };
}

/** An environment near the bounds of a map may lose its host. */
function hostIn(environment: JsonValue | undefined): JsonValue | OutlineObject | undefined {
  const given = objectOrEmpty(environment);
  return isSmall(given) ? { host: getOwn(given, 'host') } : environment;
}

/** A response with the status alone; any keeps the one in the context from being read. */
function statusOf(response: JsonValue | undefined): OutlineObject | undefined {
  const given = objectOrEmpty(response);
  for (const _ in given) return { status_code: getOwn(given, 'status_code') ?? null };
  return undefined;
}
