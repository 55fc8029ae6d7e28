import type { StackLine } from './stack-lines.ts';

type Hint = (stack: string, lines: readonly StackLine[]) => boolean;

/** What every frame that the reader of a language recognizes holds; a text without it need not be read by it. */
export const LANGUAGE_HINTS = {
  js: (stack, lines) =>
    beginWithAt(stack, lines) || stack.includes('@') || (stack.includes('://') && stack.includes('at ')),
  python: (stack) => stack.includes('File "'),
  ruby: (stack) => stack.includes(':in `') || stack.includes(":in '"),
  php: (stack, lines) =>
    (stack.includes('#') && lines.some(({ text, indent }) => text.charCodeAt(indent) === 0x23)) ||
    (stack.includes(' in ') && lines.some(({ text }) => isDigitAt(text, text.length - 1))),
  jvm: beginWithAt,
  go: (stack) => stack.includes('.go:') || stack.includes('.s:'),
  dotnet: (stack, lines) =>
    beginWithAt(stack, lines) ||
    lines.some(({ text, indent }) => indent >= 2 && indent <= 8 && text.includes('(', indent)),
  swift: (_stack, lines) => lines.some(({ text, indent }) => isDigitAt(text, indent)),
} satisfies Record<string, Hint>;

/** Whether any line begins like a frame of V8, of Java or of .NET. */
function beginWithAt(stack: string, lines: readonly StackLine[]): boolean {
  return stack.includes('at ') && lines.some(({ text, indent }) => text.startsWith('at ', indent));
}

function isDigitAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0x30 && code <= 0x39;
}
