import { forwardSlashes, modulePath, writtenFile } from '../file-path.ts';
import { readHeader } from './exception-header.ts';
import { membersInOrder } from './group-members.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { isGroupTraceback, readGroupTraceback, type TracebackPart } from './python-group.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { isVendorPath } from './vendor-path.ts';

/** The contract's pattern with `(.+?)\s*$` in a form that does not backtrack, and the line number kept. */
const FRAME = /^\s*File "([^"]+)", line (\d+)(?:, in (.*\S|.))?\s*$/;
const DIRECT_CAUSE = 'The above exception was the direct cause of the following exception';
const DURING_HANDLING = 'During handling of the above exception';

/** Python tracebacks (contract incidents 5.4.6, row python). */
export function readPythonStack(lines: readonly StackLine[]): LanguageStack {
  const part = isGroupTraceback(lines) ? readGroupTraceback(lines) : { lines: [...lines], members: [] };
  const found = framesOf(part);
  return { frameLineCount: countFrames(found), readChain: () => readChain(part, found) };
}

/** The frames of a part by the index of their lines, and those of its members. */
interface FoundFrames {
  byLine: Map<number, ParsedFrame>;
  members: FoundFrames[];
}

function framesOf({ lines, members }: TracebackPart): FoundFrames {
  const byLine = new Map<number, ParsedFrame>();
  lines.forEach(({ text, indent }, index) => {
    if (!text.startsWith('File "', indent)) return;
    const match = matchPythonFrame(text);
    if (match?.[1] !== undefined) byLine.set(index, pythonFrame(match[1], match[2], match[3]));
  });
  return { byLine, members: members.map(({ part }) => framesOf(part)) };
}

function countFrames({ byLine, members }: FoundFrames): number {
  return members.reduce((count, member) => count + countFrames(member), byLine.size);
}

/** File, line and function of a frame line, or null. */
export function matchPythonFrame(text: string): RegExpExecArray | null {
  return FRAME.exec(text);
}

interface Block {
  header: string | null;
  /** Oldest call first, as written. */
  frames: ParsedFrame[];
  /** True when the line before the block names the earlier block as its direct cause. */
  causedByEarlier: boolean;
  /** The chains of the exceptions inside a group. */
  members: ParsedException[][];
}

function readChain(part: TracebackPart, found: FoundFrames, isMember = false): ParsedException[] {
  let block: Block = { header: null, frames: [], causedByEarlier: false, members: [] };
  const blocks = [block];
  let nextMember = 0;
  const takeMembers = (lineIndex: number): void => {
    for (; (part.members[nextMember]?.after ?? Number.POSITIVE_INFINITY) <= lineIndex; nextMember++) {
      const member = part.members[nextMember];
      const frames = found.members[nextMember];
      if (member !== undefined && frames !== undefined)
        block.members.push(readChain(member.part, frames, true));
    }
  };
  part.lines.forEach(({ text, indent }, index) => {
    takeMembers(index);
    const frame = found.byLine.get(index);
    if (frame !== undefined) {
      block.frames.push(frame);
      return;
    }
    const direct = text.startsWith(DIRECT_CAUSE, indent);
    if (direct || text.startsWith(DURING_HANDLING, indent)) {
      block = { header: null, frames: [], causedByEarlier: direct, members: [] };
      blocks.push(block);
    } else if (indent === 0 && text !== '' && (block.frames.length > 0 || isNeverRaised(text, isMember))) {
      // Source lines are indented; the first line that is not names the exception.
      block.header ??= text;
    }
  });
  takeMembers(part.lines.length);
  return outermostFirst(blocks);
}

/** A member of a group that was put into it without being raised has no frame, only its own line. */
function isNeverRaised(text: string, isMember: boolean): boolean {
  return isMember && !text.endsWith('(most recent call last):');
}

/** From the last block back, as long as each names the one before as its cause. */
function outermostFirst(blocks: readonly Block[]): ParsedException[] {
  const chain: ParsedException[] = [];
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index];
    if (block === undefined) break;
    const group = block.members.flatMap(([leading]) => leading ?? []);
    chain.push({
      ...readHeader(block.header ?? ''),
      frames: block.frames.reverse(),
      ...(group.length > 0 ? { group } : {}),
    });
    for (const member of membersInOrder(block.members)) chain.push(...member);
    if (!block.causedByEarlier) break;
  }
  return chain;
}

const COMPREHENSIONS: ReadonlySet<string> = new Set(['<listcomp>', '<setcomp>', '<dictcomp>']);
const UNNAMED: ReadonlySet<string> = new Set(['<lambda>', '<genexpr>', ...COMPREHENSIONS]);

/** A frame by the name rules of Python. */
export function pythonFrame(
  file: string,
  line: string | undefined,
  written: string | undefined,
): ParsedFrame {
  const name = written === undefined ? '<module>' : bareName(written);
  return {
    module: modulePath(file),
    function: UNNAMED.has(name) ? '<anonymous>' : name,
    file: writtenFile(file),
    line: positionNumber(line),
    column: null,
    inApp: isInApp(file),
    ...(COMPREHENSIONS.has(name) ? { isInlined: true } : {}),
  };
}

const LOCALS = '<locals>.';

function bareName(written: string): string {
  const locals = written.lastIndexOf(LOCALS);
  return (locals === -1 ? written : written.slice(locals + LOCALS.length)) || written;
}

function isInApp(file: string): boolean {
  if (/^<(?:frozen|string|stdin|attrs generated|decorator-gen|makefun-gen|__array_function__)/.test(file))
    return false;
  return !/lib\/python\d/.test(forwardSlashes(file)) && !isVendorPath(file);
}
