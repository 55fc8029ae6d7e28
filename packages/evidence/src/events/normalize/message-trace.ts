import { readHeader } from '../fingerprint/stack/exception-header.ts';
import { readTrace } from '../fingerprint/stack/read-stack.ts';

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
export function messageTrace(message: string): MessageTrace | null {
  if (!message.includes('\n')) return null;
  const whole = readTrace(message);
  if (whole === null) return null;
  const lines = message.split(/\r\n|[\n\r]/);
  const start = traceStart(lines);
  const stack = lines.slice(start).join('\n');
  const read = start === 0 ? whole : readTrace(stack);
  if (read === null) return null;
  const [outermost] = read.chain;
  const { type = '', message: said = '' } = outermost ?? {};
  return { sentence: lines.slice(0, start).join('\n').trim(), type, message: said, stack };
}

/** Index of the line with which the trace begins: the name of its error, or what a runtime writes before one. */
function traceStart(lines: readonly string[]): number {
  for (let index = 0; index < Math.min(lines.length, SENTENCE_LINES_MAX); index++) {
    const line = lines[index]?.trim() ?? '';
    if (OPENS_A_TRACE.test(line) || CLASS_NAME.test(readHeader(line).type)) return index;
  }
  return 0;
}

const OPENS_A_TRACE =
  /^(?:Traceback \(|\+ Exception Group Traceback|Exception in thread |Unhandled exception|panic: |fatal error: |goroutine \d|thread '|\*\* \(|Stack ?trace:?$|Call ?stack:?$|Back ?trace:?$|(?:PHP )?(?:Fatal|Parse) error: |Uncaught )/i;
/** A class of errors: qualified, or named as one. */
const CLASS_NAME =
  /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|\\)[\p{L}_$][\p{L}\p{N}_$]*)+$|(?:Error|Exception|Fault|Failure|Panic|Interrupt|Exit|Warning|Abort)$/u;
