import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/events/envelope/json.ts';

/** What an event of a cause must show; what is null may be anything. */
export interface Expectation {
  type: string | null;
  title: string | null;
  severity: string | null;
  /** The end of the function's name, and the end of the file with the line; `-` for what the stack does not name. */
  frame: { function: string | null; file: string | null; line: number | null } | null;
}

interface Cause {
  name: string;
  expected: Expectation;
  /** Events of this one cause: other values, another machine, another build. */
  events: { eventType: string; payload: JsonObject }[];
}

/** The causes of one runtime or logger: a file of `cases/<kind>/<half>`, as `cases/README.md` describes them. */
export interface CaseFile {
  /** `stacks/kept/zig`. */
  name: string;
  kind: string;
  isKept: boolean;
  source: string;
  causes: Cause[];
}

const CASES = join(import.meta.dirname, 'cases');

export function readCaseFiles(folder = CASES): CaseFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.txt'))
    .sort()
    .map((path) => readCaseFile(path.slice(0, -'.txt'.length), readFileSync(join(folder, path), 'utf8')));
}

export function readCaseFile(name: string, text: string): CaseFile {
  const [head = '', ...parts] = text.split(/^=== /m);
  const [kind = '', half = ''] = name.split('/');
  const headers = new Map(linesOf(head).map((line) => pairOf(line)));
  return {
    name,
    kind,
    isKept: half === 'kept',
    source: headers.get('source') ?? name,
    causes: parts.map((part) => readCause(part, headers)),
  };
}

function readCause(part: string, headers: ReadonlyMap<string, string>): Cause {
  const [name = '', ...lines] = part.trimEnd().split('\n');
  const start = lines.findIndex((line) => !line.startsWith('> '));
  const expected = new Map(lines.slice(0, start).map((line) => pairOf(line.slice('> '.length))));
  const text = lines.slice(start).join('\n');
  return {
    name,
    expected: {
      type: expected.get('type') ?? null,
      title: expected.get('title') ?? null,
      severity: expected.get('severity') ?? null,
      frame: frameOf(expected.get('frame')),
    },
    events: variantsOf(text).map((variant) => eventOf(variant, headers)),
  };
}

/** `[[a|b]]`, in the brackets of the files, stands for what differs between events of one cause. */
function variantsOf(text: string): string[] {
  const choices = [...text.matchAll(/⟦([^⟧]*)⟧/g)].map(([, inside = '']) => inside.split('|').length);
  const count = Math.max(1, ...choices);
  return Array.from({ length: count }, (_, at) =>
    text.replace(/⟦([^⟧]*)⟧/g, (_match, inside: string) => {
      const values = inside.split('|');
      return values[at % values.length] ?? '';
    }),
  );
}

function eventOf(text: string, headers: ReadonlyMap<string, string>): Cause['events'][number] {
  const error_class = headers.get('class') ?? 'Error';
  const message = headers.get('message') ?? '';
  switch (headers.get('send')) {
    case 'stack':
      return { eventType: 'backend_exception', payload: { error_class, message, stacktrace: text } };
    case 'page':
      return { eventType: 'frontend_exception', payload: { error_class, message, stacktrace: text } };
    case 'exception':
      return { eventType: 'backend_exception', payload: { error_class, message: text } };
    case 'record':
      return { eventType: 'log_event', payload: objectOf(text) };
    default:
      return { eventType: 'log_event', payload: { level: 'error', message: text } };
  }
}

function objectOf(text: string): JsonObject {
  const value = JSON.parse(text) as JsonValue;
  if (!isJsonObject(value)) throw new Error('A record is a JSON object.');
  return value;
}

function frameOf(text: string | undefined): Expectation['frame'] {
  if (text === undefined) return null;
  const at = text.lastIndexOf(' ');
  const name = text.slice(0, at);
  const [, file = text.slice(at + 1), line] = /^(.*):(\d+)$/.exec(text.slice(at + 1)) ?? [];
  return {
    function: name === '-' ? null : name,
    file: file === '-' ? null : file,
    line: line === undefined ? null : Number(line),
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function pairOf(line: string): [string, string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
