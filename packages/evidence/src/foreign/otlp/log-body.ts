import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { measureValue } from '../../events/envelope/scan-batch-body.ts';
import { levelOfWord } from '../level-word.ts';
import { textOf } from './attribute-values.ts';

/** The content of a record's body if it is the line of a structured logger: a map, or the JSON of one. */
export interface StructuredLine {
  message: string;
  /** Null where it names none. */
  level: string | null;
  /** Everything but the message. */
  rest: JsonObject;
}

const MESSAGE_NAMES = ['message', 'msg', 'event', 'log', 'MESSAGE'];
const LEVEL_NAMES = [
  'level',
  'severity',
  'levelname',
  'log.level',
  'lvl',
  'loglevel',
  'severity_text',
  'detected_level',
];
const MESSAGE_CHARS_MAX = 16_384;
/** The limit of text that may be JSON. */
const TEXT_CHARS_MAX = 65_536;
const LIMITS = { depth: 16, nodes: 4_000 };

/** Null for a body that is no map, or one without a message. */
export function structuredLine(body: JsonValue | undefined): StructuredLine | null {
  const map = typeof body === 'string' ? mapIn(body) : body;
  if (!isJsonObject(map ?? null)) return null;
  const fields = map as JsonObject;
  const name = MESSAGE_NAMES.find(
    (each) => typeof fields[each] === 'string' && textOf(fields, [each], 1) !== null,
  );
  const message = name === undefined ? null : textOf(fields, [name], MESSAGE_CHARS_MAX);
  if (name === undefined || message === null) return null;
  const rest: JsonObject = {};
  for (const key of Object.keys(fields)) if (key !== name) setOwn(rest, key, fields[key] ?? null);
  return { message, level: levelIn(fields), rest };
}

/** The level that a member names; collectors leave it in the attributes unless they are configured otherwise. */
export function levelIn(fields: JsonObject): string | null {
  const word = textOf(fields, LEVEL_NAMES, 32);
  return word === null ? null : levelOfWord(word);
}

/** Collectors read lines of files as text unless their content is configured. */
function mapIn(text: string): JsonValue | undefined {
  const trimmed = text.trim();
  if (trimmed.length > TEXT_CHARS_MAX || !trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined;
  const size = measureValue(Buffer.from(trimmed));
  if (size === null || size.depth > LIMITS.depth || size.nodes > LIMITS.nodes) return undefined;
  try {
    const parsed: unknown = JSON.parse(trimmed);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
