import type { MarkedText } from './marks.ts';

/** Numbers that name an error. */
const ERROR_NUMBER =
  /(?:(?<!(?:zip|post|postal|area|promo|coupon|discount|invite|country|currency) ?)code|errno|exit|exited|signal|error|status|^msg)(?:[ _]?(?:code|status|number|no))?[ :=([]{1,3}-?\d{1,5}(?!\w|[.,:-]\d)/gi;
const ALERT_NUMBER = /\b(?:TLS|SSL) alert(?: number)? \d{1,3}(?!\w|[.,:-]\d)/gi;
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
/** Names and keys are those of code or those that people and programs give to their values: `session-17`. */
const OF_ANYTHING = /^(?:name|key) /i;
const NUMBERED = /[:-]\d{1,2}$|[:/]\d{1,20}[:/]/;
/** `utils2.merge is not a function`. */
const CODE_SUBJECT =
  /(?<![\w$.])[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){0,6}(?= is not (?:a function|defined|a constructor|iterable))/g;

/** Replaces texts that look like a value and distinguish one error from another by marks. */
export function protectText(text: string, marks: MarkedText): string {
  let open = text;
  if (QUOTES.test(open)) open = open.replace(NAMED_IDENTIFIER, (match) => keepIdentifier(match, marks));
  const signs = signsOf(open);
  if (signs === 0) return open;
  const keep = (match: string): string => marks.keep(match);
  if ((signs & DIGIT) === 0) return open.replace(RESULT_HEX, keep);
  if (open.includes('SQLSTATE')) open = open.replace(SQL_STATE, keep);
  if ((signs & NUMBER_OF_WORD) !== 0) open = open.replace(VENDOR_CODE, keep);
  if ((signs & EIGHT_HEX) !== 0) open = open.replace(RESULT_HEX, keep);
  if ((signs & THREE_DIGITS) !== 0) open = open.replace(HTTP_STATUS, keep).replace(HTTP_REASON, keep);
  open = open.replace(ERROR_NUMBER, keep);
  if (open.includes('lert')) open = open.replace(ALERT_NUMBER, keep);
  if (open.includes('#')) open = open.replace(HASH_NUMBER, keep);
  return open.includes(' is not ') ? open.replace(CODE_SUBJECT, keep) : open;
}

const QUOTES = /['"`]/;

const DIGIT = 1;
/** Eight hex digits in a row, as in results of Windows. */
const EIGHT_HEX = 2;
/** Three digits in a row, as in HTTP statuses. */
const THREE_DIGITS = 4;
/** Three digits and more behind a capital or a dash, as in codes of vendors. */
const NUMBER_OF_WORD = 8;

/** Returns the signs of such texts in a text, in one pass. */
function signsOf(text: string): number {
  let signs = 0;
  let digits = 0;
  let hexDigits = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) {
      digits += 1;
      hexDigits += 1;
      signs |= DIGIT;
      if (digits === 3) {
        signs |= THREE_DIGITS;
        const before = index < 3 ? 0 : text.charCodeAt(index - 3);
        if (before === 0x2d || (before >= 0x41 && before <= 0x5a)) signs |= NUMBER_OF_WORD;
      }
    } else {
      digits = 0;
      const letter = code | 0x20;
      hexDigits = letter >= 0x61 && letter <= 0x66 ? hexDigits + 1 : 0;
    }
    if (hexDigits === 8) signs |= EIGHT_HEX;
  }
  return signs;
}

function keepIdentifier(match: string, marks: MarkedText): string {
  const quoteAt = match.search(QUOTES);
  const quoted = match.slice(quoteAt + 1, -1);
  if (!IDENTIFIER.test(quoted) || /\d{3}/.test(quoted)) return match;
  if (OF_ANYTHING.test(match) && NUMBERED.test(quoted)) return match;
  return marks.keep(`${match.slice(0, quoteAt)}'${quoted}'`);
}
