import type { StackLine } from './stack-lines.ts';

/** A stretch of a traceback at one level, the members of an exception group after the line that names it. */
export interface TracebackPart {
  /** Without the bars of the drawing. */
  lines: StackLine[];
  /** The exceptions inside the group, each with the number of lines of this part before it. */
  members: { after: number; part: TracebackPart }[];
}

/** The beginning of the drawing of a group, at any level. */
const GROUP_HEAD = /^\s*(?:[|+] )*\+? ?Exception Group Traceback \(most recent call last\):/;
/** `| text`, the head of the outermost group `+ text`. */
const BARRED = /^( *)(?:\||\+(?= ))( ?)(.*)$/;
/**
 * `+-+---- 1 ----` opens the first member, `+---- 2 ----` each other one, `+--------` closes the last. Behind
 * `+---- ... ----` only a number of members follows that were left out.
 */
const RULE = /^( *)\+-(\+-)?-{4,}(?: (\d{1,9}|\.\.\.) -{4,})?\s*$/;
/** Deeper groups are drawn, but do not occur in practice. */
const DEPTH_MAX = 16;
/** Columns that each level is indented by. */
const LEVEL_COLUMNS = 2;

/** Returns true if any line starts the drawing of an exception group (Python 3.11 and the backport for older ones). */
export function isGroupTraceback(lines: readonly StackLine[]): boolean {
  return lines.some(({ text, indent }) => {
    const first = text.charAt(indent);
    return (first === '+' || first === '|') && GROUP_HEAD.test(text);
  });
}

/** Reads the drawing of exception groups into parts; text outside of it belongs to the outermost part. */
export function readGroupTraceback(lines: readonly StackLine[]): TracebackPart {
  const root: TracebackPart = { lines: [], members: [] };
  // The part at each level; the outermost group is drawn at the first one.
  const open: TracebackPart[] = [root];
  for (const line of lines) {
    const rule = RULE.exec(line.text);
    if (rule !== null) {
      const level = levelOf(rule[1]) + (rule[2] === undefined ? 0 : 1);
      const parent = open[level - 2];
      open.length = Math.max(1, Math.min(open.length, level - 1));
      if (parent === undefined || level > DEPTH_MAX || rule[3] === undefined) continue;
      const part = { lines: [], members: [] };
      if (rule[3] !== '...') parent.members.push({ after: parent.lines.length, part });
      open.push(part);
      continue;
    }
    const barred = BARRED.exec(line.text);
    if (barred === null) {
      open.length = 1;
      root.lines.push(line);
      continue;
    }
    const level = levelOf(barred[1]);
    open.length = Math.max(1, Math.min(open.length, level));
    const text = barred[3] ?? '';
    open.at(-1)?.lines.push({ text, indent: text.length - text.trimStart().length });
  }
  return root;
}

function levelOf(indentation: string | undefined): number {
  return Math.max(1, Math.floor((indentation?.length ?? 0) / LEVEL_COLUMNS));
}
