import { cleanText } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { countOrNull, objectOrEmpty } from '../../events/envelope/read-json.ts';
import { levelOfWord } from '../level-word.ts';
import { trailOf } from './event-breadcrumbs.ts';
import { contextOf } from './event-context.ts';
import { browserOf, deviceOf } from './event-device.ts';
import { exceptionsOf, type MappedExceptions, writtenExceptions } from './event-exceptions.ts';
import { type EventHead, eventHead, wireEvent } from './event-head.ts';
import { addressOf, requestOf } from './event-request.ts';
import { captureStack, sentryPart } from './kept-apart.ts';
import { messageText, saidText } from './message-text.ts';
import { openBudget, openMap } from './open-values.ts';
import { NATIVE_DUMP, type SentrySource } from './sentry-source.ts';
import { knownRuntime, platformOf } from './service-facts.ts';
import { countOf, filled, textOf } from './written-values.ts';

/** An error or a message as an event of ours (docs/contract/foreign-protocols.md 5). */
export function mapEvent(event: JsonObject, source: SentrySource): { event: JsonObject; head: EventHead } {
  const head = eventHead(event, source);
  const exceptions = isMessage(event) ? null : (exceptionsOf(event) ?? dumpedCrash(event, source));
  const mapped =
    exceptions === null
      ? messageEvent(event, source, head)
      : isOnDevice(event)
        ? deviceException(event, source, { head, exceptions })
        : serverException(event, source, { head, exceptions });
  return { event: mapped, head };
}

/** JavaScript 11 sends messages as exceptions that name no type. */
function isMessage(event: JsonObject): boolean {
  const written = writtenExceptions(event);
  if (written.length === 0) return false;
  return written.every(
    (each) => textOf(each.type, 64) === null && objectOrEmpty(each.mechanism).synthetic === true,
  );
}

/**
 * A crash of native code, of which the event says nothing: all of it is in the dump beside the event, which is not read.
 */
function dumpedCrash(event: JsonObject, source: SentrySource): MappedExceptions | null {
  if (saidText(event) !== null) return null;
  const isDumped = source.droppedItems.some((item) => item.startsWith(NATIVE_DUMP));
  if (!isDumped && !(event.level === 'fatal' && platformOf(event) === 'native')) return null;
  const message = 'Native code crashed. The dump of the crash is not read.';
  return { name: 'Crash', message, isHandled: false, exceptions: [], threads: [], stack: null };
}

const DEVICE_SYSTEMS = /^(?:android|ios|ipados|tvos|watchos|visionos)\b/i;
const DEVICE_PLATFORMS: ReadonlySet<string> = new Set([
  'cocoa',
  'java',
  'dart',
  'native',
  'csharp',
  'javascript',
]);
/** Libraries that run nowhere but with people. */
const DEVICE_LIBRARIES =
  /\b(?:android|cocoa|flutter|react-native|electron|capacitor|cordova|maui|xamarin|unity|unreal|godot|nativescript)\b/i;

/** In a page or an app, on the device of a person (docs/contract/foreign-protocols.md 5.2). */
function isOnDevice(event: JsonObject): boolean {
  const contexts = objectOrEmpty(event.contexts);
  const platform = platformOf(event);
  if (platform === 'javascript' && (!isJsonObject(contexts.runtime) || isJsonObject(contexts.browser)))
    return true;
  if (DEVICE_SYSTEMS.test(textOf(objectOrEmpty(contexts.os).name, 64) ?? '')) return true;
  if (DEVICE_LIBRARIES.test(textOf(objectOrEmpty(event.sdk).name, 200) ?? '')) return true;
  return DEVICE_PLATFORMS.has(platform) && textOf(objectOrEmpty(contexts.device).model, 200) !== null;
}

interface Found {
  head: EventHead;
  exceptions: MappedExceptions;
}

