import { forwardSlashes } from '../file-path.ts';
import { readCallLines } from './call-lines.ts';
import { readHeader, withoutLead } from './exception-header.ts';
import { generalFrame } from './general/general-frame.ts';
import { cellFrames, isPlaceAbove, termFrames, vimFrames } from './general/multi-frames.ts';
import { rememberingLines } from './line-memory.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import type { StackLine } from './stack-lines.ts';

/**
 * Reads traces of runtimes that no other reader knows: a line with something that is a place in code is a frame, and the
 * name beside the place is its function (docs/contract/grouping.md 4). Comes behind all other readers.
 */
export function readGeneralStack(all: readonly StackLine[]): LanguageStack {
  const lines = isBounded(all)
    ? all
    : all.slice(0, LINES_MAX).map(({ text, indent }) => ({ text: text.slice(0, LINE_CHARS_MAX), indent }));
  let found = new Map<number, readonly ParsedFrame[]>();
  lines.forEach((line, index) => {
    const { text } = line;
    if (!HAS_DIGIT.test(text) && !isPlaceAbove(text) && !text.startsWith('Error detected')) return;
    const frames =
      termFrames(lines, index) ??
      vimFrames(lines, index) ??
      cellFrames(lines, index) ??
      ownFrames(line, index === 0);
    if (frames.length === 0) return;
    const [only] = frames;
    // The name on one line, its place on the next.
    const above =
      only?.function === '<anonymous>' && PLACE_ALONE.test(text) && !found.has(index - 1)
        ? NAME_ABOVE.exec(lines[index - 1]?.text ?? '')?.[1]
        : undefined;
    found.set(
      index,
      only === undefined || above === undefined ? frames : [{ ...only, function: above }, ...frames.slice(1)],
    );
  });
  dropHeader(found);
  if (found.size === 0) found = excerptOfHeader(lines) ?? readCallLines(lines);
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

function isBounded(lines: readonly StackLine[]): boolean {
  return lines.length <= LINES_MAX && lines.every(({ text }) => text.length <= LINE_CHARS_MAX);
}

const HAS_DIGIT = /\d/;
const PLACE_ALONE = /^\s*(?:at |@ ?|-->? ?)?\S{1,300}$/;
const NAME_ABOVE =
  /(?: in |^\s*#?\d{1,4}:? {1,4}|^\s*at (?:async )?)([\p{L}_$][^\s()]{0,200})(?:\([^()]{0,200}\))?$/u;

/** The line above the frames that says what failed also says where; the frame of that place follows. */
function dropHeader(found: Map<number, readonly ParsedFrame[]>): void {
  const [first, ...rest] = found;
  const [header] = first?.[1] ?? [];
  if (first === undefined || header === undefined || header.line === null) return;
  const isRepeated = rest.some(([, frames]) =>
    frames.some(({ file, line }) => line === header.line && fileName(file) === fileName(header.file)),
  );
  if (isRepeated) found.delete(first[0]);
}

/** A header that ends with a place whose lines follow, as compilers show them: `… in cart.less on line 42:`, `42 width: 1;`. */
function excerptOfHeader(lines: readonly StackLine[]): Map<number, ParsedFrame[]> | null {
  const [header, ...below] = lines;
  const [frame] = generalFrame(header?.text ?? '');
  if (frame === undefined || frame.line === null || frame.file === null) return null;
  const number = String(frame.line);
  const isShown = below.slice(0, EXCERPT_LINES_MAX).some(({ text }) => {
    const start = text.replace(/^[\s>→]{1,8}/, '');
    return start.startsWith(number) && /^[\s|:│]/.test(start.slice(number.length));
  });
  // The text in front of the place is the message.
  return isShown ? new Map([[0, [{ ...frame, function: '<anonymous>' }]]]) : null;
}

const EXCERPT_LINES_MAX = 12;

function fileName(file: string | null): string {
  return (
    forwardSlashes(file ?? '')
      .split('/')
      .at(-1) ?? ''
  );
}

/** The first frames make the key; a line of code is shorter. */
const LINES_MAX = 150;
const LINE_CHARS_MAX = 400;

function readChain(
  lines: readonly StackLine[],
  found: ReadonlyMap<number, readonly ParsedFrame[]>,
): ParsedException[] {
  const frames: ParsedFrame[] = [];
  let firstFrame = Number.POSITIVE_INFINITY;
  for (const [index, ofLine] of found) {
    frames.push(...ofLine);
    firstFrame = Math.min(firstFrame, index);
  }
  // Lines above the frames come first, unchanged.
  const headers: { text: string; index: number }[] = [];
  lines.forEach(({ text, indent }, index) => {
    if (!found.has(index) && indent < text.length) headers.push({ text, index });
  });
  const typed = headers.find(({ text }) => NAMED_AS_ERROR.test(readHeader(text).type));
  const above = headers.find(({ index }) => index < firstFrame);
  const header = readHeader(typed?.text ?? above?.text ?? '');
  const isOldestFirst =
    lines.some(({ text }) => NEWEST_LAST.test(text)) || (typed !== undefined && typed.index > firstFrame);
  return [{ ...header, frames: isOldestFirst ? frames.reverse() : frames }];
}

const NAMED_AS_ERROR = /(?:Error|Exception|Fault|Failure|Panic|Warning|Interrupt|Exit)$|\w(?:\.|::)\w/;
const NEWEST_LAST = /most recent call last/i;

function ownFrames({ text, indent }: StackLine, isFirst: boolean): readonly ParsedFrame[] {
  return isFirst && isHeader(text) ? [] : framesOfLine(text, indent);
}

const framesOfLine = rememberingLines((text): readonly ParsedFrame[] => generalFrame(text));

/** Names the error, and says more than a line. */
function isHeader(text: string): boolean {
  // Behind such words the only place of a failure may follow: Xdebug, consoles of web views.
  if (withoutLead(text) !== text) return false;
  const { type, message } = readHeader(text);
  return NAMED_AS_ERROR.test(type) && !/^line \d/.test(message);
}
