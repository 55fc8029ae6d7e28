import * as keys from '@culprit/contract/events/secret-keys';

/** Applications send the same keys with every event, and reading the words of one takes as long as copying its value. */
const KEYS_REMEMBERED_MAX = 2_000;
const KEY_CHARS_MAX = 64;
const remembered = new Map<string, boolean>();

/** The ends of keys that name files, classes, settings, places in lists and references: `token.ts`, `CookieOverflow`, `nextPageToken`, `secretKeyRef`. */
const OF_OTHER =
  /(?:(?:^|[_.-]|next|prev(?:ious)?)(?:page|next|continuation|pagination|cursor|resume|sync|cancellation)_?token|(?:key|secret|token|password|credentials?)[_-]?(?:ref|command|cmd|prompt|store|manager)|per_?(?:second|minute|hour|day|month)|(?:bos|eos|pad|unk|sep|cls|mask|stop|special)_token|hashers?|(?:token|csrf|secret|password)[_-]?param(?:eter)?|otp_app|encoder|encryptor|generator|service|manager|factory|filter|resolver|repository|controller|validators|secure|same_?site|http_?only|rules?|reg_?exp?|schema|placeholder|strength|changed|overflow|theft|mismatch|\.(?:[cm]?[jt]sx?|py|rb|php|go|java|kt|cs|rs|vue|json|ya?ml|html|css|md))$/i;

/** `isSecretKey` of the contract and the further keys that the service knows, which remembers. */
export function isSecretKey(key: string): boolean {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const isSecret = (keys.isSecretKey(key) || isFurtherKey(key)) && !OF_OTHER.test(key);
  if (key.length > KEY_CHARS_MAX) return isSecret;
  if (remembered.size >= KEYS_REMEMBERED_MAX) remembered.clear();
  remembered.set(key, isSecret);
  return isSecret;
}

/** `holdsSecret` of the contract, which remembers. Texts that only say something about a secret hold none. */
export function holdsSecret(key: string, value: unknown, mark?: string): boolean {
  if (isOfAmbiguous(key, value)) return true;
  if (!isSecretKey(key) || (typeof value === 'string' && isFolder(key, value))) return false;
  if (mark !== undefined && typeof value === 'string' && (mark ? BEHIND_TEXT : READ_FROM).test(value))
    return false;
  return (isFurtherKey(key) || keys.holdsSecret(key, value)) && !saysNothing(value) && !isOwnName(key, value);
}

/** The code behind a quoted text, whose end looks like the beginning of a value: `"bad token: " + token`. */
const BEHIND_TEXT = /^(?: \+ [\w$]|, [A-Za-z_$][\w.$]{0,64}[),]|(?:\)+[;,]?|;)(?:[\r\n]|$))/;

/** `token = :token`, `token = @Token`, `s.token = t.token`: parameters and columns of statements. */
function isOwnName(key: string, value: unknown): boolean {
  const [, name] = typeof value === 'string' ? (/^(?:[:@]|\w{1,32}\.)(\w{1,64})$/.exec(value) ?? []) : [];
  if (/secret[_-]?id$/i.test(key) && /^(?:[a-z_.-]+(?:\/[a-z_.-]+)+|arn:\S{1,256})$/i.test(String(value)))
    return true;
  // The ids of a text that a model reads.
  if (/tokens?$/i.test(key) && /^\[\d{1,6}(?:, ?\d{1,6}){1,64}\]?$/.test(String(value))) return true;
  // The status of an answer.
  if (/token$/i.test(key) && /^[345]\d\d$/.test(String(value))) return true;
  return name !== undefined && key.toLowerCase().endsWith(name.toLowerCase());
}

/** The working directory of a shell, and the file that holds a secret. */
function isFolder(key: string, value: string): boolean {
  if (FILE.test(value)) return true;
  return /^(?:OLD)?PWD$/.test(key)
    ? /^(?:[/~]|[A-Z]:[\\/])/.test(value)
    : /^pwd$/i.test(key) && /^(?:~|[A-Z]:)?(?:[\\/][\w.-]{1,64}){2,16}$/.test(value);
}

