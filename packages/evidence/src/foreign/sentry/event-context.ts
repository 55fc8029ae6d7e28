import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { traceOf } from './event-head.ts';
import { type OpenBudget, openMap, openValue } from './open-values.ts';
import type { SentrySource } from './sentry-source.ts';
import { anyText, filled, pairsOf, textOf, valuesOf } from './written-values.ts';

const WORD_CHARS_MAX = 200;
const ENTRIES_MAX = 200;
const FLAGS_MAX = 100;
const TAG_CHARS_MAX = 2_048;
const ID_CHARS_MAX = 256;

/**
 * The context of an event (docs/contract/foreign-protocols.md 5.4). What an application may name itself is always a
 * level deeper, so that nothing of it is read as a meaning of ours.
 * @param sentry what no field of ours holds
 */
export function contextOf(
  event: JsonObject,
  source: SentrySource,
  { budget, sentry }: { budget: OpenBudget; sentry: JsonObject },
): JsonObject {
  const contexts = objectOrEmpty(event.contexts);
  const own = filled({ ...sentry, other: openMap(otherKeys(event), budget) });
  return filled({
    release: textOf(event.release, WORD_CHARS_MAX),
    dist: textOf(event.dist, WORD_CHARS_MAX),
    tags: textMap(event.tags, TAG_CHARS_MAX),
    extra: openMap(event.extra, budget),
    contexts: openMap(otherContexts(contexts), budget),
    trace: filledMap(traceOf(event, source)),
    environment: environmentOf(event, contexts),
    modules: modulesOf(event.modules),
    feature_flags: flagsOf(contexts.flags),
    logger: textOf(event.logger, WORD_CHARS_MAX),
    transaction: transactionName(event),
    user: userOf(event.user),
    clock_skew_ms: source.clockSkewMs === null ? null : Math.trunc(source.clockSkewMs),
    sentry: filledMap(own),
  });
}

/** The first of the values that name a user; everything else of the user is left out. */
function userOf(user: JsonValue | undefined): JsonObject | null {
  const { id, email, username } = isJsonObject(user) ? user : { id: user ?? null };
  const named = [id, email, username]
    .map((value) => textOf(value, ID_CHARS_MAX))
    .find((text) => text !== null);
  return named === undefined || named === null ? null : { id: named };
}

function transactionName(event: JsonObject): string | null {
  return textOf(event.transaction, WORD_CHARS_MAX) ?? textOf(event.culprit, WORD_CHARS_MAX);
}

/** A map or a list of pairs with its values as text. */
function textMap(value: JsonValue | undefined, charsMax: number): JsonObject | null {
  const map: JsonObject = {};
  for (const [key, content] of pairsOf(value, ENTRIES_MAX)) {
    if (content !== null) setOwn(map, key.slice(0, WORD_CHARS_MAX), anyText(content, charsMax));
  }
  return filledMap(map);
}

function filledMap(map: JsonObject): JsonObject | null {
  return Object.keys(map).length === 0 ? null : map;
}

/** Contexts that have a field of their own elsewhere. */
const READ_CONTEXTS: ReadonlySet<string> = new Set(['trace', 'runtime', 'os', 'flags', 'response']);

function otherContexts(contexts: JsonObject): JsonObject {
  const others: JsonObject = {};
  for (const key in contexts) {
    if (!READ_CONTEXTS.has(key)) setOwn(others, key, contexts[key] ?? null);
  }
  return others;
}

function environmentOf(event: JsonObject, contexts: JsonObject): JsonObject | null {
  const { name, version } = objectOrEmpty(contexts.os);
  const os = [textOf(name, 64), textOf(version, 128)].filter((part) => part !== null).join(' ');
  return filledMap(filled({ os: os === '' ? null : os, host: textOf(event.server_name, WORD_CHARS_MAX) }));
}

const MODULES_CHARS_MAX = 8_192;

function modulesOf(value: JsonValue | undefined): JsonObject | null {
  const modules: JsonObject = {};
  let chars = 0;
  for (const [key, version] of pairsOf(value, ENTRIES_MAX)) {
    // Go names one without a name where a program is built without modules.
    if (key === '') continue;
    const text = textOf(version, 64) ?? '';
    chars += key.length + text.length + 6;
    if (chars > MODULES_CHARS_MAX) break;
    setOwn(modules, key, text);
  }
  return filledMap(modules);
}

/** `{values: [{flag, result}]}`. */
function flagsOf(value: JsonValue | undefined): JsonObject | null {
  const flags: JsonObject = {};
  if (!isJsonObject(value)) return null;
  for (const each of valuesOf(value).slice(-FLAGS_MAX)) {
    if (!isJsonObject(each)) continue;
    const flag = textOf(each.flag, WORD_CHARS_MAX);
    const { result = null } = each;
    if (flag !== null) setOwn(flags, flag, typeof result === 'object' ? anyText(result, 64) : result);
  }
  return filledMap(flags);
}

/** Every key of an event that a mapper reads, and those that only the makers' own servers use. */
const READ_KEYS: ReadonlySet<string> = new Set(
  `event_id timestamp received platform level logger transaction transaction_info culprit server_name release dist tags
  environment modules extra fingerprint exception threads message logentry stacktrace request user breadcrumbs contexts
  debug_meta sdk type start_timestamp spans measurements _meta _metrics _metrics_summary sdkProcessingMetadata project
  key_id time_spent version errors ingest_path`.split(/\s+/),
);

const OTHER_CHARS_MAX = 8_192;

/** Keys that a mapper does not know, at most 8 KiB. */
function otherKeys(event: JsonObject): JsonObject {
  const others: JsonObject = {};
  let chars = 0;
  for (const key in event) {
    if (READ_KEYS.has(key)) continue;
    const value = openValue(event[key], { values: 500 });
    chars +=
      key.length + 6 + (typeof value === 'object' ? JSON.stringify(value).length : String(value).length);
    if (chars > OTHER_CHARS_MAX) break;
    setOwn(others, key, value);
  }
  return others;
}
