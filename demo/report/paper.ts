/** The output of the demo: plain lines, wrapped so that they are easy to read. */

const WIDTH_MAX = 110;
const LABEL_WIDTH = 20;
const ITEM_INDENT = 2;
const COLUMN_GAP = '  ';

let sections = 0;

export function title(text: string): void {
  write(`\n${text}\n${'='.repeat(text.length)}`);
}

/** A numbered part of the story. */
export function section(text: string): void {
  sections += 1;
  const heading = `${sections}. ${text}`;
  write(`\n${heading}\n${'-'.repeat(heading.length)}`);
}

export function say(text: string): void {
  for (const line of wrap(text, width())) write(line);
}

export function blank(): void {
  write('');
}

/** One of several things with its parts, each of which stays on one line. */
export function item(name: string, parts: readonly string[]): void {
  const words = [`${name}:`, ...parts.map((part, index) => (index < parts.length - 1 ? `${part},` : part))];
  for (const [index, line] of wrapWords(words, width() - ITEM_INDENT).entries()) {
    write(`${(index === 0 ? '-' : '').padEnd(ITEM_INDENT)}${line}`);
  }
}

/** `label: value`, with further lines of the value below each other. */
export function fact(label: string, ...values: (string | null)[]): void {
  const lines = values.flatMap((value) => (value === null ? [] : wrap(value, width() - LABEL_WIDTH)));
  (lines.length === 0 ? ['none'] : lines).forEach((line, index) => {
    write(`${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
  });
}

/** Columns as wide as what is in them; the last one is cut at the edge. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const last = widths.length - 1;
  const before = widths.slice(0, last).reduce((sum, size) => sum + size + COLUMN_GAP.length, 0);
  widths[last] = Math.min(widths[last] ?? 0, width() - before);
  for (const row of [head, widths.map((size) => '-'.repeat(size)), ...rows]) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(COLUMN_GAP);
    write(cut(line.trimEnd(), width()));
  }
}

export function verbatim(text: string): void {
  write(text);
}

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function wrap(text: string, size: number): string[] {
  return wrapWords(text.split(' '), size);
}

function wrapWords(words: readonly string[], size: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > size) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function width(): number {
  return Math.min(process.stdout.columns ?? WIDTH_MAX, WIDTH_MAX);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
