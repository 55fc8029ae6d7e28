import type { StackLine } from './stack-lines.ts';

type Hint = (stack: string, lines: readonly StackLine[]) => boolean;

/** What every frame that the reader of a language recognizes holds; a text without it need not be read by it. */
export const LANGUAGE_HINTS = {
  js: (stack) => stack.includes('at ') || stack.includes('@'),
  python: (stack) => stack.includes('File "'),
  ruby: (stack) => stack.includes(':in `') || stack.includes(":in '"),
  php: (stack, lines) =>
    (stack.includes('#') && lines.some(({ text, indent }) => text.charCodeAt(indent) === 0x23)) ||
    (stack.includes(' in ') && lines.some(({ text }) => isDigitAt(text, text.length - 1))),
  jvm: (stack) => stack.includes('at '),
  go: (stack) => stack.includes('.go:') || stack.includes('.s:'),
  dotnet: (stack, lines) =>
    stack.includes('at ') ||
    lines.some(({ text, indent }) => indent >= 2 && indent <= 8 && text.includes('(', indent)),
  swift: (_stack, lines) => lines.some(({ text, indent }) => isDigitAt(text, indent)),
} satisfies Record<string, Hint>;

function isDigitAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0x30 && code <= 0x39;
}
