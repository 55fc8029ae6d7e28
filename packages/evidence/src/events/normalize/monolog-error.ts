import type { MessageTrace } from './message-trace.ts';

/** An error as Monolog writes it into the context of a line: `[object] (App\Error(code: 0): text at /srv/a.php:12)`. */
const OBJECT = '[object] (';
const TYPE_AND_CODE = /([\w\\]{1,300})\(code: [^()\n]{0,60}\): /y;
/** The line of the place, behind which the error ends. */
const PLACE_END = /:(\d{1,9})\)(?=[\s"\\]|$)/g;
const ERRORS_MAX = 8;

/**
 * The errors in a line of Monolog, as Symfony and Laravel write it, with the trace as PHP itself prints one; null in any
 * other text. The trace is missing where the logger leaves it out, which is the default of Symfony.
 */
export function monologError(line: string): (Omit<MessageTrace, 'stack'> & { stack: string | null }) | null {
  // Its lines begin with the time.
  const first = line.startsWith('[') ? line.indexOf(OBJECT) : -1;
  if (first === -1) return null;
  const errors: WrittenError[] = [];
  for (let at = first; at !== -1 && errors.length < ERRORS_MAX; ) {
    const next = line.indexOf(OBJECT, at + OBJECT.length);
    const error = writtenError(line.slice(at + OBJECT.length, next === -1 ? undefined : next));
    if (error === null) break;
    errors.push(error);
    at = next;
  }
  const [outermost] = errors;
  if (outermost === undefined) return null;
  const opens = line.lastIndexOf(' {', first);
  const { type, message } = outermost;
  const hasTrace = errors.some(({ entries }) => entries.length > 0);
  return {
    sentence: line.slice(0, opens === -1 ? first : opens).trim(),
    type,
    message,
    // PHP prints the innermost error first.
    stack: hasTrace ? errors.map(printed).reverse().join('\n\nNext ') : null,
  };
}

interface WrittenError {
  type: string;
  message: string;
  place: string;
  entries: string[];
}

function writtenError(text: string): WrittenError | null {
  TYPE_AND_CODE.lastIndex = 0;
  const head = TYPE_AND_CODE.exec(text);
  if (head === null) return null;
  const from = TYPE_AND_CODE.lastIndex;
  PLACE_END.lastIndex = from;
  const end = PLACE_END.exec(text);
  const at = end === null ? -1 : text.lastIndexOf(' at ', end.index);
  if (end === null || at < from) return null;
  const file = text.slice(at + ' at '.length, end.index);
  return {
    type: withoutEscapes(head[1] ?? ''),
    message: withoutEscapes(text.slice(from, at)),
    place: `${withoutEscapes(file)}:${end[1]}`,
    entries: entriesOf(text.slice(PLACE_END.lastIndex)),
  };
}

/** The lines of the trace, which a formatter of lines keeps and one of JSON escapes. */
function entriesOf(rest: string): string[] {
  const at = rest.indexOf('[stacktrace]');
  if (at === -1) return [];
  const lines = rest.slice(at).split(/\\n|\r?\n/);
  return lines.filter((line) => /^\s*#\d/.test(line)).map(withoutEscapes);
}

function printed({ type, message, place, entries }: WrittenError): string {
  return [`${type}: ${message} in ${place}`, ...entries].join('\n');
}

function withoutEscapes(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\\"/])/g, '$1') : text;
}