function serverException(event: JsonObject, source: SentrySource, { head, exceptions }: Found): JsonObject {
  const budget = openBudget();
  const trail = trailOf(event, source, { isBrowser: false, budget });
  const said = saidBeside(event, exceptions);
  if (said !== null) {
    const logger = textOf(event.logger, 200);
    trail.logs.push(filled({ level: levelOf(event.level, 'error'), message: said, logger, ts: head.atMs }));
  }
  const payload = filled({
    ...exceptionParts(event, exceptions),
    request: requestOf(event, budget),
    response: responseOf(event, budget),
    runtime: runtimeOf(event),
    logs: trail.logs.length > 0 ? trail.logs.slice(-LINES_MAX) : null,
    breadcrumbs: trail.breadcrumbs.length > 0 ? trail.breadcrumbs : null,
  });
  const context = contextOf(event, source, { budget, sentry: sentryPart(event, source) });
  return wireEvent('backend_exception', head, {
    event,
    source,
    context: withFatal(context, event, exceptions),
    payload,
  });
}

const LINES_MAX = 100;

/** Returns the logger's message that accompanies the exception; null if it is the exception itself. */
function saidBeside(event: JsonObject, { name, message }: MappedExceptions): string | null {
  const said = saidText(event)?.trim() ?? null;
  const bare = said?.replace(/^Uncaught /, '');
  return bare === message.trim() || bare === `${name}: ${message}`.trim() ? null : said;
}

function deviceException(event: JsonObject, source: SentrySource, { head, exceptions }: Found): JsonObject {
  const budget = openBudget();
  const { breadcrumbs } = trailOf(event, source, { isBrowser: true, budget });
  const said = saidBeside(event, exceptions);
  if (said !== null) {
    const data = { level: levelOf(event.level, 'error'), message: said };
    breadcrumbs.push({ breadcrumb_type: 'console_log', data, ts: head.atMs });
  }
  const call = failedCall(event);
  if (call !== null) breadcrumbs.push({ breadcrumb_type: 'network_request', data: call, ts: head.atMs });
  const url = call === null ? textOf(objectOrEmpty(event.request).url, 4_096) : null;
  const payload = filled({
    ...exceptionParts(event, exceptions),
    route: addressOf(url).path,
    url,
    browser: browserOf(event),
    breadcrumbs: breadcrumbs.length > 0 ? breadcrumbs.slice(-LINES_MAX) : null,
    device: deviceOf(event, source),
    rejection_reason: rejectionReason(exceptions),
  });
  const context = contextOf(event, source, { budget, sentry: sentryPart(event, source) });
  return wireEvent('frontend_exception', head, {
    event,
    source,
    context: withFatal(context, event, exceptions),
    payload,
  });
}

/** A call of the program that was answered with an error, of which apps and pages make events: its request is no page. */
function failedCall(event: JsonObject): JsonObject | null {
  const request = objectOrEmpty(event.request);
  const { status_code: status } = objectOrEmpty(objectOrEmpty(event.contexts).response);
  if (countOf(status) === null || textOf(request.url, 4_096) === null) return null;
  return filled({
    url: textOf(request.url, 4_096),
    method: textOf(request.method, 32),
    status_code: countOf(status),
  });
}

function exceptionParts(event: JsonObject, found: MappedExceptions): JsonObject {
  return filled({
    name: found.name,
    message: found.message,
    handled: found.isHandled,
    level: event.level === undefined || event.level === null ? null : levelOf(event.level, 'error'),
    exceptions: found.stack === null ? found.exceptions : null,
    stack: found.stack,
    threads: found.threads.length > 0 ? found.threads : null,
    debug_ids: debugIds(event),
  });
}

/** A word of ours for the level of an event; older libraries send the number of Python's loggers. */
function levelOf(sent: JsonValue | undefined, otherwise: string): string {
  const value = typeof sent === 'string' && /^\d{1,2}$/.test(sent) ? Number(sent) : sent;
  if (typeof value === 'string') return levelOfWord(value) ?? otherwise;
  if (typeof value !== 'number') return otherwise;
  if (value < 10) return otherwise;
  return LOGGER_LEVELS[Math.min(Math.floor(value / 10), LOGGER_LEVELS.length) - 1] ?? otherwise;
}

