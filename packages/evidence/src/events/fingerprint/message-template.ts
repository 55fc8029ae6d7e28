import { cutCodePoints } from './bounded-text.ts';
import { messageLine } from './message-line.ts';

const TEMPLATE_CODE_POINTS_MAX = 256;
const OBJECT_PASSES_MAX = 5;

/** Protected text is held by one low surrogate each: well-formed text has none that stands alone. */
const PLACEHOLDER_FIRST = 0xdc00;
const PLACEHOLDERS_MAX = 0x400;
const PLACEHOLDER = /[\udc00-\udfff]/g;

/**
 * The message with its values replaced by placeholders, at most 256 code points, never empty
 * (contract incidents 5.4.3, steps T01 to T27). `type` is the type of the exception that carries the
 * message, empty when there is none.
 */
export function messageTemplate(message: string, type: string): string {
  const kept: string[] = [];
  const open = protect(messageLine(message, type), kept);
  const template = restore(replaceValues(open), kept).trim();
  return cutCodePoints(template, TEMPLATE_CODE_POINTS_MAX) || '<empty>';
}

const SQL_STATE = /SQLSTATE\[[0-9A-Z]{5}\]/g;
const VENDOR_CODE = /\b(?:ORA|PLS|TNS|TS|CS|MSB|NU|SQL|HHH|AMQ|PGRST|WFLY[A-Z]{2,6})-?\d{3,6}\b/g;
const E_CODE = /\bE\d{4,5}\b/g;
const STATUS_CODE = /\b(?:HTTP(?:\/\d(?:\.\d)?)?|status(?: code)?|code)[ =:]{1,2}[1-5]\d\d\b/gi;
const NAMED_IDENTIFIER =
  /\b(?:reading|setting|property|attribute|method|function|variable|column|relation|table|field|constraint|constant|module|package|name|key)\s+(?:'[^'\n]{1,80}'|"[^"\n]{1,80}"|`[^`'\n]{1,80}['`])/gi;
const QUOTED_OBJECT = /'[A-Za-z_][\w.]*' object\b/g;
const IDENTIFIER = /^[A-Za-z_$@][\w$@.:\\/-]*[?!=]?$/;

/** T07: matches are moved into `kept`, in their place stands one placeholder each. */
function protect(text: string, kept: string[]): string {
  const hold = (match: string): string => {
    if (kept.length >= PLACEHOLDERS_MAX) return match;
    kept.push(match);
    return String.fromCharCode(PLACEHOLDER_FIRST + kept.length - 1);
  };
  const lockIdentifier = (match: string): string => {
    const quoted = match.slice(match.search(/['"`]/) + 1, -1);
    return IDENTIFIER.test(quoted) && !/\d{3}/.test(quoted) ? hold(match) : match;
  };
  return text
    .replace(SQL_STATE, hold)
    .replace(VENDOR_CODE, hold)
    .replace(E_CODE, hold)
    .replace(STATUS_CODE, hold)
    .replace(NAMED_IDENTIFIER, lockIdentifier)
    .replace(QUOTED_OBJECT, hold);
}

const URL_TEXT = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}]+/gi;
const EMAIL = /[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const DATE_TIME =
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?/g;
const CLOCK_TIME = /\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b/g;
const IPV4 = /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b/g;
const IPV6 = /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi;
const QUOTED =
  /(?<!\w)'(?:[^'\\\n]|\\.){0,300}'(?!\w)|"(?:[^"\\\n]|\\.){0,300}"|`[^`'\n]{0,300}['`]|\u201c[^\u201d\n]{0,300}\u201d|\u00ab[^\u00bb\n]{0,300}\u00bb/g;
const OBJECT = /\{[^{}\n]*[:=][^{}\n]*\}/g;
const LIST = /\[[^[\]\n]*,[^[\]\n]*\]/g;
const PATH = /(?<![\w>])(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}[\\/]?/g;
const PREFIXED_HEX = /\b0x[0-9a-f]+\b/gi;
const BARE_HEX = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi;
const PREFIXED_ID = /\b[A-Za-z][A-Za-z0-9]{1,9}_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{6,}\b/g;
const BUSINESS_ID = /\b[A-Z]{1,6}-\d{2,}\b/g;
const LONG_TOKEN = /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{18,}[A-Za-z0-9]\b/g;
const NUMBER = /(?<![\w.])[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?/g;
const DIGITS = /\d+/g;
const REPEATS =
  /(<(?:n|str|id|hex|uuid|ip|ts|url|email|path|obj|list)>)(?:(?:\s*[,;|/]\s*|\s+and\s+|\s+)\1)+/g;

/** T08 to T26. Placeholders bring no digit in, so text without one skips the steps that need one. */
function replaceValues(line: string): string {
  let text = line.replace(URL_TEXT, '<url>').replace(EMAIL, '<email>').replace(UUID, '<uuid>');
  if (/\d/.test(text)) {
    text = text.replace(DATE_TIME, '<ts>').replace(CLOCK_TIME, '<ts>').replace(IPV4, '<ip>');
  }
  text = text.replace(IPV6, '<ip>').replace(QUOTED, '<str>');
  for (let pass = 0; pass < OBJECT_PASSES_MAX; pass++) {
    const next = text.replace(OBJECT, '<obj>');
    if (next === text) break;
    text = next;
  }
  text = text.replace(LIST, '<list>').replace(PATH, '<path>');
  if (/\d/.test(text)) {
    text = text
      .replace(PREFIXED_HEX, '<hex>')
      .replace(BARE_HEX, '<hex>')
      .replace(PREFIXED_ID, '<id>')
      .replace(BUSINESS_ID, '<id>')
      .replace(LONG_TOKEN, '<id>')
      .replace(NUMBER, '<n>')
      .replace(DIGITS, '<n>');
  }
  return text.replace(REPEATS, '$1');
}

function restore(text: string, kept: string[]): string {
  if (kept.length === 0) return text;
  return text.replace(PLACEHOLDER, (unit, index: number) => {
    const high = text.charCodeAt(index - 1);
    if (high >= 0xd800 && high <= 0xdbff) return unit;
    return kept[unit.charCodeAt(0) - PLACEHOLDER_FIRST] ?? unit;
  });
}
