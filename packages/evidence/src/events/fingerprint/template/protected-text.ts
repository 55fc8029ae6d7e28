import type { MarkedText } from './marks.ts';

/** Numbers that name an error. */
const ERROR_NUMBER =
  /(?:(?<!(?:zip|post|postal|area|promo|coupon|discount|invite|country|currency) ?)code|errno|exit|exited|signal|error|status)(?:[ _]?(?:code|status|number|no))?[ :=([]{1,3}-?\d{1,5}(?!\w|[.,:-]\d)/gi;
const HASH_NUMBER = /(?<![\w)])#\d{1,5}(?!\w|[.,:-]\d)/g;
/** Results of Windows; behind vaguer words only failures, which have the highest bit. */
const RESULT_HEX =
  /(?:(?:HRESULT|code|NTSTATUS)[ :=([]{1,3}(?:0x)?[0-9a-f]{8}|(?:error|exception|status|result)[ :=([]{1,3}0x[89a-f][0-9a-f]{7})(?!\w)/gi;
const SQL_STATE = /SQLSTATE[ :=([]{1,3}[0-9A-Z]{5}\b/g;
const VENDOR_CODE =
  /\b(?:(?:ORA|PLS|TNS|TS|CS|MSB|NU|SQL|HHH|AMQ|PGRST|WFLY[A-Z]{2,6}|AADSTS)-?\d{3,6}|E\d{4,5})\b/g;

const HTTP_STATUS =
  /\b(?:HTTP(?:\/\d(?:\.\d)?)?|(?:respond(?:ed|s)|return(?:ed|s)|answer(?:ed|s)|response|got|received)(?: with)?(?: an?)?)(?: (?:status|code|error))?[ :=(]{1,3}[1-5]\d\d(?!\w|[.,:-]\d| (?:rows?|bytes|items?|results?|records?|ms|objects?|entries|lines)\b)/gi;
const HTTP_REASON =
  /(?<![\w.])[1-5]\d\d (?=(?:OK|Created|Accepted|No Content|Moved|Found|Not Modified|Bad Request|Unauthori[sz]ed|Payment Required|Forbidden|Not Found|Method Not|Not Acceptable|Request Time|Conflict|Gone|Length Required|Precondition|Payload|Unsupported|Unprocessable|Too Many|Internal|Server Error|Client Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway)\b)/g;

const NAMED_IDENTIFIER =
  /\b(?:reading|setting|property|attribute|method|function|variable|column|relation|table|field|constraint|constant|module|package|name|key) {1,2}(?:'[^'\n]{1,80}'|"[^"\n]{1,80}"|`[^`'\n]{1,80}['`])/gi;
const IDENTIFIER = /^[A-Za-z_$@][\w$@.:\\/-]*[?!=]?$/;
/** `utils2.merge is not a function`. */
const CODE_SUBJECT =
  /(?<![\w$.])[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){0,6}(?= is not (?:a function|defined|a constructor|iterable))/g;

/** What looks like a value and tells one error from another, replaced by marks. */
export function protectText(text: string, marks: MarkedText): string {
  const keep = (match: string): string => marks.keep(match);
  let open = text;
  if (QUOTES.test(open)) open = open.replace(NAMED_IDENTIFIER, (match) => keepIdentifier(match, marks));
  if (!/\d/.test(open)) return EIGHT_HEX.test(open) ? open.replace(RESULT_HEX, keep) : open;
  if (open.includes('SQLSTATE')) open = open.replace(SQL_STATE, keep);
  open = open.replace(VENDOR_CODE, keep);
  if (EIGHT_HEX.test(open)) open = open.replace(RESULT_HEX, keep);
  if (THREE_DIGITS.test(open)) open = open.replace(HTTP_STATUS, keep).replace(HTTP_REASON, keep);
  open = open.replace(ERROR_NUMBER, keep);
  if (open.includes('#')) open = open.replace(HASH_NUMBER, keep);
  return open.includes(' is not ') ? open.replace(CODE_SUBJECT, keep) : open;
}

const QUOTES = /['"`]/;
/** What results of Windows and HTTP statuses hold. */
const EIGHT_HEX = /[0-9a-f]{8}/i;
const THREE_DIGITS = /\d{3}/;

function keepIdentifier(match: string, marks: MarkedText): string {
  const quoteAt = match.search(QUOTES);
  const quoted = match.slice(quoteAt + 1, -1);
  if (!IDENTIFIER.test(quoted) || /\d{3}/.test(quoted)) return match;
  return marks.keep(`${match.slice(0, quoteAt)}'${quoted}'`);
}
