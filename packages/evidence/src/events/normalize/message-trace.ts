import { readHeader } from '../fingerprint/stack/exception-header.ts';
import { readTrace } from '../fingerprint/stack/read-stack.ts';
import { announcedStatement } from '../fingerprint/statement/statement.ts';
import { announcedError } from './announced-error.ts';
import { withoutLinePrefixes } from './line-prefix.ts';

/** The trace that a message holds below what it says. */
export interface MessageTrace {
  /** The lines above the trace; empty when the trace is all. */
  sentence: string;
  /** The type and the message that the trace names; empty where it names none. */
  type: string;
  message: string;
  stack: string;
}

/** Lines above a trace that are looked at. */
const SENTENCE_LINES_MAX = 20;

/**
 * The trace in a message of several lines in which a reader finds frames, null in any other
 * (docs/contract/incidents.md 5.2).
 */
export function messageTrace(written: string): MessageTrace | null {
  if (!written.includes('\n')) return null;
  const message = withoutLinePrefixes(written);
  const whole = readTrace(message);
  if (whole === null) return null;
  const lines = message.split(/\r\n|[\n\r]/);
  const [head = ''] = lines;
  lines[0] = head.replace(DATE_OF_PHP, '');
  const apart = errorApart(
    head,
    lines.slice(1, FIRST_CALLS_MAX).find((line) => CALL.test(line)) ?? lines[1] ?? '',
  );
  if (apart !== null) lines.splice(0, 1, ...apart);
  const named = apart === null ? traceStart(lines) : 1;
  const below = named === 0 && lines[0] === head ? whole : readTrace(lines.slice(named).join('\n'));
  // Runtimes that write the newest call last name the error behind it.
  const read = below ?? whole;
  const start = below === null ? 0 : named;
  // A heading names no error.
  const isHeading = HEADING.test(lines[start]?.trim() ?? '');
  const stack = lines.slice(isHeading ? start + 1 : start).join('\n');
  const sentence = lines.slice(0, start).join('\n').trim();
  const announced = announcedError(lines);
  if (announced !== null) return { sentence, ...announced, stack };
  const [outermost] = read.chain;
  const { type = '', message: header = '' } = isHeading ? {} : (outermost ?? {});
  // AWS Lambda writes the error of Python above the trace alone.
  const above = readHeader(lines[start] ?? '');
  if (type === '' && CLASS_NAME.test(above.type)) return { sentence, ...above, stack };
  const said = (start === 0 ? announcedStatement(message) : null) ?? header;
  return { sentence, type, message: said, stack };
}

/** Index of the line with which the trace begins: the name of its error, or what a runtime writes before one. */
function traceStart(lines: string[]): number {
  for (let index = 0; index < Math.min(lines.length, SENTENCE_LINES_MAX); index++) {
    const line = lines[index]?.trim() ?? '';
    if (ANNOUNCES_AN_ERROR.test(line)) continue;
    if (OF_JULIA.test(line)) {
      lines[index] = line.replace(OF_JULIA, '');
      return index;
    }
    if (OPENS_A_TRACE.test(line) || CLASS_NAME.test(readHeader(line).type)) return index;
  }
  return 0;
}

/** A call of most languages, which may follow further lines of a message. */
const CALL = /^\s+at /;
const FIRST_CALLS_MAX = 4;

/** A sentence and the error with which it ends above its frames; null where it ends with none. */
function errorApart(sentence: string, next: string): [string, string] | null {
  const behind = errorBehind(sentence, next);
  if (behind !== -1) return [sentence.slice(0, behind), sentence.slice(behind)];
  const at = next.includes(':in ') ? sentence.indexOf('#<') : -1;
  const inspected = at === -1 ? null : INSPECTED_ERROR.exec(sentence.slice(at).trimEnd());
  if (inspected === null) return null;
  const [, type = '', message = ''] = inspected;
  return [sentence.slice(0, at), `${type}: ${message}`];
}

/** An error as Ruby shows objects: `#<NoMethodError: undefined method 'sum' for nil>`. */
const INSPECTED_ERROR = /^#<([A-Z][\w:]{0,200}): (.{1,2000})>$/;

/**
 * Returns the start of the error in a sentence that ends with it above its frames: `task failed: com.shop.CartError:
 * empty`; or -1.
 */
function errorBehind(sentence: string, next: string): number {
  if (!CALL.test(next) || CLASS_NAME.test(readHeader(sentence).type)) return -1;
  let at = sentence.indexOf(': ');
  for (let count = 0; at !== -1 && count < COLONS_MAX; count++) {
    const { type } = readHeader(sentence.slice(at + 2));
    if (QUALIFIED_ERROR.test(type)) return at + 2;
    at = sentence.indexOf(': ', at + 2);
  }
  // Layouts of loggers put a blank or a bar between the two.
  const named = NAMED_ERROR.exec(sentence);
  return named === null ? -1 : named.index + 1;
}

const COLONS_MAX = 8;
const NAMED_ERROR =
  /[\s|](?:[A-Za-z_$][\w$]{0,60}\.){0,8}[A-Z][\w$]{0,60}[a-z](?:Error|Exception)(?= \[[A-Z]|: )/;
const QUALIFIED_ERROR = /[\w$]\.[\w$]{0,100}(?:Error|Exception|Failure|Fault)$/;

/** Some runtimes write this above the calls. */
const HEADING = /^(?:Stack ?trace|Call ?stack|Back ?trace):?$/i;
/** The text that the error log of PHP writes in front of an error that ended a script. */
const DATE_OF_PHP = /^\[[^\]]{1,60}\] (?=(?:PHP )?(?:Fatal|Parse) error: )/;
/** Elixir says first that a process ended, and on the next line by which error. */
const ANNOUNCES_AN_ERROR = /^\*\* \((?:exit|EXIT from [^()\s]{1,60})\) an exception was raised:$/;
/** The level in front of an error, and the file that was being loaded. */
const OF_JULIA = /^ERROR: (?:LoadError: ){0,3}(?=[A-Z]\w{1,60}(?:Error|Exception)?: )/;
const OPENS_A_TRACE =
  /^(?:Traceback \(|\+ Exception Group Traceback|Exception in thread |Unhandled exception(?=[.:]|$)|panic: |fatal error: |goroutine \d|thread '|\*\* \(|Stack ?trace:?$|Call ?stack:?$|Back ?trace:?$|(?:PHP )?(?:Fatal|Parse) error: |Uncaught )/i;
/** A class of errors: qualified, or named as one. */
const CLASS_NAME =
  /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|\\)[\p{L}_$][\p{L}\p{N}_$]*)+$|(?:Error|Exception|Fault|Failure|Panic|Interrupt|Exit|Warning|Abort)$/u;
