import { readHeader } from './exception-header.ts';
import { stackLines } from './stack-lines.ts';

const LINES_MAX = 3;
const LINE_CHARS_MAX = 160;

/**
 * Returns the lines that distinguish two places in a stack in which nothing is a frame: the first lines below the
 * header, without numbers, addresses and quoted text. Empty when the stack is only a header.
 * @param error the error that the event names; its header is no part of the place
 */
export function unreadLines(stack: string | null, error: { type: string; message: string }): string[] {
  if (stack === null) return [];
  const lines: string[] = [];
  for (const { text } of stackLines(stack)) {
    const line = text.trim();
    if (line === '' || isHeader(line, error)) continue;
    const plain = withoutValues(line.slice(0, LINE_CHARS_MAX));
    if (/\p{L}{2}/u.test(plain)) lines.push(plain);
    if (lines.length === LINES_MAX) break;
  }
  return lines;
}

/** The line that names the error, and the lines of its message. */
function isHeader(line: string, { type, message }: { type: string; message: string }): boolean {
  if (message.includes(line)) return true;
  const header = readHeader(line);
  return (
    header.type !== '' && (header.type === type || message.includes(header.message)) && header.message !== ''
  );
}

function withoutValues(line: string): string {
  return line
    .replace(/(["'`])(?:(?!\1).){0,160}\1/g, '')
    .replace(/0x[0-9a-f]+/gi, '')
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{6,}\b/gi, '')
    .replace(/\d+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
