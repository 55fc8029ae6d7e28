import { REDACTED } from '@culprit/contract/events/secret-keys';
import { isTagKey } from '@culprit/contract/search/query-keys';
import { cleanText } from '../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../events/envelope/json.ts';
import { getOwn } from '../events/envelope/own-property.ts';
import { objectOrEmpty } from '../events/envelope/read-json.ts';
import { requestRoute } from '../events/fingerprint/route-template.ts';
import type { NormalizedEvent } from '../events/normalize/event.ts';
import { redactText } from '../events/redact/redact-values.ts';
import { holdsSecret } from '../events/redact/secret-members.ts';
import { stripUrlSecrets } from '../events/redact/strip-url-secrets.ts';
import { BROWSER_SOURCE, signalSource } from './source-trust.ts';

/** Tags of an event (docs/contract/team-workflow.md 1.3). */

/** Own tags of an event that are read. */
const OWN_TAGS_MAX = 50;
const TAG_VALUE_CHARS_MAX = 200;
/** The length in which a value is searched for secrets, so that none is cut in half and missed. */
const SEARCHED_CHARS = 1_024;

/** The tag that every counted event has, so that its counts are those of all events. */
export const EVERY_EVENT_TAG = 'trust';

/** Keys whose values are words of every other incident, so that they are no words of its document. */
export const COMMON_VALUES: ReadonlySet<string> = new Set(['trust', 'level', 'handled']);

export interface EventTags {
  /** A key and its value in turn, each key once. */
  tags: readonly string[];
  /** Own tags that are none, or too many. */
  left: number;
}

/** The tags of an event: what its other parts say, then its own. */
export function eventTags(raw: JsonObject, event: NormalizedEvent, isOriginBound: boolean): EventTags {
  return withOwnTags(derivedTags(raw, event, isOriginBound), raw);
}

/** Adds the own tags of an event to those that its other parts say. */
export function withOwnTags(derived: readonly string[], raw: JsonObject): EventTags {
  const inner = objectOrEmpty(objectOrEmpty(raw.payload).context);
  const own = getOwn(objectOrEmpty(raw.context), 'tags') ?? getOwn(inner, 'tags');
  if (!isJsonObject(own)) return { tags: derived, left: 0 };
  const tags = [...derived];
  const left = addOwn(tags, own);
  return { tags, left };
}

/** The tags that the parts of an event say besides its own ones. */
function derivedTags(raw: JsonObject, event: NormalizedEvent, isOriginBound: boolean): readonly string[] {
  const tags: string[] = [];
  const add = (key: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined && value !== '') tags.push(key, safeValue(value));
  };
  const context = objectOrEmpty(raw.context);
  const payload = objectOrEmpty(raw.payload);
  const inner = objectOrEmpty(payload.context);
  add('trust', signalSource(event.eventType, isOriginBound) === BROWSER_SOURCE ? 'browser' : 'server');
  add('environment', event.service.environment);
  add('release', textOf(getOwn(context, 'release') ?? getOwn(inner, 'release')));
  const runtime = objectOrEmpty(payload.runtime);
  add('runtime', event.service.runtime ?? textOf(runtime.name));
  add('host', textOf(runtime.hostname) ?? textOf(objectOrEmpty(event.context.environment).host));
  addDevice(add, event.device);
  addPayload(add, event, context);
  return tags;
}

type Add = (key: string, value: string | null | undefined) => void;

function addDevice(add: Add, device: NormalizedEvent['device']): void {
  if (device === null) return;
  const { browser, os, deviceType } = device;
  if (browser !== null) {
    add('browser', browser.name);
    const major = majorOf(browser.version);
    if (major !== null) add('browser.major', `${browser.name} ${major}`);
  }
  if (os !== null && os.name !== null) {
    const major = majorOf(os.version);
    add('os', major === null ? os.name : `${os.name} ${major}`);
  }
  if (deviceType !== 'unknown') add('device', deviceType);
}

