import { modulePath, writtenFile } from '../file-path.ts';
import { readHeader } from './exception-header.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { forwardSlashes, isVendorPath } from './vendor-path.ts';

/** The contract's pattern with `(.+?)\s*$` in a form that does not backtrack, and the line number kept. */
const FRAME = /^\s*File "([^"]+)", line (\d+)(?:, in (.*\S|.))?\s*$/;
const DIRECT_CAUSE = 'The above exception was the direct cause of the following exception';
const DURING_HANDLING = 'During handling of the above exception';

/** Python tracebacks (contract incidents 5.4.6, row python). */
export function readPythonStack(lines: readonly StackLine[]): LanguageStack {
  const found = new Map<number, ParsedFrame>();
  lines.forEach(({ text, indent }, index) => {
    if (!text.startsWith('File "', indent)) return;
    const match = matchPythonFrame(text);
    if (match?.[1] !== undefined) found.set(index, toFrame(match[1], match[2], match[3]));
  });
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
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
}

function readChain(lines: readonly StackLine[], found: ReadonlyMap<number, ParsedFrame>): ParsedException[] {
  let block: Block = { header: null, frames: [], causedByEarlier: false };
  const blocks = [block];
  lines.forEach(({ text, indent }, index) => {
    const frame = found.get(index);
    if (frame !== undefined) {
      block.frames.push(frame);
      return;
    }
    const direct = text.startsWith(DIRECT_CAUSE, indent);
    if (direct || text.startsWith(DURING_HANDLING, indent)) {
      block = { header: null, frames: [], causedByEarlier: direct };
      blocks.push(block);
    } else if (indent === 0 && text !== '' && block.frames.length > 0) {
      // Source lines are indented; the first line that is not names the exception.
      block.header ??= text;
    }
  });
  return outermostFirst(blocks);
}

/** From the last block back, as long as each names the one before as its cause. */
function outermostFirst(blocks: readonly Block[]): ParsedException[] {
  const chain: ParsedException[] = [];
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index];
    if (block === undefined) break;
    chain.push({ ...readHeader(block.header ?? ''), frames: block.frames.reverse() });
    if (!block.causedByEarlier) break;
  }
  return chain;
}

const UNNAMED: ReadonlySet<string> = new Set([
  '<lambda>',
  '<listcomp>',
  '<setcomp>',
  '<dictcomp>',
  '<genexpr>',
]);

function toFrame(file: string, line: string | undefined, written: string | undefined): ParsedFrame {
  return {
    module: modulePath(file),
    function: written === undefined ? '<module>' : functionName(written),
    file: writtenFile(file),
    line: positionNumber(line),
    column: null,
    inApp: isInApp(file),
  };
}

const LOCALS = '<locals>.';

function functionName(written: string): string {
  const locals = written.lastIndexOf(LOCALS);
  const name = locals === -1 ? written : written.slice(locals + LOCALS.length);
  return UNNAMED.has(name) ? '<anonymous>' : name || written;
}

function isInApp(file: string): boolean {
  if (/^<(?:frozen|string|stdin)/.test(file)) return false;
  return !/lib\/python\d/.test(forwardSlashes(file)) && !isVendorPath(file);
}
