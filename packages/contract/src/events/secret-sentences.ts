import {
  DRIVER_ADDRESSES,
  HOOKS,
  LINKS,
  PARAMETERS,
  SESSION_PATHS,
  SIGN_IN_CODES,
  USER_INFO,
} from './secret-addresses.ts';
import { COMMANDS, STATEMENTS, TOOLS, withoutEnd } from './secret-commands.ts';
import { redactForm, type SecretForm, type SecretTest } from './secret-form.ts';
import { REDACTED } from './secret-keys.ts';
import { redactManifests } from './secret-manifests.ts';
import { redactCalls, redactRecords, redactRests } from './secret-records.ts';
import { ISSUED_VALUES, KEY_PARTS, PASSWORD_HASHES } from './secret-values.ts';

/**
 * Secrets in sentences, commands, records and addresses, where neither a key nor an issuer's form marks them
 * (docs/contract/clients.md 10.1). The one table of service, Node library, command line and MCP. Linear in the text;
 * applied again it changes nothing.
 */

const PASSWORDS: readonly SecretForm[] = [
  { pattern: /(contraseñas?=["']?)([^\s"'&;,<>]{4,128})/gi, isKept: (value) => !/\d/.test(value) },
  // No blank behind the colon, as no address, type or permission has it.
  {
    pattern:
      /((?<!:)(?:\b(?:pass(?:word|wd|phrase|code|wort)|pwd|secret|token|api[-_]?key)|\/pass):)([^\s"'`:/\\<>()[\]{},;&=|][^\s"'`:\\<>()[\]{},;&=|]{3,128})/gi,
    isKept: (value) => /^(?:[a-z]{1,12}|\d{1,7})[.!?]?$/i.test(value) || PLACE.test(value),
  },
  // ODBC, whose braces are no template
  {
    pattern: /((?:^|[\s;"'])(?:pwd|password) ?= ?\{)((?:[^{}\r\n]|\}\}){1,256})(?=\})/gi,
    isKept: (value) => /^[a-z_]+(?:[.:][a-z_]*)?$/i.test(value),
  },
  // A row of a table, and a line with a tab between; no types of columns
  {
    pattern:
      /((?:^|\n)[ \t]{0,8}\|?[ \t]{0,8}[\w.-]{0,32}(?:pass(?:word|wd|phrase|code)|pwd|secret|token|api_?key) {0,32}[|\t][ \t]{0,8})((?=[^\s|]{0,64}\d)(?=[^\s|]{0,64}[a-z])[^\s|()]{6,512})(?=[ \t]{0,32}(?:\||\r?\n|$))/gi,
    isKept: (value) => /^n?(?:varchar|u?int|float|char|bigint|text|json|uuid|timestamp)\w{0,8}$/i.test(value),
  },
  // Commands that store a secret, and Cisco's
  {
    pattern:
      /(\b(?:gh secret set|wrangler secret put|circleci context store-secret(?: [\w-]{1,64}){3}) [\w-]{1,64} (?:(?:--body|-b)[ =])?["']?)([^\s"'<$-][^\s"']{3,512})/g,
  },
  {
    pattern:
      /(\s--(?:value|body|data|secret-(?:string|value|data))[ =]["']?)(?!\{|@|file:|\d+(?:\s|$))([^\s"'$<-][^\s"']{3,512})/g,
    isKept: (_, text, at) => !OF_SECRETS.test(commandAround(text, at)),
  },
  {
    pattern:
      /(\b(?:user-secrets set|chamber write \S{1,64}) ["']?[\w.:-]{1,64}["']? ["']?)([^\s"'$<-][^\s"']{3,512})/g,
  },
  { pattern: /(\bsecrets set (?:-\S{1,64} ){0,4}["']?[\w.-]{1,128}=)([^\s"'$<][^\s"']{3,512})/g },
  { pattern: /(::add-mask::|\bissecret=true\])([^\s\r\n][^\r\n]{3,512})/gi },
  {
    pattern:
      /(\b(?:mnemonic|(?:seed|recovery|secret)[ _](?:phrase|words))["']?(?:: ?| is | ?= ?| )["']?)((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])/gi,
  },
  { pattern: /(\s--from-literal[ =]["']?[\w.-]{1,128}=)([^\s"'$<][^\s"']{0,512})/g },
  {
    pattern:
      /(\brclone config \w{1,16} [^|;\r\n]{0,128}?\b(?:pass|token|secret_access_key)[ =]["']?)([^\s"'$-][^\s"']{3,512})/g,
  },
  { pattern: /(\b(?:password|secret) \d )([\dA-F]{8,128})(?![\w-])/g },
  // Calls that store a secret
  {
    pattern:
      /(\bset(?:Value|Object|String)?[(:] ?@?")([^"\r\n]{1,512})(?=",? ?forKey: ?@?"[\w.-]{0,32}(?:token|secret|password|passcode|api_?key)")/gi,
  },
  { pattern: /(\bauthorization["']?: ?`(?:token|api-?key) )([^\s`$]{4,512})/gi },
  { pattern: /(\b(?:key|store)Password ["'])([^"'\r\n]{1,128})/g },
  // Python's bytes, texts of SQL and C#, and what `var_dump` of PHP prints.
  {
    pattern:
      /((?:["']|\b)(?:[\w-]{0,32}(?:pass(?:word|wd|phrase|code)|secret|token|api[-_]?key))["']?\]?(?:: ?| ?=>?\s{0,8})(?:[bune@]|rb?|string\(\d{1,6}\) |\(string\) \(len=\d{1,6}\) )["'])([^"']{1,512})/gi,
  },
  {
    pattern:
      /(\b(?:pass(?:word|wd|phrase|code|wort)|kennwort|contraseña|mot de passe|senha)(?: (?:is|was|ist|war|lautet|es|est|è|used|given|provided|entered)| (?:for|of|für|von|de|del|para|pour) (?:user )?["']?[\w.@-]{1,64}["']?(?::| (?:is|was|ist|war|lautet|es|est|é|è)))? ?:? )([“‘«"'`] ?[^\s"'`”’»]{1,128} ?[”’»"'`]|[^\s"'`<>()[\]{}=,;&/|][^\s"'`<>()[\]{}=,;]{3,128})/gi,
    isKept: (value) => ABOUT_PASSWORDS.test(withoutEnd(value)) || PLACE.test(value),
  },
  {
    pattern:
      /((?:\b|_)(?:token|secret|api[ -]?key)(?: value)?(?: (?:is|was|used|given|provided|supplied|entered))?:? ["'`]?)([\w.~+/-]{16,512})/gi,
    isKept: (value) =>
      !(/\d/.test(value) && /[a-z]/i.test(value)) ||
      /\.\w{1,5}$|^[^/]*\/[^/]*\/|^\/|^(?:tok|src|card|ba|pm|cus)_/.test(value),
  },
  {
    pattern: /(\b(?:pass(?:word|wd|phrase|code|wort)|kennwort) [(<[])([^\s()[\]<>]{4,128})(?=[)>\]])/gi,
    isKept: (value) => !/\d/.test(value) || PLACE.test(value) || value === REDACTED.slice(1, -1),
  },
];

/** Words of a command, or the name it gives, that make a secret of its value. */
const OF_SECRETS =
  /\bsecrets?\b|secure-?string|(?:^|[^a-z])(?:pass(?:word|wd|phrase)?|token|credentials?|auth|(?:api|private|access|secret)_?key)(?:[^a-z]|$)/i;
const COMMAND_CHARS_MAX = 192;

/** The command in a text to which a place belongs, as far as it can matter. */
function commandAround(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - COMMAND_CHARS_MAX), at).split(/[|;&\r\n]/);
  const [after = ''] = text.slice(at, at + COMMAND_CHARS_MAX).split(/[|;\r\n]/);
  return `${before.at(-1)}${after.replace(/^\s--[\w-]+[ =]["']?[^\s"']*/, '')}`;
}

const NUMBERS: readonly SecretForm[] = [
  {
    pattern:
      /(\b(?:PIN|pin|OTP|otp|TAN|(?:[Vv]erification|[Ss]ecurity|[Cc]onfirmation|[Ll]ogin|[Oo]ne-time|2FA|MFA|[Yy]our(?: (?!zip|post|area|error|promo|exit|status|country|order)\w{1,16})?|[Pp]assword) (?:code|CODE)|(?:2FA|MFA|OTP|[Oo]ne-time) (?:token|passcode|password|code))(?: (?:is|was|of))?:? ["'“]?)(\d{4,8})(?![\w.-])/g,
  },
  {
    pattern:
      /((?<!\d))(\d{4,8})( is your (?:\w{1,16} )?(?:(?:verification|security|confirmation|login|one-time|sign-in|access) (?:pass)?code|OTP|PIN))/gi,
  },
  {
    pattern:
      /((?:[cC]ódigo de (?:verificación|verificação|seguridad|segurança|acceso)|[cC]ode de (?:vérification|sécurité|connexion)|(?:Bestätigungs|Sicherheits|Verifizierungs|Anmelde)code|[cC]odice di (?:verifica|sicurezza|accesso)|[vV]erificatiecode|(?:Ваш|ваш|Одноразовый) код|[кК]од подтверждения|验证码|驗證碼|確認コード|認証コード|인증번호)(?: (?:es|est|lautet|ist|is|é|è|to))?[:： ]{0,2})(\d{4,8})(?![\w.-])/g,
  },
  {
    pattern:
      /(\b(?:recovery|backup|scratch) codes?(?: (?:is|are))?:? ["']?)((?=[a-z-]{0,12}\d)[\w-]{6,16}(?:, ?(?=[a-z-]{0,12}\d)[\w-]{6,16}){0,31})/gi,
  },
  { pattern: /(\b[Uu]se )(\d{4,8})( to (?:sign|log) in| as your)/g },
  { pattern: /(\b(?:CV[VC]|cv[vc])2? (?:is |was )?)(\d{3,4})(?! ?\w*digit)(?!\w)/g },
  { pattern: /(\b(?:ssn|social security(?: number| no\.?)?):? )(\d{3}-?\d\d-?\d{4})\b/gi },
];

const LANGUAGES: readonly SecretForm[] = [
  {
    pattern:
      /((?:wachtwoord|lösenord|adgangskode|has[lł]o|heslo|[sş]ifre|parola|salasana|jelszó|пароль|密码|密碼|口令|パスワード|비밀번호)(?:(?:["']? ?[:：=] ?| )["'«「]?|「))([^\s"'«»「」<>(){}]{4,128})/giu,
    isKept: (value) => /^(?:\P{N}+|\d{1,3})$/u.test(value),
  },
];

/** Words after the word for a password in sentences about passwords. */
const ABOUT_PASSWORDS =
  /^(?:-{0,2}\p{L}+(?:[-_./]\p{L}+)*|!+\w+|(?:argon2|bcrypt|scrypt|pbkdf2|md5|sha-?\d|base64|utf-?8|oauth)\w*|\d{1,3}|[^\p{L}\d]+)$/iu;
/** The place of code, such as `cart.js:12`. */
const PLACE = /\.\w{1,5}:\d/;

/** One look for the marks of all families, in the order of `FAMILIES`. */
const MARKS =
  /(:\/\/)|(@(?:tcp|unix)\(|jdbc:o|@\/\/|:(?=\w{4,32}@)|(?:sip|turn)s?:(?=[^\s:@]{1,64}:)|wifi:(?=[hst]:)|%3a%2f%2f)|(hooks?\/|with\/key|send\?key)|(\/(?=(?:re)?set|password|confirm|activat|verif|magic|invit|unsubscr))|([?&](?:(?:app_?)?key|appid)=|session=(?=\S{16})|remember_web|assertion(?=["'=]))|(\/\((?=[saf]\())|([?&\s]code=|ation_code)|(auth |requirep|masterauth|setuser|dentified |sshpass|login |rabbitmqa|mongo|redis-cli|ldap|sql(?=cmd|plus|ldr| )|mpdp |xpdp |rar |7za? |unzip|openssl|bcp |-(?=(?:store|key|src|dest)?pass|token|apikey|secret))|([ \t](?:-(?:[uapkstnw]|ap|pw)|--user|--key|\/r?p|-asplaintext)(?=[ \t=:)\r\n]|$)|\b(?:ssh|sftp|rsync|mosh) |http-basic\.|:(?=(?:[56]432|\*):)|\((?=["'$])(?<=(?:auth|credentials?|ication|\.auth|connection|pdo|mysqli|connect|bind|login|open)\()|chpasswd|\| ?(?=kinit|crypts|smbp|passwd|convertto)|stdin|with-token|curl |mysql|securestring |net use|add_user|change_pass|htpasswd|smbclient|snmp|radius|refresh-token|unseal|bundle[ _])|(\bpass |identify |pragma|pgp_sym|gen_salt|set (?=password)|password\(|secret ')|(pass|pwd|add-mask|mnemonic|phrase|_authtoken|--(?:value|body|data|from-literal)[ =]|ennwort|ontrase|senha|secret|token(?!\$)|api[-_ ]?key)|(pin |to (?:sign|log) in|otp|tan |code|código|codice|код|[验驗確認인]|ssn |urity |c(?:vv|vc)|2fa|mfa)|(woord|senord|adgangs|has[lł]o|heslo|[sş]ifre|parola|salasana|jelsz|пароль|密|口令|パスワード|비밀번호)|(\.\.(?=[\w-]{8})|dp\.[a-z]{2,5}\.|dt0[a-z]\d|pat(?=[a-z\d]{14}\.)|\d\/(?=\/0|\d{16})|q~|sha256~|\d\|(?=[\w-]{27})|token\$|launchdarkly|(?:rzp|pk)_(?=live|test)|:(?=apa91b|e[\w-]{60}))|(\$(?=argon2|(?:2[abxy]|[156y]|apr1)\$)|pbkdf2|\{S{0,2}HA)|(LS0tLS1CRUdJ|IB(?:ADANBg|AAK)|M(?:Hc|C4)CA|Private-Lines)|((?:name|key|id|field|header|param(?:eter)?|variable)(?=\\{0,3}["']?(?: ?=>? ?|: ?)\\{0,3}["'])|[([{](?= ?b?["']?[\w.$-]{2,64}["']?, ?(?:<{0,2}b?["']|[^\s,"'[\]]{4,64}\]))|s:(?=\d{1,7}:")|variable (?=["'])| \. (?=")|:(?=[\w-]{2,64} ")|\((?:setq|setf|def\w{0,9}) |["']\](?= ?=)|\n\[1\] |string\(|CDATA| -> |:(?= ?(?:[|>][+-]?)?\r?\n)|ENV |env:set |setenv |setx |fig(?:ure)? set |&(?:quot|#|lt)|%(?:25){0,2}3d|=> <<|<\/key>|(?:name|key)(?=: ["']?[\w.$-]{1,64}["']?\r?\n)|value(?=>|\\{0,3}["']?(?:: ?| ?=>? ?)\\{0,3}["']?\S)|: ?!!|\\(?=u00|x2)|%(?:25){0,2}2[27]|"kty|[^ -~](?=[^\s"']{0,24}["'] ?[:=]))|(\[REDACTED\](?=, ?["'][^"']{1,256}["']\)|, ?[\w-]{4,16}(?:[,\s]|$)|["'](?: ->|[^,:\s\]})])| \S|[a-z\d+/]{28}))|(#(?=\d{1,4} ))|([a-z]{2}(?=\d\d(?: ?[a-z\d]{4}){2} ?[a-z\d]{3}))|(kind["']?: ?["']?secret\b)/gi;

type Replace = (text: string, isSecret: SecretTest) => string;

/** No call makes this list, so that bundles for browsers leave it out. */
const FAMILIES: readonly (readonly SecretForm[] | Replace)[] = [
  USER_INFO,
  DRIVER_ADDRESSES,
  HOOKS,
  LINKS,
  PARAMETERS,
  SESSION_PATHS,
  SIGN_IN_CODES,
  COMMANDS,
  TOOLS,
  STATEMENTS,
  PASSWORDS,
  NUMBERS,
  LANGUAGES,
  ISSUED_VALUES,
  PASSWORD_HASHES,
  KEY_PARTS,
  redactRecords,
  redactRests,
  redactCalls,
  redactAccounts,
  redactManifests,
];

/** Replaces secrets in sentences, commands, records and addresses. */
export function redactSentences(text: string, isSecret: SecretTest): string {
  const found = familiesIn(text);
  // Records first, because sentences hide a part of what they know whole.
  return FAMILIES.filter((family, i) => found.has(i) && family !== redactRecords).reduce<string>(
    (result, family) =>
      typeof family === 'function' ? family(result, isSecret) : family.reduce(redactForm, result),
    found.has(FAMILIES.indexOf(redactRecords)) ? redactRecords(text, isSecret) : text,
  );
}

/** Lines of a stack are most of an event. Those without an address have no mark. */
const FRAMES = /\n(?: {4}|\t)at [^:\n]*(?::(?!\/\/)[^:\n]*)*(?=\n|$)/g;

function familiesIn(whole: string): ReadonlySet<number> {
  const text = whole.replace(FRAMES, '');
  const found = new Set<number>();
  MARKS.lastIndex = 0;
  for (let mark = MARKS.exec(text); mark; mark = MARKS.exec(text)) {
    found.add(mark.findIndex((group, i) => i > 0 && group !== undefined) - 1);
    if (found.size === FAMILIES.length) break;
  }
  MARKS.lastIndex = 0;
  return found;
}

/** International numbers of bank accounts, by the codes of the countries that use them. */
const ACCOUNT =
  /(^|[^\w])((?:A[DELTZ]|B[AEGHRY]|C[HRYZ]|D[EKO]|E[EGS]|F[IOR]|G[BEILRT]|H[RU]|I[ELQST]|JO|K[WZ]|L[BCITUVY]|M[CDEKRTU]|N[LO]|P[KLST]|QA|R[OS]|S[ACEIKMTV]|T[LNR]|UA|VA|VG|XK)\d\d(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?)(?![\w])/g;

/** Replaces international numbers of bank accounts, which carry a check. */
function redactAccounts(text: string): string {
  return text.replace(ACCOUNT, (whole, before: string, run: string) => {
    // Words in capitals look like the next group of the number.
    for (let end = run.length; end > 0; end = run.lastIndexOf(' ', end - 1)) {
      if (passesCheck(run.slice(0, end).replaceAll(' ', ''))) return before + REDACTED + run.slice(end);
    }
    return whole;
  });
}

function passesCheck(number: string): boolean {
  if (number.length < 15 || number.length > 34) return false;
  let rest = 0;
  for (const character of number.slice(4) + number.slice(0, 4)) {
    rest = Number(`${rest}${Number.parseInt(character, 36)}`) % 97;
  }
  return rest === 1;
}