const FILE =
  /^(?:~|\.{1,2}|[A-Z]:)?(?:[\\/][\w.@-]{1,64}){1,16}\.(?:json|pem|key|crt|cer|p12|pfx|jks|txt|ya?ml|env|enc)$/;

/** Last words of keys, in the languages of applications, that the table of browsers has no room for. */
const FURTHER =
  /(?:^|[^\p{L}])(?:oauth_?verifier|samlart|(?:client|saml)_?assertion|device_?code|wresult|mnemonic(?:_?phrase)?|dockerc(?:onfigjson|fg)|security_?answer|priv(?:ate)?_?key|(?:session|cipher|fernet|webhook|licen[cs]e|service_?role|application)_?key|(?:api|access)_sign|(?:sms|login)_?code|userpass|pswd|asp_net_session_?id|wordpress_(?:logged_in|sec)_\w+|art_?api|wachtwoord|kennwort|mot_?de_?passe|mdp|pass_?[12]|psk|(?:rsa|deploy)_?key|parola|salasana|d?sonar_login|honeycomb_team|jelsz[oó]|contrase(?:ñ|n|ny)a|has[lł]o|heslo|adgangskode|l[oö]senord|[sş]ifre|пароль|密码|密碼|パスワード|비밀번호)$/iu;

/** Names of other things, too, such as primary keys, and of public keys. */
const AMBIGUOUS = /^(?:claves?|clave_?(?:acceso|secreta)|pkey|pass_?key|ssh_?key|host_?key)$/i;

/** Variables of an environment such as `MANDRILL_KEY`, but no names of keys that tables, caches and browsers have. */
const ANY_KEY =
  /^(?!(?:.*_)?(?:PUBLIC|PUBLISHABLE|ANON|SITE|CACHE|PRIMARY|FOREIGN|UNIQUE|OBJECT|S3|SORT|PARTITION|HASH|ROUTING|IDEMPOTENCY|DEDUP\w*|LOOKUP|GROUP|STORAGE|QUERY|STATE|LOCK|TRANSLATION)_KEY$)[A-Z][A-Z\d_]{1,60}_KEY$/;
/** Sessions of command lines, `BW_SESSION` */
const SESSION = /^[A-Z][A-Z\d_]{1,60}_SESSION$/;
const LONG_SESSION = /^(?=[^\d]{0,64}\d)(?=[^a-z]{0,64}[a-z])[\w+/=-]{40,8192}$/;
const LONG_RANDOM = /^(?=.*\d)(?=.*[a-z])(?![\da-f-]{36}$)[\w.:+=-]{20,256}$/i;

/** Keys of services and roles: names of such a thing, too. */
const ROLE_KEY = /(?:^|[_.-])(?:service|admin|server|ingest|write|read|routing|integration|sas)_?key$/i;

const ROLE_VALUE = /^(?=.*\d)(?=.*[a-z])(?![\da-f-]{36}$)[\w+/=-]{20,256}$/i;
/** `checkout-api-v2-eu-west-1` */
const NAME_IN_WORDS = /^[a-z]+(?:[-_][a-z\d]{1,12}){2,16}$/;

