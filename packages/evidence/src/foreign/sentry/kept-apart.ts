import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { isBeside, writtenExceptions } from './event-exceptions.ts';
import { framesOf, writtenFrames } from './event-frames.ts';
import { placesIn } from './frame-images.ts';
import { openValue } from './open-values.ts';
import type { SentrySource } from './sentry-source.ts';
import { platformOf } from './service-facts.ts';
import { anyText, filled, textOf, valuesOf } from './written-values.ts';

const FINGERPRINT_PARTS_MAX = 10;
const PART_CHARS_MAX = 200;
const DROPPED_MAX = 10;
const BESIDE_MAX = 5;
const STACK_LINES_MAX = 20;

/** Returns the data that no field of ours holds, for `context.sentry` (docs/contract/foreign-protocols.md 5.4, 5.7). */
export function sentryPart(event: JsonObject, source: SentrySource): JsonObject {
  const written = writtenExceptions(event);
  const main = written.at(-1);
  const beside = written.filter(isBeside).slice(0, BESIDE_MAX);
  return filled({
    beside:
      beside.length === 0 || beside.length === written.length
        ? null
        : beside.map(
            ({ type, value }) => `${anyText(type, PART_CHARS_MAX)}: ${anyText(value, PART_CHARS_MAX)}`,
          ),
    fingerprint: fingerprintOf(event.fingerprint),
    dropped: droppedOf(event, source),
    mechanism: main === undefined || !isJsonObject(main.mechanism) ? null : mechanismOf(main.mechanism),
    replay_id: replayId(event),
  });
}

/** Evidence, and no part of grouping: a key that is public must not bring incidents together. */
function fingerprintOf(value: JsonValue | undefined): string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const parts = value.slice(0, FINGERPRINT_PARTS_MAX).map((part) => anyText(part, PART_CHARS_MAX));
  return parts.length === 1 && /^\{\{ ?default ?\}\}$/.test(parts[0] ?? '') ? null : parts;
}

function droppedOf(event: JsonObject, source: SentrySource): string[] | null {
  const dropped = source.droppedItems.map((kind) => kind.slice(0, PART_CHARS_MAX));
  const { images } = objectOrEmpty(event.debug_meta);
  const others = Array.isArray(images)
    ? images.filter((image) => isJsonObject(image) && image.type !== 'sourcemap').length
    : 0;
  if (others > 0) dropped.push(`${others} debug images`);
  return dropped.length === 0 ? null : dropped.slice(0, DROPPED_MAX);
}

function mechanismOf(mechanism: JsonObject): JsonValue {
  const { data, meta, help_link: _help, ...rest } = mechanism;
  const kept = openValue(filled({ ...rest, data, meta }), { values: 200 });
  return JSON.stringify(kept).length > 4_096 ? filled({ type: textOf(mechanism.type, 128) }) : kept;
}

function replayId(event: JsonObject): string | null {
  const replay = objectOrEmpty(objectOrEmpty(event.contexts).replay);
  const tags = isJsonObject(event.tags) ? event.tags : {};
  return textOf(replay.replay_id, 64) ?? textOf(tags.replayId, 64);
}

/** Returns the place where a message was captured; at most twenty lines for people. */
export function captureStack(event: JsonObject): string | null {
  const holders: JsonObject[] = [
    event,
    ...writtenExceptions(event),
    ...valuesOf(event.threads).slice(0, 100).filter(isJsonObject),
  ];
  const holder = holders.find((each) => writtenFrames(each, 1).length > 0);
  if (holder === undefined) return null;
  const setting = { platform: platformOf(event), areFlagsDropped: false, findPlace: placesIn(event) };
  return framesOf(holder, setting, STACK_LINES_MAX)
    .map(({ function: name, file, abs_path: path, line }) => {
      // Go writes the whole path alone.
      const place = [file ?? path, line].filter((part) => part !== undefined).join(':');
      return `at ${String(name ?? '<anonymous>')} (${place})`;
    })
    .join('\n');
}
