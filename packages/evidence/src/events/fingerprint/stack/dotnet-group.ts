import { readDotnetStack } from './dotnet-stack.ts';
import { membersInOrder } from './group-members.ts';
import type { LanguageStack, ParsedException } from './parsed-stack.ts';
import type { StackLine } from './stack-lines.ts';

/**
 * The marks with which `AggregateException` prints its members: the first one as any inner exception, the others after
 * all of that.
 */
const MEMBER_OPEN = /^\s*(?:---> )?\(Inner Exception #(\d{1,6})\) /;
const MEMBER_NAME = '(Inner Exception #';
const MEMBER_CLOSE = '<---';
const DEPTH_MAX = 4;
const MEMBERS_MAX = 64;

/** .NET stack traces with the members of an aggregate (docs/contract/grouping.md 4). */
export function readDotnetGroup(lines: readonly StackLine[]): LanguageStack {
  if (!lines.some(({ text }) => text.includes(MEMBER_NAME))) return readDotnetStack(lines);
  const { frameLineCount } = readDotnetStack(lines.map(withoutClose));
  return { frameLineCount, readChain: () => readMembers(lines, 0) };
}

function readMembers(lines: readonly StackLine[], depth: number): ParsedException[] {
  const { own, members } = depth < DEPTH_MAX ? splitMembers(lines) : { own: lines, members: [] };
  const [outermost, ...inner] = readDotnetStack(own.map(withoutClose)).readChain();
  if (outermost === undefined) return [];
  if (members.length === 0) return [outermost, ...inner];
  const chains = members.map((member) => readMembers(member.lines, depth + 1));
  // Older runtimes print the inner exception a second time among the members.
  if (!members.some(({ number }) => number === 0) && inner.length > 0) chains.unshift(inner);
  return [
    { ...outermost, group: chains.flatMap(([leading]) => leading ?? []) },
    ...membersInOrder(chains).flat(),
  ];
}

/** The lines of a group itself, and those of its members. */
function splitMembers(lines: readonly StackLine[]): {
  own: StackLine[];
  members: { number: number; lines: StackLine[] }[];
} {
  const own: StackLine[] = [];
  const members: { number: number; lines: StackLine[] }[] = [];
  let depth = 0;
  for (const line of lines) {
    const opening = MEMBER_OPEN.exec(line.text);
    if (opening !== null) depth += 1;
    if (opening !== null && depth === 1 && members.length < MEMBERS_MAX) {
      const text = line.text.slice(opening[0].length);
      members.push({ number: Number(opening[1]), lines: [{ text, indent: 0 }] });
    } else if (depth > 0) members.at(-1)?.lines.push(line);
    else own.push(line);
    if (line.text.trimEnd().endsWith(MEMBER_CLOSE)) depth = Math.max(0, depth - 1);
  }
  return { own, members };
}

function withoutClose(line: StackLine): StackLine {
  const text = line.text.trimEnd();
  return text.endsWith(MEMBER_CLOSE) ? { ...line, text: text.slice(0, -MEMBER_CLOSE.length) } : line;
}
