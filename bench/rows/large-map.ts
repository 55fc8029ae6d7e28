/** A build whose map has about so many bytes: code, and texts of sources with comments around it. */
export interface LargeBuild {
  code: Buffer;
  map: Buffer;
  segments: number;
  statements: number;
}

const STATEMENT = 'ab(cd);';
const STATEMENTS_PER_SOURCE = 2000;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function largeBuild(mapBytes: number): LargeBuild {
  const first = (delta: number, source: number, line: number) =>
    `${vlq(delta)}${vlq(source)}${vlq(line)}${vlq(-3)}`;
  const second = `${vlq(3)}AA${vlq(3)}`;
  const within = `${first(4, 0, 1)},${second}`;
  const ofSource = `${first(4, 1, 1 - STATEMENTS_PER_SOURCE)},${second},${Array(STATEMENTS_PER_SOURCE - 1)
    .fill(within)
    .join(',')}`;
  const sourceBytes = ofSource.length + JSON.stringify(textOf(0)).length + 20;
  const sources = Math.max(1, Math.round(mapBytes / sourceBytes));
  const start = `AAAA,${second},${Array(STATEMENTS_PER_SOURCE - 1)
    .fill(within)
    .join(',')}`;
  const map = {
    version: 3,
    sources: Array.from({ length: sources }, (_, n) => `src/part-${n}.ts`),
    sourcesContent: Array.from({ length: sources }, (_, n) => textOf(n)),
    names: [],
    mappings: [start, ...Array<string>(sources - 1).fill(ofSource)].join(','),
  };
  const statements = sources * STATEMENTS_PER_SOURCE;
  return {
    code: Buffer.from(STATEMENT.repeat(statements)),
    map: Buffer.from(JSON.stringify(map)),
    segments: statements * 2,
    statements,
  };
}

/** A source whose lines differ, as comments do. */
function textOf(source: number): string {
  const line = (n: number) =>
    `${STATEMENT} // ${Math.imul(source * STATEMENTS_PER_SOURCE + n, 2_654_435_761).toString(36)} beside the code`;
  return `${Array.from({ length: STATEMENTS_PER_SOURCE }, (_, n) => line(n)).join('\n')}\n`;
}

/** The length of a statement, which is where the next one begins. */
export const STATEMENT_CHARS = STATEMENT.length;

function vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit] ?? '';
  } while (rest > 0);
  return text;
}
