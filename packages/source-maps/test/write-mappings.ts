/** A segment of a generated line; without an original it maps nothing. */
export interface Segment {
  column: number;
  original?: { source: number; line: number; column: number; name: number | null };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number as mappings write it. */
export function vlq(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = '';
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += DIGITS[digit + (rest > 0 ? 32 : 0)];
  } while (rest > 0);
  return text;
}

/** The `mappings` of lines, with segments in the order in which they are given. */
export function writeMappings(lines: readonly (readonly Segment[])[]): string {
  const before = { source: 0, line: 0, column: 0, name: 0 };
  return lines
    .map((line) => {
      let column = 0;
      return line
        .map((segment) => {
          let text = vlq(segment.column - column);
          column = segment.column;
          const { original } = segment;
          if (original === undefined) return text;
          text += vlq(original.source - before.source) + vlq(original.line - before.line);
          text += vlq(original.column - before.column);
          Object.assign(before, { source: original.source, line: original.line, column: original.column });
          if (original.name === null) return text;
          text += vlq(original.name - before.name);
          before.name = original.name;
          return text;
        })
        .join(',');
    })
    .join(';');
}
