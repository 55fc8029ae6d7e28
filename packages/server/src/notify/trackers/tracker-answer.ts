import { NOTE_LENGTH_MAX } from '@culprit/contract/incidents/triage-words';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { TrackerFailure } from './tracker-call.ts';

/** Reads answers of trackers: what is missing or of another type is a failure, and what is only shown is cut. */

const SHOWN_LENGTH_MAX = 300;
const NAME_LENGTH_MAX = 100;
const EMAIL_LENGTH_MAX = 320;
const URL_LENGTH_MAX = 2000;

/** An object of an answer. @throws TrackerFailure */
export function objectIn(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw unexpected();
  return value;
}

/** The objects of a list. @throws TrackerFailure */
export function objectsIn(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw unexpected();
  return value.filter((each) => isJsonObject(each));
}

/**
 * Reads the entries of a list. One that is not as documented is left out, so that it does not hide the others.
 * @throws TrackerFailure if none can be read
 */
export function readEach<Read>(entries: readonly JsonObject[], read: (entry: JsonObject) => Read): Read[] {
  const found = entries.flatMap((entry) => {
    try {
      return [read(entry)];
    } catch (error) {
      if (error instanceof TrackerFailure) return [];
      throw error;
    }
  });
  if (found.length === 0 && entries.length > 0) throw unexpected();
  return found;
}

/** An id, as text or number. @throws TrackerFailure */
export function idIn(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^[\w.:/#-]{1,200}$/.test(text)) throw unexpected();
  return text;
}

/** A token in an answer. @throws TrackerFailure */
export function secretIn(value: unknown): string {
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,4000}$/.test(value)) throw unexpected();
  return value;
}

/** An address to which people can be led. @throws TrackerFailure */
export function urlIn(value: unknown): string {
  const url = typeof value === 'string' && value.length <= URL_LENGTH_MAX ? URL.parse(value) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw unexpected();
  return url.href;
}

/** A moment in milliseconds since the epoch. @throws TrackerFailure */
export function timeIn(value: unknown): number {
  const timeMs = momentIn(value);
  if (timeMs === null) throw unexpected();
  return timeMs;
}

/** The end of the year 2099. */
const MOMENT_MAX_MS = 4_102_444_800_000;

/** A moment since 1970 that an answer can lack. */
export function momentIn(value: unknown): number | null {
  const timeMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return timeMs >= 0 && timeMs < MOMENT_MAX_MS ? timeMs : null;
}

/** Text that is only shown. */
export function textIn(value: unknown): string {
  return shown(value, SHOWN_LENGTH_MAX) ?? '';
}

/** The texts of a list. @throws TrackerFailure */
export function textsIn(value: unknown): string[] {
  if (!Array.isArray(value)) throw unexpected();
  return value.map(textIn).filter((text) => text !== '');
}

/**
 * Text of several lines, of which a note keeps as much as it holds. A comment of ours is a whole note and more, and its end
 * says that it is ours.
 */
export function longTextIn(value: unknown): string {
  if (typeof value !== 'string') return '';
  const text = value.slice(0, 2 * NOTE_LENGTH_MAX).replaceAll('\r\n', '\n');
  return text
    .replaceAll(/[^\P{Cc}\n\t]+/gu, ' ')
    .trim()
    .toWellFormed();
}

/** The address of a person; null when the tracker shows none. */
export function emailIn(value: unknown): string | null {
  const text = shown(value, EMAIL_LENGTH_MAX);
  return text === null || !text.includes('@') ? null : text;
}

/** The name of a person; null when there is none. */
export function nameIn(value: unknown): string | null {
  return shown(value, NAME_LENGTH_MAX);
}

/** A choice that is known by its name alone. */
export function choiceOf(name: unknown): { id: string; name: string } {
  return { id: textIn(name), name: textIn(name) };
}

function shown(value: unknown, lengthMax: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return text === '' ? null : text.slice(0, lengthMax).toWellFormed();
}

function unexpected(): TrackerFailure {
  return new TrackerFailure('unavailable', 'unexpected_answer');
}
