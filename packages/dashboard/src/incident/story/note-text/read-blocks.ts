/**
 * Blocks of a note: the subset of Markdown that notes are shown in (docs/contract/team-workflow.md 4). HTML, headings,
 * images and tables are text like any other.
 */
export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; items: ListItem[] }
  | { kind: 'quote'; blocks: Block[] };

export interface ListItem {
  text: string;
  /** The number of an ordered item; null: a bullet. */
  number: number | null;
  /** The depth of the item below those of the list, 0 to 3. */
  depth: number;
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const QUOTE = /^ {0,3}>/;
const ITEM = /^(\s{0,12})(?:[-*+]|(\d{1,6})[.)])[ \t]+(?=\S)/;
const INDENTED = /^(?: {2}|\t)/;
const QUOTE_DEPTH_MAX = 3;
const ITEM_DEPTH_MAX = 3;

/** Reads a note line by line; each line is read one time for each quote around it. */
export function readBlocks(text: string): Block[] {
  return blocksOf(text.split('\n'), 0);
}

function blocksOf(lines: readonly string[], quoteDepth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', text: paragraph.join('\n') });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const end = endOfBlock(lines, at, quoteDepth);
    if (end > at) {
      endParagraph();
      blocks.push(blockOf(lines.slice(at, end), quoteDepth));
    } else if (line.trim() === '') endParagraph();
    else paragraph.push(line);
    at = Math.max(end, at + 1);
  }
  endParagraph();
  return blocks;
}

/** The line behind the code, quote or list that begins at a line; the line itself when none begins there. */
function endOfBlock(lines: readonly string[], from: number, quoteDepth: number): number {
  const first = lines[from] ?? '';
  if (FENCE.test(first)) {
    let close = from + 1;
    while (close < lines.length && !FENCE.test(lines[close] ?? '')) close += 1;
    // Code without an end goes to the end of the note, as it does for mentions.
    return Math.min(close + 1, lines.length);
  }
  const isWithin =
    quoteDepth < QUOTE_DEPTH_MAX && QUOTE.test(first)
      ? (line: string) => QUOTE.test(line)
      : ITEM.test(first)
        ? (line: string) => isOfList(line, isOrdered(first))
        : null;
  if (isWithin === null) return from;
  let end = from + 1;
  while (end < lines.length && isWithin(lines[end] ?? '')) end += 1;
  return end;
}

function isOfList(line: string, isOrderedList: boolean): boolean {
  if (line.trim() === '' || FENCE.test(line)) return false;
  return INDENTED.test(line) || (ITEM.test(line) && isOrdered(line) === isOrderedList);
}

function isOrdered(line: string): boolean {
  return ITEM.exec(line)?.[2] !== undefined;
}

function blockOf(lines: readonly string[], quoteDepth: number): Block {
  const first = lines[0] ?? '';
  if (FENCE.test(first)) {
    const isClosed = lines.length > 1 && FENCE.test(lines.at(-1) ?? '');
    return { kind: 'code', text: lines.slice(1, isClosed ? -1 : undefined).join('\n') };
  }
  if (!QUOTE.test(first)) return listOf(lines);
  const inner = lines.map((line) => line.replace(/^ {0,3}> ?/, ''));
  return { kind: 'quote', blocks: blocksOf(inner, quoteDepth + 1) };
}

function listOf(lines: readonly string[]): Block {
  const items: (Omit<ListItem, 'text'> & { lines: string[] })[] = [];
  let margin = 0;
  for (const line of lines) {
    const marker = ITEM.exec(line);
    const current = items.at(-1);
    if (marker === null) {
      current?.lines.push(line.trim());
      continue;
    }
    const indent = (marker[1] ?? '').length;
    if (current === undefined) margin = indent;
    const depth = Math.min(ITEM_DEPTH_MAX, Math.max(0, Math.floor((indent - margin) / 2)));
    const number = marker[2] === undefined ? null : Number(marker[2]);
    items.push({ depth, number, lines: [line.slice(marker[0].length)] });
  }
  return {
    kind: 'list',
    items: items.map(({ lines: text, ...item }) => ({ ...item, text: text.join('\n') })),
  };
}
