import { membersInOrder } from './group-members.ts';
import type { ParsedException } from './parsed-stack.ts';
import type { StackLine } from './stack-lines.ts';

/** The marks with which Node.js prints the members of an `AggregateError`, and their indent after it. */
const MEMBERS_OPEN = '[errors]: [';
const CAUSE_OPEN = '[cause]: ';
const MEMBER_COLUMNS = 2;
/** Groups inside groups are printed, but do not occur in practice. */
const DEPTH_MAX = 4;
const MEMBERS_MAX = 64;

/** Returns true if any line starts the members of a group. */
export function isJsGroup(lines: readonly StackLine[]): boolean {
  return lines.some(isOpening);
}

/**
 * Reads a stack with the members of its group: they follow the rest of the chain in an order of their own.
 * @param read reads lines that hold no group
 */
export function readJsGroup(
  lines: readonly StackLine[],
  read: (lines: readonly StackLine[]) => ParsedException[],
  depth = 0,
): ParsedException[] {
  const open = lines.findIndex(isOpening);
  const opening = lines[open];
  if (opening === undefined || depth >= DEPTH_MAX) return read(lines);
  const close = lines.findIndex(
    ({ text, indent }, index) => index > open && indent === opening.indent && text.startsWith(']', indent),
  );
  const end = close === -1 ? lines.length : close;
  const before = lines
    .slice(0, open)
    .map((line, index) => withoutComma(index === 0 ? withoutBrackets(line) : line));
  const outer = read([...before, ...lines.slice(end + 1).map(withoutComma)]);
  const members = memberLines(lines.slice(open + 1, end), opening.indent + MEMBER_COLUMNS).map((member) =>
    readJsGroup(member, read, depth + 1),
  );
  // A cause that is indented as much is one of the same error.
  const isOutside = ({ text, indent }: StackLine) =>
    indent < opening.indent && text.startsWith(CAUSE_OPEN, indent);
  const owner = outer[before.filter(isOutside).length];
  const group = members.flatMap(([leading]) => leading ?? []);
  if (owner !== undefined && group.length > 0) owner.group = group;
  return [...outer, ...membersInOrder(members).flat()];
}

/** Lines of each member, without the comma behind it. */
function memberLines(lines: readonly StackLine[], column: number): StackLine[][] {
  const members: StackLine[][] = [];
  let isFirst = true;
  for (const line of lines) {
    if (isFirst && line.indent === column && members.length < MEMBERS_MAX) members.push([]);
    const { text } = withoutComma(line);
    // A comma behind a frame or a closing bracket ends a member, or something inside one, which is indented more.
    isFirst = text !== line.text;
    const isHead = members.at(-1)?.length === 0;
    members
      .at(-1)
      ?.push(isHead ? withoutBrackets({ text: text.slice(line.indent), indent: 0 }) : { ...line, text });
  }
  return members;
}

function withoutComma(line: StackLine): StackLine {
  return line.text.endsWith(',') ? { ...line, text: line.text.slice(0, -1) } : line;
}

/** An error without a stack is printed as `[Error: text] {`. */
function withoutBrackets(line: StackLine): StackLine {
  const { text, indent } = line;
  if (!text.startsWith('[', indent)) return line;
  const close = text.lastIndexOf(']');
  return close === -1 ? line : { text: text.slice(indent + 1, close), indent: 0 };
}

function isOpening({ text, indent }: StackLine): boolean {
  return text.startsWith(MEMBERS_OPEN, indent);
}
