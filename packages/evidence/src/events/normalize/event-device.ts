import { boundedMap } from '../envelope/bounded-json.ts';
import { readyEnvelope } from '../envelope/event-shapes.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { booleanOrNull, filledObjectOrNull, numberOrNull, objectOrEmpty } from '../envelope/read-json.ts';
import { safeTextOrNull, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import type { Device } from './event.ts';
import { collectUnnamed } from './unnamed-keys.ts';
import { readUserAgent } from './user-agent.ts';

/**
 * Returns the device block of an event (docs/contract/ingestion.md 2.9), flat mobile keys mapped into the structured
 * ones.
 * @param raw the payload's device, else the envelope's
 * @param fallbacks facts of a browser event that are outside its device block
 * Browser, system and type that the client does not name are read from its user agent.
 * @returns null when nothing is known of the device
 */
export function normalizeDevice(
  raw: JsonValue | undefined,
  fallbacks: { browser: Device['browser']; userAgent: string | null },
): Device | null {
  const device = filledObjectOrNull(raw);
  if (device === null && fallbacks.userAgent === null) return null;
  const source = device ?? {};
  const userAgent = text(source, 'user_agent') ?? fallbacks.userAgent;
  const told = userAgent === null ? null : readUserAgent(userAgent);
  return {
    userAgent,
    browser: fallbacks.browser ?? browser(source) ?? told?.browser ?? null,
    os: operatingSystem(source) ?? told?.os ?? null,
    deviceType: deviceType(source) ?? told?.deviceType ?? 'unknown',
    screen: extent(getOwn(source, 'screen')) ?? flatScreen(source),
    viewport: extent(getOwn(source, 'viewport')),
    devicePixelRatio: numberOrNull(getOwn(source, 'device_pixel_ratio')),
    touchCapable: booleanOrNull(getOwn(source, 'touch_capable')),
    language: text(source, 'language') ?? text(source, 'locale'),
    connectionType: text(source, 'connection_type'),
    colorSchemePreference: colorScheme(source),
    extra: device === null ? {} : remainder(device),
  };
}

const STRUCTURED_KEYS: ReadonlySet<string> = new Set([
  'user_agent',
  'browser',
  'os',
  'os_name',
  'os_version',
  'device_type',
  'screen',
  'screen_width',
  'screen_height',
  'viewport',
  'device_pixel_ratio',
  'touch_capable',
  'language',
  'connection_type',
  'color_scheme_preference',
]);

/** Named fields without a place of their own, and every unnamed key. */
function remainder(device: JsonObject): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(device)) {
    const value = device[key];
    if (value === undefined || value === null || STRUCTURED_KEYS.has(key)) continue;
    if (key !== 'locale' || isFilled(getOwn(device, 'language'))) setOwn(rest, key, value);
  }
  const unnamed = collectUnnamed(deviceShape(), device);
  for (const key of STRUCTURED_KEYS) {
    const below = unnamed === null ? undefined : getOwn(unnamed, key);
    if (below !== undefined) setOwn(rest, key, below);
  }
  return boundedMap(rest);
}

function deviceShape() {
  const rule = readyEnvelope.keys.get('device');
  if (rule?.kind !== 'object') throw new TypeError('the envelope has no device table');
  return rule.shape;
}

function operatingSystem(device: JsonObject): Device['os'] {
  const structured = objectOrEmpty(getOwn(device, 'os'));
  const name = text(structured, 'name') ?? text(device, 'os_name');
  const version = text(structured, 'version') ?? text(device, 'os_version');
  return name === null && version === null ? null : { name, version };
}

function browser(device: JsonObject): Device['browser'] {
  const structured = objectOrEmpty(getOwn(device, 'browser'));
  const [name, version] = [text(structured, 'name'), text(structured, 'version')];
  return name === null && version === null
    ? null
    : { name: name ?? 'unknown', version: version ?? 'unknown' };
}

/** Null where the client says nothing of it. */
function deviceType(device: JsonObject): Device['deviceType'] | null {
  const type = getOwn(device, 'device_type');
  if (!isFilled(type)) return null;
  return type === 'desktop' || type === 'mobile' || type === 'tablet' ? type : 'unknown';
}

function extent(value: JsonValue | undefined): Device['screen'] {
  if (!isJsonObject(value)) return null;
  const width = numberOrNull(getOwn(value, 'width'));
  const height = numberOrNull(getOwn(value, 'height'));
  return width === null || height === null ? null : { width, height };
}

function flatScreen(device: JsonObject): Device['screen'] {
  const width = numberOrNull(getOwn(device, 'screen_width'));
  const height = numberOrNull(getOwn(device, 'screen_height'));
  return width === null || height === null ? null : { width, height };
}

function colorScheme(device: JsonObject): Device['colorSchemePreference'] {
  const preference = getOwn(device, 'color_scheme_preference');
  return preference === 'light' || preference === 'dark' || preference === 'no-preference'
    ? preference
    : null;
}

function text(object: JsonObject, key: string): string | null {
  return safeTextOrNull(getOwn(object, key), TEXT_CHARS_MAX.other);
}

function isFilled(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.length > 0;
}
