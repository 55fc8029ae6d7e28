/** The parts of a line of a note (docs/contract/team-workflow.md 4). */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'link'; text: string; href: string; host: string | null }
  | { kind: 'emphasis' | 'strong'; parts: Inline[] };

/**
 * Code, a named link that is no image, an address, or a run of marks. Every alternative ends at the next character of
 * its kind, so that no character is looked at often.
 */
const PIECE =
  /`[^`\n]+`|(?<!!)\[[^[\]\n]{1,500}\]\(https?:\/\/[^\s()<>]{1,2000}\)|https?:\/\/[^\s<>"')\]`]+|\*+|_+/gi;
const NAMED = /^\[([^\]]+)\]\((.+)\)$/s;
const MARKS = new Map<string, 'emphasis' | 'strong'>([
  ['*', 'emphasis'],
  ['_', 'emphasis'],
  ['**', 'strong'],
]);
const WORD = /[\p{L}\p{N}_]/u;
const SPACE = /^\s?$/u;
/** The end of a sentence or of emphasis, rather than of an address. */
const ADDRESS_END = new Set('.,;:!?*_');
/** Elements within elements, which hostile marks would otherwise make endless. */
const DEPTH_MAX = 8;

interface Open {
  mark: string;
  parts: Inline[];
}

/** Reads the text of a paragraph or item from left to right. */
export function readInline(text: string): Inline[] {
  const root: Open = { mark: '', parts: [] };
  const stack: Open[] = [root];
  const add = (part: Inline) => stack.at(-1)?.parts.push(part);
  let at = 0;
  PIECE.lastIndex = 0;
  for (let found = PIECE.exec(text); found !== null; found = PIECE.exec(text)) {
    const { index } = found;
    if (index > at) add(textOf(text.slice(at, index)));
    const piece = withoutEnd(found[0]);
    const part = partOf(piece);
    at = index + piece.length;
    // Marks behind an address are read too.
    PIECE.lastIndex = at;
    if (part !== null) add(part);
    else if (!closes(stack, piece, text[index - 1], text[at])) {
      const isOpen = MARKS.has(piece) && !isWord(text[index - 1]) && !SPACE.test(text[at] ?? '');
      if (isOpen && stack.length <= DEPTH_MAX) stack.push({ mark: piece, parts: [] });
      else add(textOf(piece));
    }
  }
  if (at < text.length) add(textOf(text.slice(at)));
  while (stack.length > 1) unwind(stack);
  return root.parts;
}

/** Ends the emphasis that a run of marks closes; false when it closes none. */
function closes(stack: Open[], mark: string, before: string | undefined, after: string | undefined): boolean {
  const kind = MARKS.get(mark);
  if (kind === undefined || SPACE.test(before ?? '') || isWord(after)) return false;
  const opener = stack.findLastIndex((open, depth) => depth > 0 && open.mark === mark);
  if (opener === -1) return false;
  // Marks that were opened within and never closed are text.
  while (stack.length > opener + 1) unwind(stack);
  const { parts } = stack.pop() ?? { parts: [] };
  if (parts.length === 0) stack.at(-1)?.parts.push(textOf(mark + mark));
  else stack.at(-1)?.parts.push({ kind, parts });
  return true;
}

function unwind(stack: Open[]): void {
  const open = stack.pop();
  if (open === undefined) return;
  const parent = stack.at(-1)?.parts;
  parent?.push(textOf(open.mark));
  for (const part of open.parts) parent?.push(part);
}

/** Null for marks. */
function partOf(piece: string): Inline | null {
  if (piece.startsWith('`')) return { kind: 'code', text: piece.slice(1, -1) };
  if (piece.startsWith('*') || piece.startsWith('_')) return null;
  const named = NAMED.exec(piece);
  return linkTo(named?.[2] ?? piece, named?.[1] ?? piece) ?? textOf(piece);
}

/** An address without the end of its sentence; every other piece unchanged. */
function withoutEnd(piece: string): string {
  if (!/^h/i.test(piece)) return piece;
  let end = piece.length;
  while (ADDRESS_END.has(piece[end - 1] ?? '')) end -= 1;
  return piece.slice(0, end);
}

/** A link to an address of the web; null for another one. */
function linkTo(address: string, text: string): Inline | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  return { kind: 'link', text, href: url.href, host: isSaidBy(text, url) ? null : url.host };
}

/** Returns true if the text of a link says to which host it leads. */
function isSaidBy(text: string, { host, origin }: URL): boolean {
  const said = text.trim().toLowerCase();
  return said === host || (said.startsWith(origin) && /^[/?#]?$/.test(said.charAt(origin.length)));
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character);
}

function textOf(text: string): Inline {
  return { kind: 'text', text };
}