function addPayload(add: Add, { payload }: NormalizedEvent, context: JsonObject): void {
  switch (payload.kind) {
    case 'exception': {
      const { request, response, browserEvent } = payload;
      add('route', (request === null ? null : requestRoute(request)) ?? payload.route);
      if (response !== null && response.statusCode !== null) add('http.status', String(response.statusCode));
      add(
        'url.host',
        hostOf(browserEvent?.page?.url ?? textOf(context.url) ?? request?.url ?? request?.path),
      );
      add('handled', String(payload.handled));
      break;
    }
    case 'request':
      add('route', requestRoute(payload.request));
      if (payload.response.statusCode > 0) add('http.status', String(payload.response.statusCode));
      add('url.host', hostOf(payload.request.url ?? payload.request.path));
      break;
    case 'log':
      add('level', payload.level);
      break;
  }
}

/** Adds the application's own tags; a key that was derived keeps its value. */
function addOwn(tags: string[], own: JsonObject): number {
  const derived = tags.length;
  let left = 0;
  let read = 0;
  for (const key in own) {
    const value = own[key];
    const tag = read < OWN_TAGS_MAX && value !== undefined ? ownTag(key, value) : null;
    if (tag === null) {
      if (value !== null && value !== '') left += 1;
      continue;
    }
    read += 1;
    if (!hasKey(tags, key, derived)) tags.push(key, tag);
  }
  return left;
}

function hasKey(tags: readonly string[], key: string, end: number): boolean {
  for (let n = 0; n < end; n += 2) if (tags[n] === key) return true;
  return false;
}

/** Applications send the same tags with every event, and looking for secrets takes longer than to remember them. */
const VALUES_REMEMBERED_MAX = 4_000;
const ownTags = new Map<string, Map<string, string>>();
let ownTagsRemembered = 0;

/** The value that an own tag is counted with; null if it is none. */
function ownTag(key: string, value: JsonValue): string | null {
  if (typeof value !== 'string') {
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
    return text !== '' && isTagKey(key) ? safeTag(key, value, text) : null;
  }
  const known = ownTags.get(key)?.get(value);
  if (known !== undefined) return known;
  if (value === '' || !isTagKey(key)) return null;
  const safe = safeTag(key, value, value);
  if (value.length <= TAG_VALUE_CHARS_MAX) rememberTag(key, value, safe);
  return safe;
}

function safeTag(key: string, value: JsonValue, text: string): string {
  return holdsSecret(key, value) ? REDACTED : cleanedValue(text);
}

function rememberTag(key: string, value: string, safe: string): void {
  if (ownTagsRemembered >= VALUES_REMEMBERED_MAX) {
    ownTags.clear();
    ownTagsRemembered = 0;
  }
  const values = ownTags.get(key) ?? new Map<string, string>();
  ownTags.set(key, values.set(value, safe));
  ownTagsRemembered += 1;
}

const remembered = new Map<string, string>();

function safeValue(text: string): string {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const safe = cleanedValue(text);
  if (text.length > TAG_VALUE_CHARS_MAX) return safe;
  if (remembered.size >= VALUES_REMEMBERED_MAX) remembered.clear();
  remembered.set(text, safe);
  return safe;
}

function cleanedValue(text: string): string {
  return cleanText(redactText(stripUrlSecrets(text.slice(0, SEARCHED_CHARS))), TAG_VALUE_CHARS_MAX);
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null;
}

function majorOf(version: string | null): string | null {
  return version === null ? null : (/^\d{1,6}/.exec(version)?.[0] ?? null);
}

const HOST = /^[a-z][a-z0-9+.-]{0,20}:\/\/(?:[^/?#@]{0,200}@)?([^/?#:@\s]{1,200})/i;

function hostOf(address: string | null | undefined): string | null {
  if (address === null || address === undefined || !address.includes('://')) return null;
  return HOST.exec(address)?.[1]?.toLowerCase() ?? null;
}