/** Names of food, cities and servers, too. */
const SALT = /(?:^|[_.-]|[a-z](?=S))(?:salt|pepper)$/i;
const RANDOM = /^(?=.*\d)(?=.*[a-z])(?:[^\s@]{8,512}|(?=.*[^\w\s.,:;!?()'"-]).{40,512})$/i;

function isOfAmbiguous(key: string, value: unknown): boolean {
  if (SESSION.test(key) && typeof value === 'string')
    return value === keys.REDACTED || LONG_SESSION.test(value);
  if (ANY_KEY.test(key) && typeof value === 'string')
    return value === keys.REDACTED || LONG_RANDOM.test(value);
  if (typeof value === 'string' && /key$/i.test(key) && ROLE_KEY.test(inWords(key)))
    return value === keys.REDACTED || (ROLE_VALUE.test(value) && !NAME_IN_WORDS.test(value));
  if (SALT.test(key) && typeof value === 'string') return value === keys.REDACTED || RANDOM.test(value);
  if (!AMBIGUOUS.test(key) || typeof value !== 'string') return false;
  return (
    value === keys.REDACTED ||
    (/^(?!ssh-|ecdsa-)(?=.*\d)(?=.*[^\d-])\S{6,}$/.test(value) && !/^[\da-f-]{36}$/.test(value))
  );
}

function isFurtherKey(key: string): boolean {
  return FURTHER.test(inWords(key));
}

function inWords(key: string): string {
  return key
    .slice(0, 2 * KEY_CHARS_MAX)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[-.]/g, '_');
}

/** Parameters of statements, templates, masks of others, and how Ruby ends the name of a setter. */
const NO_VALUE =
  /^(?:none|nil|(?:protected|private)\]=|\[(?:MASK|UNK|SEP|PAD|CLS|BOS|EOS)\]|n\/a|unknown|disabled|<?(?:your|my|some|example)[-_ ]?(?:(?:api|access|secret|auth)[-_ ]?)?(?:key|token|password|secret)>?|\.{3}|\[object \w{1,32}\]?|\[\s{0,8}\]|\{\s{0,8}\}|required|optional|missing|invalid|expired|empty|string|GPIO\d{1,3}|[AD]\d{1,2}|\d{1,2}(?:, ?\d{1,2}){0,40}|\$\d{1,3}|\?|%[a-z]|@p\d{1,3}|@__\w{1,64}_\d{1,3}|(?:required|nullable|sometimes|bail|string|confirmed|present)(?:\|[a-z_]{1,32}(?::[\w,.]{1,64})?){0,16}|obligatoire|obligatori[oa]|obbligatori[oa]|obrigatóri[oa]|requerid[oa]|requis|erforderlich|pflichtfeld|ungültig|périmée?|expirée?|manquante?|inválid[oa]|invalide|[|>][+-]?|[*•]{3,}|[[<*(]{0,3}(?:filtered|redacted|hidden|masked|removed|scrubbed)[\]>*)]{0,3}|!!\w{1,16}|(?:min|max|len|[gl]te?|eq)[=:]\d{1,4}|<\|?\/?[a-z_]{1,24}\|?>|!vault|ENC\[AES256_GCM\b[^\r\n]{0,380}|\$\{[\w.:-]{1,128}|\$?\{{1,2}[\w .()!:-]{1,128}\}{1,2}|\$\{\{|\$\([\w.-]{1,64}\)| for (?:nil\b|an? |#<|class )[^\r\n]*)$/i;
/**
 * Variables of a shell, codes of failures, signals, answers to banners, ids of Stripe's objects, and
 * types.
 */
const OTHER_VALUE =
  /^(?:\$(?:env:)?[A-Z_][A-Z\d_]{2,64}|%[A-Z_][A-Z\d_]{2,64}%|(?=[A-Z_]{0,48}(?:INVALID|MISSING|EXPIRED|REVOKED|REQUIRED|FAIL|ERR|NOT_|WRONG|MISMATCH|UNAUTH|DENIED|TOO_))[A-Z]{2,24}(?:_[A-Z]{2,24}){1,8}|SIG[A-Z]{2,9}|\(string|accepted|rejected|declined|(?:tok|src|card|ba|pm|cus)_[A-Za-z\d]{14,32}|(?:\d{1,6}[kM]|(?:str(?:ing)?|number|int|bytes|boolean|any)(?:\[\]?|\?)?|(?:Optional|Union|List|Sequence|Option|Dict|Iterable|Array|Promise)\[(?:str|int|bytes|bool|[A-Z][A-Za-z]{2,32})\b[^\d]{0,128})|\{\s{0,8}\\{0,3}["']?type\\{0,3}["']?\s?:\s?\\{0,3}["']?(?:string|number|integer|object|boolean|array)\b(?![^}]{0,256}(?:default|example|const|enum|value)).{0,256})$/;
/** The places from which source lines in a text read a secret, and the beginning of the next part of a message. */
const READ_FROM =
  /^(?:process\.env\.|(?:os\.)?environ(?=[.[])|params(?=\[)|req(?:uest)?\.|self\.|this\.)[\w.]{0,64}(?:[([]:?["']?\w{0,64}["']?)?[)\]]?!?$|^[a-z][a-z_.-]{0,48}:$/i;
/** A list as texts show it. */
const LIST = /^\[([^[\]]{1,256})\]$/;
/** Messages of validators; a word with digits could be the entered value. */
const SENTENCE = /^[[\s"'\\]{0,8}(?=\p{L})(?!.*(?:\p{L}\d|\d\p{L}))[\p{L}\d .,;:!'’"\\()[\]-]{8,400}$/u;
const ABOUT_VALUES =
  /\b(?:(?:must|should|may not|can(?:no|['’])t|cannot|needs? to|ha(?:s|ve)(?: to)?) (?:be|have|contain|match|include)|is (?:too|not|required|invalid|missing|incorrect|wrong)|too (?:short|long|weak|common)|required|at least|does(?:n['’]t| not) match|muss|darf|doit|debe|deve|dovrebbe|ist (?:zu|ungültig|erforderlich)|mindestens|minimum|mínimo|minimo|au moins|al menos|pelo menos|almeno|obligatoire|obligatori[oa]|obrigat|(?:trop|demasiado|muito|troppo) (?:court|cort[oa]|curt[oa]|long|larg[oa])|already been (?:used|taken)|characters|Zeichen|caract|(?:has )?expired|malformed)\b/i;
const WORDS_MIN = 3;
/** A complaint of fewer words. */
const TOO =
  /^\W{0,3}(?:(?:is |are )?(?:too (?:short|long|weak|common)|required|invalid|missing|incorrect|wrong|expired|blank|empty|mandatory|not (?:valid|set|found))|ha(?:s|ve) expired|can(?:not|['’]t) be (?:blank|empty|null))\W{0,3}$/i;

/** Returns true if a value names no secret: `$1`, `${TOKEN}`, `[Filtered]`, `["is too short (minimum is 8)"]`. */
function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.length < 10 && value.every(saysNothing);
  if (typeof value !== 'string' || value.length > 400) return false;
  if (TOO.test(value) || OTHER_VALUE.test(value)) return true;
  if (NO_VALUE.test(value)) return value !== keys.REDACTED;
  const list = LIST.exec(value)?.[1]
    ?.split(/, ?/)
    .map((part) => part.replace(/^["']|["']$/g, ''));
  if (list !== undefined && list.length < 10 && list.every((part) => NO_VALUE.test(part))) return true;
  return SENTENCE.test(value) && value.trim().split(/\s+/).length >= WORDS_MIN && ABOUT_VALUES.test(value);
}

/** A path, a call or an index, of which the text up to its first quotation mark or bracket is known. */
const EXPRESSION =
  /^(?:(?:await|new|typeof) )?[@$*&]{0,2}[\p{L}_$][\w$]*(?:(?:\?\.|[.!]|->|::)\$?[\w$]+|\([\w$.,:=]*\)?|\[:?[\w$]*\]?)*$/u;
/** Up to the arrow of PHP, behind which a text ends. */
const PHP_OBJECT = /^\$\w+-$/;
/** A call with its arguments, and the parameters of a function. */
const CALL = /^(?:(?:await|new) )?(?:[\p{L}_$][\w$.]*)?\((?!\s*$)[^"'`]*$/u;
/** An object or a list without a text in it. */
const WITHOUT_TEXT = /^[{[][^"'`]*$/;

/** The same as `holdsSecret` of a name in source code, where a value without quotation marks is an expression. */
export function holdsSecretInCode(key: string, value: unknown, mark?: string): boolean {
  if (
    mark === '' &&
    typeof value === 'string' &&
    [EXPRESSION, CALL, PHP_OBJECT, WITHOUT_TEXT].some((pattern) => pattern.test(value))
  )
    return false;
  return holdsSecret(key, value, mark);
}

/** The same of a line of a program or of a file with settings, as a message quotes them: only calls are certain. */
export function holdsSecretInQuoted(key: string, value: unknown, mark?: string): boolean {
  return typeof value === 'string' && value.includes('(')
    ? holdsSecretInCode(key, value, mark)
    : holdsSecret(key, value, mark);
}
