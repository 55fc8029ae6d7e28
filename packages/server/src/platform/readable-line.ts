import { styleText } from 'node:util';

/** Which of a line's fields say most, the most telling first; a line shows the first three that it has. */
const TELLING_FIELDS = [
  ...['error', 'errorMessage', 'reason', 'request', 'status', 'durationMs', 'part', 'duty', 'lane', 'jobs'],
  ...['code', 'signal', 'step', 'address', 'childPid', 'port', 'directory', 'migrations', 'version'],
] as const;
/** Shown where a line has none of those. */
const UNTELLING_FIELDS = new Set(['level', 'time', 'role', 'pid', 'msg', 'requestId', 'stack', 'startMs']);
const FIELDS_SHOWN = 3;
const VALUE_CHARACTERS_MAX = 300;
const MESSAGE_CHARACTERS_MAX = 1000;
const STACK_LINES_MAX = 20;
const LEVEL_STYLES = new Map<string, Parameters<typeof styleText>[0]>([
  ['fatal', 'red'],
  ['error', 'red'],
  ['warn', 'yellow'],
  ['info', 'green'],
]);

/**
 * The characters that a terminal obeys or is confused by instead of showing them: control characters, also those above
 * 127, and the marks that turn the direction of text. Text of events reaches the log in messages of errors.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu;
/** The unsafe characters that JSON leaves unescaped. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Bidi_C}\u2028\u2029]/gu;

/** A line of JSON with everything escaped that a terminal would obey; its meaning stays the same. */
export function safeJsonLine(line: string): string {
  return line.replace(UNSAFE_IN_JSON, escaped);
}

/** A line of the log as a person reads it: time, level, role, message, the fields that matter, the stack below. */
export function readableLine(line: string, options: { isColored: boolean }): string {
  const entry = parseEntry(line);
  if (entry === null) return `${shown(line.trimEnd())}\n`;
  const { level, time, role, msg, stack } = entry;
  const style = options.isColored ? LEVEL_STYLES.get(textOf(level)) : undefined;
  const word = textOf(level).toUpperCase().padEnd(5);
  const columns = [
    localTime(textOf(time)),
    style === undefined ? word : styleText(style, word, { validateStream: false }),
    textOf(role).padEnd(10),
    textOf(msg, MESSAGE_CHARACTERS_MAX),
    ...tellingFields(entry),
  ];
  const below =
    typeof stack === 'string' && isFailure(level) ? stack.split('\n').slice(0, STACK_LINES_MAX) : [];
  return `${[columns.filter((column) => column !== '').join('  '), ...below.map((each) => `    ${textOf(each.trim())}`)].join('\n')}\n`;
}

function parseEntry(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function tellingFields(entry: Record<string, unknown>): string[] {
  const { method, route } = entry;
  const fields: Record<string, unknown> =
    typeof route === 'string' ? { ...entry, request: `${method} ${route}` } : entry;
  const telling = TELLING_FIELDS.filter((name) => isPresent(fields[name]));
  const names =
    telling.length > 0
      ? telling
      : Object.keys(fields).filter((name) => !UNTELLING_FIELDS.has(name) && isPresent(fields[name]));
  return names.slice(0, FIELDS_SHOWN).map((name) => {
    const value = textOf(fields[name]);
    if (name === 'request') return value;
    return name === 'durationMs' ? `${value} ms` : `${shown(name)}=${value}`;
  });
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isFailure(level: unknown): boolean {
  return level === 'fatal' || level === 'error' || level === 'warn';
}

function textOf(value: unknown, charactersMax = VALUE_CHARACTERS_MAX): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return shown(text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text);
}

function shown(text: string): string {
  return text.toWellFormed().replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns the local time of day; text that is no time is returned unchanged. */
function localTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const part = (value: number) => String(value).padStart(2, '0');
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(part).join(':');
}
