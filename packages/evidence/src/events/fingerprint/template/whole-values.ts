import { VALUE_MARK } from './marks.ts';

const IPV6 =
  /(?=[a-f:]{0,40}\d)(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:])/iy;
const IPV6_PART_CHARS_MAX = 4;

/** The type of the value that PHP met, as another value has another one: `must be of type int, string given`. */
const GIVEN_TYPE =
  /(\bmust be (?:of (?:the )?type|an instance of) [^,\n]{1,120}, )(?:an? )?[\w\\@]{1,120}( given)/;
/** The values of a key, behind the names of its columns: `Key (city, street)=(Bonn, Main) is not present`. */
const KEY_VALUES = /\)=\((?:[^()\n]|\([^()\n]{0,100}\)){1,300}\)/g;
/** An account of MySQL: `'shop'@'10.0.0.4'`. */
const ACCOUNT = /(['"`])[^'"`\n]{0,80}\1@(['"`])[^'"`\n]{0,255}\2/g;
const QUOTE_AND_AT = /['"`]@['"`]/;
/** The text that was searched for or given, and the owner of a connection. */
const SEARCHED =
  /(\bmatching |\b(?:with|for|got|received|invalid) value:? |\buser: )(['"`])[^'"`\n]{1,100}\2/g;
const OPERANDS = /(Unsupported operand types: )[\w\\@]{1,120} [^\w\s]{1,3} [\w\\@]{1,120}/;
/** Encoded bytes with the marks that fill their last group up; without these, a token with a digit is one value anyway. */
const ENCODED = /(?<![\w+/])[A-Za-z\d+/]{6,2048}={1,2}(?![\w+/=])/g;
const NAME_AND_SIGN = /^(?:[a-z\d]{1,40}|[A-Z\d]{1,40}|[A-Za-z]?[a-z\d]{1,40}(?:[A-Z][a-z\d]{1,40}){0,8})=$/;
const TWO_COLONS = /:[0-9a-f]{0,4}:/i;

/** The fields of a schedule: `0 12 ? * MON-FRI`. */
const SCHEDULE =
  /(?<![^\s"'`=([:])(?:(?:[*?\d]|[A-Z]{3}(?![A-Za-z]))[\w*?,/#-]{0,40} ){4,6}(?:[*?\d]|[A-Z]{3}(?![A-Za-z]))[\w*?,/#-]{0,40}(?![^\s"'`)\].,;:])/g;
const NAME_OF_FIELD =
  /^(?:SUN|MON|TUE|WED|THU|FRI|SAT|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(?:[-,#/]|$)/;

function scheduleMark(run: string): string {
  const fields = run.split(' ');
  const isSchedule =
    fields.some((field) => /^[*?]/.test(field)) &&
    fields.every((field) => /[*?\d]/.test(field) || NAME_OF_FIELD.test(field));
  return isSchedule ? VALUE_MARK : run;
}

/** The words of operating systems for a file, and the file without its directory in front of them. */
const OS_WORDS = /[Nn]o such file|[Pp]ermission denied|[Ii]s a directory|[Nn]ot a directory|[Ff]ile exists/;
const FILE_OF_OS =
  /(?<=^|[\s('"`])[\w@+-]{1,100}(?:\.[\w@+-]{1,40}){0,4}\.[A-Za-z]\w{0,9}(?=: (?:[Nn]o such file|[Pp]ermission denied|[Ii]s a directory|[Nn]ot a directory|[Ff]ile exists))/g;
/** The same in quotation marks, behind the call that failed. */
const CALL_OF_OS = /\bE(?:NOENT|ACCES|PERM|ISDIR|NOTDIR|EXIST|ROFS): /;
const FILE_OF_CALL =
  /(?<=\b(?:open|stat|lstat|unlink|rename|copyfile|mkdir|rmdir|scandir|access|chmod|chown|link|symlink|readlink|utime) ['"`])[\w@+ -]{1,100}(?:\.[\w@+-]{1,40}){0,4}\.[A-Za-z]\w{0,9}(?=['"`])/g;

/** Marks values that hold separators; a plural in brackets goes. */
export function markWholeValues(line: string): string {
  let text = line.includes('(s)') ? line.replaceAll('(s)', '') : line;
  if (text.includes('://')) text = markAround(text, '://', urlBounds, VALUE_MARK);
  if (text.includes('@')) text = markAround(text, '@', emailBounds, VALUE_MARK);
  if (text.includes('*')) text = text.replace(SCHEDULE, scheduleMark);
  if (text.includes('=')) text = text.replace(ENCODED, encodedMark);
  if (text.includes(')=(')) text = text.replace(KEY_VALUES, `)=(${VALUE_MARK})`);
  if (text.includes('@') && QUOTE_AND_AT.test(text)) text = text.replace(ACCOUNT, VALUE_MARK);
  if (text.includes('matching ') || text.includes(' value') || text.includes(' user')) {
    text = text.replace(SEARCHED, (_match, before: string) => before + VALUE_MARK);
  }
  if (OS_WORDS.test(text)) text = text.replace(FILE_OF_OS, VALUE_MARK);
  if (CALL_OF_OS.test(text)) text = text.replace(FILE_OF_CALL, VALUE_MARK);
  if (text.includes(' given')) text = text.replace(GIVEN_TYPE, `$1${VALUE_MARK}$2`);
  else if (text.includes('Unsupported operand types: ')) text = text.replace(OPERANDS, `$1${VALUE_MARK}`);
  return TWO_COLONS.test(text) ? markAround(text, ':', ipv6Bounds, VALUE_MARK) : text;
}

function encodedMark(run: string): string {
  return run.length % 4 === 0 && !NAME_AND_SIGN.test(run) ? VALUE_MARK : run;
}

type Bounds = { start: number; end: number } | null;

/** Replaces what `boundsOf` finds around each `anchor`, from left to right. */
function markAround(
  text: string,
  anchor: string,
  boundsOf: (text: string, at: number, from: number) => Bounds,
  mark: string,
): string {
  let marked = '';
  let copied = 0;
  for (let at = text.indexOf(anchor); at !== -1; at = text.indexOf(anchor, Math.max(copied, at + 1))) {
    const bounds = boundsOf(text, at, copied);
    if (bounds === null) continue;
    marked += text.slice(copied, bounds.start) + mark;
    copied = bounds.end;
  }
  return marked + text.slice(copied);
}

const SCHEME_CHARS_MAX = 21;
const URL_END = /[\s"'<>)\]}`]/g;
const URL_TRAILING = ',.;:!?';

function urlBounds(text: string, at: number, from: number): Bounds {
  const start = runStart(text, at, Math.max(from, at - SCHEME_CHARS_MAX), isSchemeCode);
  let end = urlEnd(text, at);
  while (URL_TRAILING.includes(text.charAt(end - 1))) end -= 1;
  return at - start < 2 || end <= at + 3 ? null : { start, end };
}

/** A bracket that opens inside belongs to the address: `?args[]=HTML`, `http://[::1]:80/`. */
function urlEnd(text: string, at: number): number {
  URL_END.lastIndex = at;
  let open = 0;
  let from = at;
  while (URL_END.test(text)) {
    const end = URL_END.lastIndex - 1;
    if (text.charAt(end) !== ']') return end;
    for (let index = from; index < end; index++) if (text.charAt(index) === '[') open += 1;
    if (open === 0) return end;
    open -= 1;
    from = end + 1;
  }
  return text.length;
}

/** The first part of an address is whole, so that an address has one place where it can begin. */
function ipv6Bounds(text: string, at: number, from: number): Bounds {
  const start = runStart(text, at, Math.max(from, at - IPV6_PART_CHARS_MAX), isHexCode);
  const before = start === 0 ? 0 : text.charCodeAt(start - 1);
  if (before === 0x3a || before === 0x5f || isLetterOrDigit(before)) return null;
  IPV6.lastIndex = start;
  return IPV6.test(text) ? { start, end: IPV6.lastIndex } : null;
}

function isHexCode(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

const LOCAL_CHARS_MAX = 64;
const DOMAIN = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/uy;

function emailBounds(text: string, at: number, from: number): Bounds {
  const start = runStart(text, at, Math.max(from, at - LOCAL_CHARS_MAX), isLocalCode);
  if (start === at) return null;
  DOMAIN.lastIndex = at + 1;
  return DOMAIN.test(text) ? { start, end: DOMAIN.lastIndex } : null;
}

function runStart(text: string, end: number, min: number, belongs: (code: number) => boolean): number {
  let start = end;
  while (start > min && belongs(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function isSchemeCode(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e;
}

function isLocalCode(code: number): boolean {
  return isSchemeCode(code) || code === 0x5f || code === 0x25 || (code >= 0xc0 && code < 0x2000);
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}
