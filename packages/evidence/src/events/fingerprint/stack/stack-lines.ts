const STACK_CHARS_MAX = 65536;
const LINES_MAX = 500;
const LINE_CHARS_MAX = 1000;

/** One line of a stack text within its bounds, without any line terminator. */
export interface StackLine {
  text: string;
  /** Index of the first character that is not white space; the length of a blank line. */
  indent: number;
}

/**
 * The first 65536 characters as at most 500 lines of at most 1000 characters (contract incidents 5.4.6).
 * Every ECMAScript line terminator ends a line, so that `.` in the frame patterns never meets one.
 */
export function stackLines(stack: string): readonly StackLine[] {
  if (stack === lastStack) return lastLines;
  lastLines = cutLines(stack);
  lastStack = stack;
  return lastLines;
}

/** One event asks several times for the lines of its stack. */
let lastStack = '';
let lastLines: readonly StackLine[] = [];

function cutLines(stack: string): StackLine[] {
  const bounded = stack.length > STACK_CHARS_MAX ? stack.slice(0, STACK_CHARS_MAX) : stack;
  const lines: StackLine[] = [];
  const isLogcat = LOGCAT.test(bounded);
  for (const written of bounded.split(hasOtherEnds(bounded) ? ANY_END : '\n', LINES_MAX)) {
    const whole = isLogcat ? written.replace(LOGCAT, '') : written;
    const text = whole.length > LINE_CHARS_MAX ? whole.slice(0, LINE_CHARS_MAX) : whole;
    lines.push({ text, indent: indentOf(text) });
  }
  return lines;
}

/** The text that Android's log has in front of each line: `E/flutter (17560): `. */
const LOGCAT = /^[VDIWEF]\/[\w.-]{1,40} {0,8}\( {0,8}\d{1,9}\): /;

const ANY_END = /\r\n|[\n\r\u2028\u2029]/;

function hasOtherEnds(text: string): boolean {
  return text.includes('\r') || text.includes('\u2028') || text.includes('\u2029');
}

function indentOf(text: string): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x20 || code === 0x09) continue;
    if (code > 0x20 && code < 0x80) return index;
    if (!/\s/.test(text.charAt(index))) return index;
  }
  return text.length;
}

/** A line or column number; null for none and for one that no file can have. */
export function positionNumber(digits: string | undefined): number | null {
  return digits === undefined || digits.length > 9 ? null : Number(digits);
}
