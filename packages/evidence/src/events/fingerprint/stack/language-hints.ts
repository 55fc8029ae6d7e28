import { matchJvmFrame } from './jvm-stack.ts';
import type { StackLine } from './stack-lines.ts';

type Hint = (stack: string, lines: readonly StackLine[]) => boolean;

/**
 * The text that every frame which the reader of a language recognizes contains; a text without it need not be read by
 * it.
 */
export const LANGUAGE_HINTS = {
  js: (stack, lines) =>
    beginWithAt(stack, lines) ||
    stack.includes('@') ||
    stack.includes('---> <') ||
    (stack.includes('://') && stack.includes('at ')),
  python: (stack) => stack.includes('File "'),
  ruby: (stack) => stack.includes(':in `') || stack.includes(":in '"),
  php: (stack, lines) =>
    (stack.includes('#') && lines.some(({ text, indent }) => text.charCodeAt(indent) === 0x23)) ||
    (stack.includes(' in ') && lines.some(({ text }) => isDigitAt(text, text.length - 1))),
  jvm: (stack, lines) => beginWithAt(stack, lines) || SOURCE_OF_JVM.test(stack),
  go: (stack) => stack.includes('.go:') || stack.includes('.s:'),
  dotnet: (stack, lines) =>
    beginWithAt(stack, lines) ||
    lines.some(({ text, indent }) => indent >= 2 && indent <= 8 && text.includes('(', indent)),
  swift: (_stack, lines) => lines.some(({ text, indent }) => isDigitAt(text, indent)),
} satisfies Record<string, Hint>;

/** The place of an element of a stack of Java. */
const SOURCE_OF_JVM = /\(\w[\w$.-]{0,120}\.(?:java|kt|scala|groovy|clj[cs]?):\d/;

/** Returns true if any line begins like a frame of V8, of Java or of .NET, whose readers all call this. */
function beginWithAt(stack: string, lines: readonly StackLine[]): boolean {
  if (lines !== linesOfLast) {
    linesOfLast = lines;
    lastBeginWithAt =
      stack.includes('at ') && lines.some(({ text, indent }) => text.startsWith('at ', indent));
  }
  return lastBeginWithAt;
}

let linesOfLast: readonly StackLine[] = [];
let lastBeginWithAt = false;

function isDigitAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0x30 && code <= 0x39;
}

/** The beginning of a traceback of Python, also inside of a trace of another runtime. */
export const TRACEBACK = 'Traceback (most recent call last)';

const LINE_OF_DOTNET = /\) in .{1,400}:line \d{1,9}\s*$/;

/**
 * The language whose reader reads lines of a stack that no other reader does, by its first frame; null where several
 * could. Where such a reader has read more than half of the lines, no other one can have read as many.
 */
export function likelyLanguage(
  stack: string,
  lines: readonly StackLine[],
): 'python' | 'jvm' | 'dotnet' | null {
  if (stack.includes(TRACEBACK)) return LANGUAGE_HINTS.python(stack) ? 'python' : null;
  if (!beginWithAt(stack, lines)) return null;
  const first = lines.find(({ text, indent }) => text.startsWith('at ', indent));
  if (first === undefined) return null;
  if (matchJvmFrame(first.text, first.indent) !== null) return 'jvm';
  return LINE_OF_DOTNET.test(first.text) ? 'dotnet' : null;
}
