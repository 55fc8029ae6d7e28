import type { ParsedFrame } from '../parsed-stack.ts';
import { positionNumber, type StackLine } from '../stack-lines.ts';
import { placedFrame } from './general-frame.ts';

/** Erlang writes a whole stack as one term. */
const TERM =
  /\{'?([\w@.]{1,100})'?,\s?'?([\w@?!-]{1,200}?\/?\d{0,3}[\w-]{0,40})'?,\s?(?:\d{1,3}|\[[^\]]{0,200}\]),\s?\[\{file,\s?"([^"]{1,300})"\},\s?\{line,\s?(\d{1,9})\}/g;

/** Lines that a call of such a term takes at most where it is printed over several. */
const LINES_OF_TERM_MAX = 3;

/** The frames of a line that is or ends a term of Erlang; null for any other line. */
export function termFrames(lines: readonly StackLine[], index: number): ParsedFrame[] | null {
  const last = lines[index]?.text ?? '';
  if (!last.includes('{file,')) return null;
  const isContinued = last.trimStart().startsWith('[{file,');
  const above = isContinued ? lines.slice(Math.max(0, index - LINES_OF_TERM_MAX + 1), index) : [];
  // The call is the last of those that begin above.
  const from = above.findLastIndex(({ text }) => CALL_OF_TERM.test(text));
  const text = [...above.slice(Math.max(0, from)).map((line) => line.text.trim()), last.trim()].join('');
  const frames = [...text.matchAll(TERM)].map(([, , name = '', file = '', line]) =>
    placedFrame({ file, line, column: undefined }, name),
  );
  return frames.length === 0 ? null : frames;
}

const CALL_OF_TERM = /\{'?[\w@.]{1,100}'?,\s?'?[\w@?!/-]{1,240}'?,/;

/** Vim joins the calls of a stack, oldest first, and names the line of the newest one below. */
const VIM_CALLS = /^Error detected while (?:processing|compiling) (.{1,380}):$/;
const VIM_CALL = /^(?:function |script )?([^\s"*[\]]{1,200})(?:\[(\d{1,9})\])?$/;
const VIM_LINE = /^line {1,8}(\d{1,9}):$/;

/** The frames of a line of Vim, newest call first; null for any other line. */
export function vimFrames(lines: readonly StackLine[], index: number): ParsedFrame[] | null {
  const text = lines[index]?.text ?? '';
  if (!text.startsWith('Error detected')) return null;
  const calls = VIM_CALLS.exec(text)?.[1];
  if (calls === undefined) return null;
  const lineOfNewest = VIM_LINE.exec(lines[index + 1]?.text ?? '')?.[1];
  const frames = calls.split('..').flatMap((call) => {
    const [, name = '', line] = VIM_CALL.exec(call) ?? [];
    if (name === '') return [];
    const isFile = name.includes('/');
    const frame = placedFrame(
      { file: isFile ? name : '', line, column: undefined },
      isFile ? '<anonymous>' : name,
    );
    return [isFile ? frame : { ...frame, file: null }];
  });
  const newest = frames.at(-1);
  if (newest !== undefined) newest.line ??= positionNumber(lineOfNewest);
  return frames.length === 0 ? null : frames.reverse();
}

/** IPython before version 8 names file and function, and marks the line below: `----> 42     total(5)`. */
const PLACE_ABOVE_ITS_LINE = /^(?:File )?([^\s:]{1,300}|<[^>]{1,100}>) in ([\w<>.]{1,200})(?:\(|$)/;
const MARKED_LINE = /^\s{0,4}-{1,6}>\s{1,6}(\d{1,9})(?:\s|$)/;
const CELL = /^\s*Cell In ?\[\d{0,9}\], line (\d{1,9})(?:, in ([A-Za-z_][\w.]{0,200}))?/;
/** A cell of Databricks: `File <command-123>, line 4, in clean(df)`. */
const COMMAND = /^\s*File <command-[\d-]{1,40}>, line (\d{1,9}), in ([\w<>.]{1,200})(?:\(|\s*$)/;
const LINES_OF_SOURCE_MAX = 12;

export function isPlaceAbove(text: string): boolean {
  return text.includes(' in ') && PLACE_ABOVE_ITS_LINE.test(text);
}

/** Returns the frame of a line of a notebook, whose number is elsewhere; null for any other line. */
export function cellFrames(lines: readonly StackLine[], index: number): ParsedFrame[] | null {
  const text = lines[index]?.text ?? '';
  if (text.includes('->') && MARKED_LINE.test(text)) return [];
  const cell = text.includes('Cell In')
    ? CELL.exec(text)
    : text.includes('<command-')
      ? COMMAND.exec(text)
      : null;
  if (cell !== null)
    return [
      {
        ...placedFrame({ file: '<cell>', line: cell[1], column: undefined }, cell[2] ?? '<module>'),
        inApp: true,
      },
    ];
  const above = text.includes(' in ') ? PLACE_ABOVE_ITS_LINE.exec(text) : null;
  if (above === null) return null;
  const marked = lines
    .slice(index + 1, index + 1 + LINES_OF_SOURCE_MAX)
    .flatMap((line) => MARKED_LINE.exec(line.text)?.[1] ?? [])[0];
  if (marked === undefined) return null;
  return [placedFrame({ file: above[1] ?? '', line: marked, column: undefined }, above[2] ?? null)];
}
