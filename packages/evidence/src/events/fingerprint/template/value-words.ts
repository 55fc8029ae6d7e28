/** Currencies, but for codes that are words and names, such as `ALL` and `PHP`. */
export const CURRENCIES: ReadonlySet<string> = new Set(
  (
    'USD EUR GBP JPY CHF CAD AUD NZD CNY INR BRL MXN SEK NOK DKK ISK PLN CZK HUF RON BGN RSD RUB UAH KRW SGD HKD TWD ' +
    'ZAR ILS THB IDR MYR VND NGN KES EGP MAD AED SAR QAR CLP COP ARS PEN UYU BTC ETH USDT USDC € $ £ ¥ ₹ ₽ ₩ ₺ ₴'
  ).split(' '),
);
const CURRENCY_PAIR = /^([A-Z]{3})[/-]?([A-Z]{3})[.,:]?$/;

function isCurrencyPair(text: string): boolean {
  const [, first = '', second = ''] = CURRENCY_PAIR.exec(text) ?? [];
  return CURRENCIES.has(first) && CURRENCIES.has(second);
}

/** Returns true if a token is a value, by its own text alone. */
export function isValueText(text: string): boolean {
  if (hasDigit(text)) return !isNameWithDigits(text);
  if (HEX_LENGTHS.has(text.length) && HEX_LETTERS.test(text)) return true;
  if (text.includes('.') && isHostName(text)) return true;
  if (text.length >= 6 && text.length <= 8 && isCurrencyPair(text)) return true;
  return isPath(text);
}

const DIGIT = /\p{Nd}/u;

export function hasDigit(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) return true;
    if (code > 0x2ff) return DIGIT.test(text);
  }
  return false;
}

/** Lengths of digests and of the ids that are cut from them. */
const HEX_LENGTHS: ReadonlySet<number> = new Set([8, 12, 16, 20, 24, 32, 40, 64]);
const HEX_LETTERS = /^[a-f]+$/i;

