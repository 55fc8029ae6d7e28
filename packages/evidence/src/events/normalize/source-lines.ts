import { cleanText } from '../envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { listOrEmpty } from '../envelope/read-json.ts';
import { redactSource } from '../redact/redact-values.ts';

/** The source around the call of a frame, as the client read it. */
export interface SourceLines {
  /** The line of the call. */
  line: string;
  /** The lines before it, the nearest last. */
  before: string[];
  /** The lines after it. */
  after: string[];
}

/** Lines that are kept before and after the one of the call. */
const LINES_AROUND_MAX = 5;
const LINE_CHARS_MAX = 300;
/** The searched part of a longer line; a secret at the cut is whole in it. */
const SEARCHED_CHARS_MAX = 8_192;

/**
 * The source lines of a frame (docs/contract/ingestion.md 2.1.5): `context_line` with `pre_context` and `post_context`,
 * a `code` with its neighbors in `context: {pre, post}`, or a `code` that names each line by its number. Null without
 * the line of the call.
 */
export function sourceLines(frame: JsonObject, lineNumber: number | null): SourceLines | null {
  const code = getOwn(frame, 'code');
  if (isJsonObject(code)) return numberedLines(code, lineNumber);
  const line = oneLine(getOwn(frame, 'context_line')) ?? oneLine(code);
  if (line === null) return null;
  const around = getOwn(frame, 'context');
  const neighbors = isJsonObject(around) ? around : null;
  const before = getOwn(frame, 'pre_context') ?? (neighbors && getOwn(neighbors, 'pre'));
  const after = getOwn(frame, 'post_context') ?? (neighbors && getOwn(neighbors, 'post'));
  return checked({
    line,
    before: linesOf(listOrEmpty(before ?? undefined).slice(-LINES_AROUND_MAX)),
    after: linesOf(listOrEmpty(after ?? undefined).slice(0, LINES_AROUND_MAX)),
  });
}

function numberedLines(code: JsonObject, lineNumber: number | null): SourceLines | null {
  if (lineNumber === null) return null;
  const at = (number: number) => oneLine(getOwn(code, String(number)));
  const line = at(lineNumber);
  if (line === null) return null;
  const before: string[] = [];
  const after: string[] = [];
  for (let away = 1; away <= LINES_AROUND_MAX; away++) {
    const [above, below] = [at(lineNumber - away), at(lineNumber + away)];
    // A gap would move the numbers of the lines beyond it.
    if (above !== null && before.length === away - 1) before.unshift(above);
    if (below !== null && after.length === away - 1) after.push(below);
  }
  return checked({ line, before, after });
}

/** Without the neighbors where a secret runs over several lines: cut out, it would move their numbers. */
function checked({ line, before, after }: SourceLines): SourceLines {
  const lines = [...before, line, ...after];
  const searched = redactSource(lines.join('\n')).split('\n').map(shortened);
  if (searched.length !== lines.length) return { line: shortened(redactSource(line)), before: [], after: [] };
  return {
    line: searched[before.length] ?? '',
    before: searched.slice(0, before.length),
    after: searched.slice(before.length + 1),
  };
}

function shortened(line: string): string {
  return cleanText(line, LINE_CHARS_MAX);
}

function linesOf(list: readonly JsonValue[]): string[] {
  return list.map((each) => oneLine(each) ?? '');
}

function oneLine(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string') return null;
  const [line = ''] = value.slice(0, SEARCHED_CHARS_MAX).split(/[\r\n]/, 1);
  return line.trimEnd();
}