const LOGGER_LEVELS = ['debug', 'info', 'warning', 'error', 'fatal'];

/** The program died of it. */
function withFatal(context: JsonObject, event: JsonObject, { isHandled }: MappedExceptions): JsonObject {
  if (event.level === 'fatal' && !isHandled) context.fatal = true;
  return context;
}

function responseOf(event: JsonObject, budget: ReturnType<typeof openBudget>): JsonObject | null {
  const response = objectOrEmpty(objectOrEmpty(event.contexts).response);
  const status = countOf(response.status_code);
  const headers = openMap(response.headers, budget);
  return status === null && headers === undefined ? null : filled({ status_code: status, headers });
}

function runtimeOf(event: JsonObject): JsonObject | null {
  const { runtime, device, app } = objectOrEmpty(event.contexts);
  const { name, version } = objectOrEmpty(runtime);
  const rss = countOrNull(objectOrEmpty(app).app_memory);
  const named = textOf(name, 200);
  const mapped = filled({
    // Debian calls it `ruby3.1`; the version is a separate field.
    name: named !== null && /\d/.test(named) ? (knownRuntime(named) ?? named) : named,
    version: textOf(version, 200),
    hostname: textOf(event.server_name, 200),
    arch: textOf(objectOrEmpty(device).arch, 64),
    memory: rss === null ? null : { rss },
  });
  return Object.keys(mapped).length === 0 ? null : mapped;
}

const REJECTED_WITH = 'captured with value: ';

/** A promise of a page that was rejected with something that is no error. */
function rejectionReason({ name, message }: MappedExceptions): JsonObject | null {
  if (name !== 'UnhandledRejection') return null;
  const at = message.indexOf(REJECTED_WITH);
  return at === -1
    ? null
    : { kind: 'string', preview: cleanText(message.slice(at + REJECTED_WITH.length), 2_048) };
}

const IMAGES_SEARCHED_MAX = 1_000;
const DEBUG_IDS_MAX = 20;

function debugIds(event: JsonObject): JsonObject | null {
  const { images } = objectOrEmpty(event.debug_meta);
  const ids: JsonObject = {};
  let count = 0;
  for (const image of Array.isArray(images) ? images.slice(0, IMAGES_SEARCHED_MAX) : []) {
    if (!isJsonObject(image) || image.type !== 'sourcemap') continue;
    const [file, id] = [textOf(image.code_file, 1_024), textOf(image.debug_id, 64)];
    if (file === null || id === null) continue;
    setOwn(ids, file, id);
    count += 1;
    if (count === DEBUG_IDS_MAX) break;
  }
  return count === 0 ? null : ids;
}

const TRAIL_OF_MESSAGE_MAX = 20;

/** A message that the program reported itself. */
function messageEvent(event: JsonObject, source: SentrySource, head: EventHead): JsonObject {
  const budget = openBudget();
  const { logs, breadcrumbs } = trailOf(event, source, { isBrowser: false, budget });
  const stack = captureStack(event);
  return wireEvent('log_event', head, {
    event,
    source,
    context: contextOf(event, source, {
      budget,
      sentry: filled({ ...sentryPart(event, source), capture_stack: stack }),
    }),
    payload: filled({
      message: messageText(event),
      level: levelOf(event.level, 'info'),
      captured: true,
      logger: textOf(event.logger, 200),
      request: requestOf(event, budget),
      logs: logs.length > 0 ? logs.slice(-TRAIL_OF_MESSAGE_MAX) : null,
      breadcrumbs: breadcrumbs.length > 0 ? breadcrumbs.slice(-TRAIL_OF_MESSAGE_MAX) : null,
      device: isOnDevice(event) ? deviceOf(event, source) : null,
    }),
  });
}
