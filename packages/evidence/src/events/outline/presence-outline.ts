import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { EventType, NormalizedEvent } from '../normalize/event.ts';
import { runtimeShape } from '../normalize/normalize-exception.ts';
import { presentRequest, presentResponse } from './outlined-exchange.ts';
import { filledMap, filledText, isSmall, type OutlineObject } from './outlined-parts.ts';
import { presentBreadcrumbs, presentLogs, presentProbes } from './outlined-trail.ts';

type Value = JsonValue | undefined;

export type OutlinedType = Extract<EventType, 'backend_exception' | 'frontend_exception'>;

/** Which blocks an event fills, whatever is in them. */
export function presenceOutline(
  event_type: OutlinedType,
  raw: JsonObject,
  around: { context: JsonObject; correlation: NormalizedEvent['correlation']; hasOthers: boolean },
): OutlineObject {
  const payload = objectOrEmpty(raw.payload);
  const { runtime, framework } = objectOrEmpty(raw.service);
  const { requestId, traceId, sessionId, userIdHash } = around.correlation;
  const isBackend = event_type === 'backend_exception';
  return {
    event_type,
    service: { runtime: filledText(runtime), framework: filledText(framework) },
    correlation: {
      request_id: requestId === null && traceId === null && sessionId === null ? null : 'x',
      user_id_hash: userIdHash === null ? null : 'x',
    },
    context: presentContext(around.context),
    device: filledMap(raw.device),
    payload: {
      device: filledMap(payload.device),
      request: isBackend ? presentRequest(payload.request) : undefined,
      response: isBackend ? presentResponse(payload.response) : undefined,
      runtime: isBackend ? presentRuntime(payload.runtime) : undefined,
      probe_data: presentProbes(payload.probe_data),
      breadcrumbs: presentBreadcrumbs(payload.breadcrumbs),
      logs: isBackend ? presentLogs(payload.logs) : undefined,
      browser: isBackend ? undefined : payload.browser,
      user_agent: isBackend ? undefined : filledText(payload.user_agent),
      dom_context: isBackend ? undefined : presentExcerpt(payload.dom_context),
      other: around.hasOthers ? 1 : undefined,
    },
  };
}

const COUNTED_OF_CONTEXT: ReadonlySet<string> = new Set([
  'user',
  'environment',
  'git',
  'dependencies',
  'request',
  'response',
]);

function presentContext(context: JsonObject): OutlineObject {
  let hasOthers = false;
  for (const key in context) if (!COUNTED_OF_CONTEXT.has(key)) hasOthers = true;
  return {
    user: filledMap(getOwn(context, 'user')),
    environment: presentEnvironment(getOwn(context, 'environment')),
    git: filledMap(getOwn(context, 'git')),
    dependencies: filledMap(getOwn(context, 'dependencies')),
    request: presentRequest(getOwn(context, 'request')),
    response: presentResponse(getOwn(context, 'response')),
    others: hasOthers ? 1 : undefined,
  };
}

const PLACES = ['os', 'platform', 'host', 'hostname', 'container_id'] as const;

function presentEnvironment(value: Value): Value | OutlineObject {
  if (!isJsonObject(value) || !isSmall(value)) return value;
  const places: OutlineObject = {};
  for (const key of PLACES) places[key] = filledText(getOwn(value, key));
  return places;
}

/** Facts of the process that its table names: the place of it matters, and whether there are any. */
function presentRuntime(value: Value): Value | OutlineObject {
  const runtime = objectOrEmpty(value);
  if (!isSmall(runtime)) return value;
  const { keys } = runtimeShape();
  let hasAny = false;
  for (const key in runtime) if (keys.has(key)) hasAny = true;
  if (!hasAny) return undefined;
  const { platform, hostname } = runtime;
  return { platform: filledText(platform), hostname: filledText(hostname), version: 'x' };
}

function presentExcerpt(value: Value): OutlineObject | undefined {
  const excerpt = getOwn(objectOrEmpty(value), 'html_excerpt');
  return typeof excerpt === 'string' ? { html_excerpt: 'x' } : undefined;
}
