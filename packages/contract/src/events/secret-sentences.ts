import { REDACTED } from './secret-keys.ts';

/**
 * Secrets in sentences, commands and addresses, where neither a key nor an issuer's form marks them
 * (docs/contract/clients.md 10.1). The one table of service, Node library, command line and MCP. Linear in the text;
 * applied again it changes nothing.
 */

interface Form {
  /** Its first group stays, its second one is the value, and its third one, if any, stays too. */
  pattern: RegExp;
  isKept?: (value: string) => boolean;
}

const ADDRESSES: readonly Form[] = [
  // A password with an unencoded `/`, `?` or `#`: the text before it is no port.
  {
    pattern:
      /([a-z\d+.-]:\/\/)(?!\[REDACTED])([^\s:/?#@"'<>\\[]{0,64}:(?!\d{1,5}(?![\w!$%&*+=.~-]))[^\s"'<>@]{1,128}(?:@[^\s"'<>@]{1,64}){0,3})(@)(?=[\w[.-])/gi,
  },
  {
    pattern:
      /(\b(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|clickhouse|sqlserver|mssql|ldaps?|smtps?|s?ftp)(?:\+\w{1,16})?:\/\/)(\[REDACTED]@[^\s"'<>?]{1,128})(@)/gi,
  },
  { pattern: /(\b[\w.-]{1,64}:)([^\s"']{1,64})(@(?:tcp|unix)\()/g },
  { pattern: /(\bjdbc:oracle:\w{1,16}:[\w$#]{1,64}\/)([^\s"'@]{1,128})(@)/g },
  // The code with which a provider of sign-in sends a browser back.
  {
    pattern: /([?&]code=)([^\s"'<>&#?]{8,512})(?=(?:&[\w.-]{1,32}=[^\s"'<>&#]{0,128}){0,3}&state=)/g,
  },
  {
    pattern:
      /([?&]state=[^\s"'<>&#]{1,512}(?:&[\w.-]{1,32}=[^\s"'<>&#]{0,128}){0,3}&code=)([^\s"'<>&#?]{8,512})/g,
  },
];

const COMMANDS: readonly Form[] = [
  // Redis, and mail servers.
  {
    pattern: /(\bAUTH (?:[^\s"'`<>()[\]{}]{1,128} )?)([^\s"'`<>()[\]{}]{1,512})/g,
    isKept: isOfSigningIn,
  },
  { pattern: /(\bAUTH )([^\s"'`<>()[\]{}/][^\s"'`<>()[\]{}]{1,512})/g, isKept: isOfSigningIn },
  { pattern: /(^[ \t>]{0,4}AUTH (?:[\w.-]{1,64} )?)(\w{1,128})($)/gm, isKept: isOfMail },
  { pattern: /((?:\bSET |^)(?:requirepass|masterauth) (?!(?:is|was|not)\b)["']?)([^\s"']{1,256})/gim },
  { pattern: /(\bSETUSER [^\r\n]{0,64}? [>#])([^\s"']{1,256})/g },
  // Statements about users of databases.
  {
    pattern: /(\bidentified (?:with [\w"'`]{1,64} )?(?:by|as) (?:password )?["'])([^"'\r\n]{1,256})/gi,
  },
  {
    pattern:
      /(\b(?:(?:sshpass|(?:docker|podman|oc) login|mongo\w{0,8}) (?:[^\s|;]{1,64} ){0,8}?-p|redis-cli (?:[^\s|;]{1,64} ){0,8}?-a|ldap\w{2,8} (?:[^\s|;]{1,64} ){0,8}?-w|sqlcmd (?:[^\s|;]{1,64} ){0,8}?-P) ["']?)([^\s"'-][^\s"']{0,256})/g,
  },
  { pattern: /(\bsqlplus (?:-\w{1,8} ){0,4}[\w$#]{1,64}\/)([^\s"'@]{1,128})/g },
  { pattern: /(-pass(?:in|out)? pass:)([^\s"']{1,256})/g },
];

const SENTENCES: readonly Form[] = [
  // No blank behind the colon, as no address, type or permission has it.
  {
    pattern:
      /(\b(?:pass(?:word|wd|phrase|code|wort)|secret|token|api[-_]?key):)([^\s"'`:/\\<>()[\]{},;&=|][^\s"'`:\\<>()[\]{},;&=|]{3,128})/gi,
    isKept: (value) => /^(?:[a-z]{1,12}|\d{1,7})[.!?]?$/i.test(value) || PLACE.test(value),
  },
  // Python's bytes, and what `var_dump` of PHP prints.
  {
    pattern:
      /((?:["']|\b)(?:[\w-]{0,32}(?:pass(?:word|wd|phrase|code)|secret|token|api[-_]?key))["']?\]?(?:: ?|=>?\s{0,8})(?:b|u|rb?|string\(\d{1,6}\) )["'])([^"']{1,512})/gi,
  },
  {
    pattern:
      /(\b(?:pass(?:word|wd|phrase|code|wort)|kennwort|contraseña|mot de passe|senha)(?: (?:is|was|ist|war|es|est|used|given|provided|entered))?:? )([“‘«"'`][^\s"'`”’»]{1,128}[”’»"'`]|[^\s"'`<>()[\]{}=,;&/|][^\s"'`<>()[\]{}=,;]{3,128})/gi,
    isKept: (value) => ABOUT_PASSWORDS.test(withoutEnd(value)) || PLACE.test(value),
  },
  {
    pattern: /(\b(?:token|secret|api[ -]?key)(?: (?:is|was))?:? ["'`]?)([\w.~+/-]{16,512})/gi,
    isKept: (value) =>
      !(/\d/.test(value) && /[a-z]/i.test(value)) || /\.\w{1,5}$|^[^/]*\/[^/]*\/|^\//.test(value),
  },
  {
    pattern:
      /(\b(?:PIN|pin|OTP|otp|TAN|(?:[Vv]erification|[Ss]ecurity|[Cc]onfirmation|[Ll]ogin|[Oo]ne-time|2FA|MFA|[Yy]our|[Pp]assword) (?:code|CODE))(?: (?:is|was|of))?:? )(\d{4,8})(?![\w.-])/g,
  },
  { pattern: /(\b(?:ssn|social security(?: number| no\.?)?):? )(\d{3}-?\d\d-?\d{4})\b/gi },
];

/** The forms, with a pattern that is found in every text in which one of them is. */
const GROUPS: readonly (readonly [RegExp, readonly Form[]])[] = [
  [/:\/\/|@(?:tcp|unix)\(|jdbc:oracle|[?&]code=/, ADDRESSES],
  [
    /AUTH |requirepass|masterauth|SETUSER|dentified |sshpass|login |mongo|redis-cli|ldap|sqlcmd|sqlplus|pass:/i,
    COMMANDS,
  ],
  [/pass|ennwort|ontrase|senha|secret|token|api[-_ ]?key|pin |otp |tan |code|ssn |urity /i, SENTENCES],
];

/** Words after the word for a password in sentences about passwords. */
const ABOUT_PASSWORDS =
  /^(?:[a-z]+(?:[-_./][a-z]+)*|(?:argon2|bcrypt|scrypt|pbkdf2|md5|sha-?\d|base64|utf-?8|oauth)\w*|\d{1,3}|[^a-z\d]+)$/i;
/** The place of code, such as `cart.js:12`. */
const PLACE = /\.\w{1,5}:\d/;
const SIGNING_IN =
  /^(?:CRAM-MD5|DIGEST-MD5|SCRAM-SHA-\d{1,3}(?:-PLUS)?|XOAUTH2|[a-z]{2,24}|\d{1,3}|.{1,3})$/i;

function isOfSigningIn(value: string): boolean {
  return value.includes('://') || SIGNING_IN.test(withoutEnd(value));
}

/** A mechanism of mail servers, and words that speak about signing in. */
function isOfMail(value: string): boolean {
  return /^(?:PLAIN|LOGIN|NTLM|GSSAPI|EXTERNAL|ANONYMOUS|OAUTHBEARER|[Ff]ail\w*|[Ee]rror|ok|OK|[Ss]uccess\w*|required|command|denied|timeout|expired|invalid|missing|rejected|disabled)$/.test(
    value,
  );
}

/** A value without what ends a sentence. */
function withoutEnd(value: string): string {
  return value.replace(/[.,;:!?]$/, '');
}

/** Replaces secrets in sentences, commands and addresses. */
export function redactSentences(text: string): string {
  let result = text;
  for (const [mark, forms] of GROUPS) {
    if (mark.test(result)) for (const form of forms) result = redactForm(result, form);
  }
  return redactAccounts(result);
}

function redactForm(text: string, { pattern, isKept }: Form): string {
  return text.replace(pattern, (whole: string, begin: string, value: string, end: unknown) => {
    const isMarked = value.includes(REDACTED) && !value.startsWith(`${REDACTED}@`);
    if (isMarked || isKept?.(value) === true) return whole;
    return begin + REDACTED + (typeof end === 'string' ? end : '');
  });
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