/** Names of encodings, algorithms, protocols and processors. */
const NAME_WITH_DIGITS =
  /^(?:ipv?[46]|utf-?(?:7|8|16|32)(?:le|be|mb[34])?(?:_[a-z_]{1,30})?|latin-?\d|iso-?8859-\d{1,2}|(?:windows|cp|ibm)-?\d{3,4}|ucs-?[24]|base-?(?:16|32|58|64|85)(?:url)?|sha-?(?:[123]|224|256|384|512)|md[245]|crc-?(?:16|32)|ripemd-?160|(?:hs|rs|es|ps)(?:256|384|512)|(?:aes|des|rsa|rc|ed|dh|ecdsa|hmac)-?(?:3|4|128|192|256|448|512|1024|2048|4096|25519)(?:-(?:gcm|cbc|ctr|ecb))?|secp256[kr]1|p-?(?:256|384|521)|x509|x\.509|pkcs#?-?\d{1,2}|p12|tls-?v?1(?:\.[0-3])?|ssl-?v?[23](?:\.0)?|http\/?[123](?:\.[01])?|h[23]c?|oauth-?[12](?:\.0a?)?|x86(?:[-_]64)?|x64|i[3-6]86|amd64|arm(?:64|v[5-9]l?)|aarch64|win(?:32|64)|linux(?:32|64)|u?int(?:8|16|32|64|128)(?:_t)?|float(?:16|32|64)|[iu](?:8|16|32|64|128)|f(?:32|64)|(?:big|small|var)?char2?|(?:int|float|nvarchar|varchar)[248]|s3|ec2|k8s|i18n|l10n|a11y|b2[bc]|p2p|[23]d|2fa|mp[34]|h26[45]|vp[89]|es(?:5|6|20\d\d)|css[34]|html5|web[23](?:\.0)?|log4j2?|slf4j|junit[345]|neo4j|db2|sqlite3?|mysql[28i]?|psycopg[23]?|psycopg2-binary|boto3?|urllib[23]?|py(?:thon)?[23]|node[_-]?js\d?|vue[23]|angular2|socks[45]|pop3|imap4|smtp|layer-?[2347]|l[1-4]|utf8mb4|amqp-0-9-1|c\+\+\d\d|c99|c11|log10|log2|exp2|atan2|strtok_r|ext[234]|fat32|v[48]|ttl|sm[234]|sdk[23]?)$/i;

/** A name of code with one number inside: `Base64Decoder`, `OAuth2Client`, `ERR_HTTP2_STREAM`. */
const CAMEL_WITH_DIGITS = /^[A-Za-z]{0,40}[a-zA-Z]\d{1,2}(?=[A-Z][a-z]{2})[A-Za-z]{3,40}$/;
const CONSTANT_WITH_DIGITS = /^[A-Z]{2,20}(?:_[A-Z]{2,20}(?:\d[A-Z]{0,20})?){1,8}$/;
const TRAILING = /[.,:!?]{1,3}$/;

/** Names that hold a digit and are words all the same, also with the path of their module. */
export function isNameWithDigits(text: string): boolean {
  if (text.length > 80) return false;
  const bare = text.replace(TRAILING, '');
  if (NAME_WITH_DIGITS.test(bare)) return true;
  if (!bare.includes('.')) return isCodeName(bare);
  return CODE_PATH.test(bare) && bare.split('.').every((part) => !hasDigit(part) || isCodeName(part));
}

const CODE_PATH = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;

function isCodeName(text: string): boolean {
  return CAMEL_WITH_DIGITS.test(text) || CONSTANT_WITH_DIGITS.test(text);
}

const HOST = /^(?:[a-z\d_-]{1,63}\.){1,8}([a-z]{2,13})[.:]?$/i;
const HOST_LABELS: ReadonlySet<string> = new Set(
  (
    'com net org io dev app edu gov mil biz info cloud xyz online site tech store shop aero coop ' +
    'local localdomain internal intranet lan corp home arpa invalid svc cluster consul'
  ).split(' '),
);
const COUNTRY_LABELS: ReadonlySet<string> = new Set(
  (
    'example test ac ar at au be bg br ca ch ci cl cn co cz de dk ee es eu fi fr gr hk hu id ie il in ir it jp kr ' +
    'lt lu lv mx my ng nl no nz pe ph pk pt ro ru se sg si sk th tr tv tw ua uk us uy ve vn za'
  ).split(' '),
);
/** Names of code that end like a host. */
const NO_HOST = /^(?:java|javax|jakarta|system|microsoft|asp|socket|android|kotlin|go|os|fs|process)\./i;

function isHostName(text: string): boolean {
  if (text.length > 253 || NO_HOST.test(text)) return false;
  const match = HOST.exec(text);
  const last = match?.[1];
  if (last === undefined || last !== last.toLowerCase()) return false;
  if (HOST_LABELS.has(last)) return true;
  return COUNTRY_LABELS.has(last) && text.indexOf('.') !== text.lastIndexOf('.', text.length - 2);
}

/** Classes as the Java virtual machine writes them. */
const CLASS_PATH =
  /^L?(?:com|org|net|io|java|javax|jakarta|kotlin|scala|de|dev|edu|me|app)\/[\w$/]{1,200}[;.]?$/;
const DRIVE_PATH = /^[A-Za-z]:[\\/]./;

/** Absolute paths of two parts and more, relative ones of three and more. */
function isPath(text: string): boolean {
  if (text.includes('\\') && (DRIVE_PATH.test(text) || text.startsWith('\\\\'))) return true;
  const first = text.indexOf('/');
  if (first === -1) return false;
  if (DRIVE_PATH.test(text)) return true;
  const second = text.indexOf('/', first + 1);
  if (second <= first + 1 || second === text.length - 1) return false;
  return !CLASS_PATH.test(text);
}
