/** Collectors and loggers write these in front of each line, with values that differ from line to line. */
const HEADS: readonly RegExp[] = [
  // Servers of builds: `2026-03-24 10:30:00 …`, `[10:30:00.123] …`.
  /^\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d{1,3}\.\d{3,6})?[ \t]{1,2}/,
  // syslog and Heroku: `Mar 24 10:30:00 web1 shop[4331]: …`, `2026-03-24T10:30:00+00:00 app[web.1]: …`.
  /^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?) (?:[\w.:-]{1,255} )?[\w./()@-]{1,128}(?:\[[\w.-]{1,40}\])?:(?: |$)/,
  // kubectl and containers: `shop-7d4f9c9b5-abcde shop 2026-03-24T10:30:00Z stderr F …`.
  /^(?:[\w./:[\]-]{1,253}[ \t]{1,4}){0,3}\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?(?: std(?:out|err) [FP](?: |$)|[ \t]|$)/,
  // Builds of images: `#12 4.645 …`.
  /^(?:#\d{1,4} )?\d{1,6}\.\d{1,3}(?: |$)/,
  // Android, with and without times.
  /^(?:\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\s{1,8}(?:\d{1,7}\s{1,8}\d{1,7}\s{1,8})?)?[VDIWEF][/ ][^(:\n]{1,80}(?:\(\s{0,6}\d{1,7}\))?:(?: |$)/,
  // Valgrind.
  /^==\d{1,10}==(?: |$)/,
];

/** A line in front of lines of Android, which is none of them. */
const BUFFER_OF_ANDROID = /^-{5,20} beginning of \w{1,20}$/;
/** The start of a record of Sidekiq, whose other lines have none. */
const HEAD_OF_SIDEKIQ =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z pid=\d{1,10} tid=\w{1,20} (?:\w{1,20}=\S{1,200} ){0,6}(?:DEBUG|INFO|WARN|ERROR|FATAL|UNKNOWN): /;

/** The text without what collectors and loggers write in front of its lines. */
export function withoutLinePrefixes(text: string): string {
  const lines = text.split(/\r\n|[\n\r]/);
  const kept = lines.filter((line) => !BUFFER_OF_ANDROID.test(line));
  const plain = withoutCommonText(withoutHeads(kept));
  return plain === lines ? text : plain.join('\n');
}

/** The lines without their heads, if all of them have one of one kind. */
function withoutHeads(lines: string[]): string[] {
  const first = lines.find(isFilled) ?? '';
  if (HEAD_OF_SIDEKIQ.test(first)) return lines.map((line) => line.replace(HEAD_OF_SIDEKIQ, ''));
  for (const head of HEADS) {
    if (!head.test(first)) continue;
    if (lines.every((line) => !isFilled(line) || head.test(line))) {
      return lines.map((line) => line.replace(head, ''));
    }
  }
  return lines;
}

/** The text that a collector or a logger writes in front of each line alike, up to the last mark of one. */
const COMMON = /^.{1,200}(?:\]:|[|\]>]|\w:) ?/;
const COMMON_CHARS_MAX = 220;

/** The lines without the text with which all of them begin: `web-1  | …`, `ERROR [main] …`. */
function withoutCommonText(lines: string[]): string[] {
  const filled = lines.filter(isFilled);
  const [first = ''] = filled;
  let length = Math.min(first.length, COMMON_CHARS_MAX);
  for (const line of filled) {
    let equal = 0;
    while (equal < length && line.charCodeAt(equal) === first.charCodeAt(equal)) equal += 1;
    length = equal;
    if (length === 0) return lines;
  }
  const common = filled.length < 2 ? '' : (COMMON.exec(first.slice(0, length))?.[0] ?? '');
  // The mark of a time is none, and the word of a frame no prefix.
  const isCut = common.endsWith(':') && /\d/.test(first.charAt(common.length));
  if (common.trim() === '' || isCut || /^\s*at\s/.test(common)) return lines;
  return lines.map((line) => (line.startsWith(common) ? line.slice(common.length) : line));
}

function isFilled(line: string): boolean {
  return line.trim() !== '';
}
