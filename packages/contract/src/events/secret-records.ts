import type { SecretTest } from './secret-form.ts';
import { REDACTED } from './secret-keys.ts';

/**
 * Secrets whose name is apart from its value: records of names and values, tuples, printed objects of runtimes,
 * quotations with a second layer of escapes (docs/contract/clients.md 10.1). Linear in the text; applied again it
 * changes nothing.
 */

interface RecordForm {
  /** Its groups are the text in front of the name, the name, the text between both, and the value. */
  pattern: RegExp;
  /** True if a value that is a plain word says something about the secret, or is a name itself. */
  keepsWords?: boolean;
}

const FORMS: readonly RecordForm[] = [
  // `{"name":"password","value":"x"}`, `<add key="ApiKey" value="x"/>`, `<setting name="Pin"><value>1</value>`
  {
    pattern:
      /(\b\w{0,16}(?:name|key|field|header|param(?:eter)?|variable)\\{0,3}["']?(?: ?=>? ?|: ?)\\{0,3}["'])([\w.$-]{1,64})(\\{0,3}["'][ ,;][^{}<>\r\n]{0,64}?\\{0,3}["']?\b(?:\w{0,16}val(?:ue)?|content)\\{0,3}["']?(?: ?=>? ?|: ?)\\{0,3}["'])([^"'\\<>\r\n]{1,1024})/gi,
  },
  {
    pattern:
      /(\b(?:name|key|field)\\{0,3}["']?: ?\\{0,3}["'])([\w.$-]{1,64})(\\{0,3}["'], ?\\{0,3}["']?value\\{0,3}["']?: ?)(\d{3,12})(?!\d)/gi,
  },
  {
    pattern:
      /(\b(?:name|key|id)=["'])([\w.$-]{1,64})(["'][^<>\r\n]{0,64}>\s{0,16}(?:<value>)?)([^<>\s][^<>]{0,1023})(?=<\/)/g,
    keepsWords: true,
  },
  // Property lists of Apple
  { pattern: /(<key>)([\w.-]{1,64})(<\/key>\s{0,32}<string>)([^<]{1,1024})(?=<)/g },
  // The same in YAML
  {
    pattern:
      /(\b(?:name|key): ["']?)([\w.$-]{1,64})(["']?(?:\r?\n[ \t]{1,32}(?:#|(?!value|name|key)[a-z]\w{0,31}:)[^\r\n]{0,128}){0,2}\r?\n[ \t]{0,32}value: (?:[|>][+-]?\r?\n[ \t]{1,32})?["']?)([^\s"'|>][^"'\r\n]{0,511})/g,
  },
  // Terraform
  {
    pattern: /(\bvariable ["'])([\w.-]{1,64})(["'] \{[^{}]{0,128}?\bdefault\s{0,8}= ["'])([^"'\r\n]{1,512})/g,
  },
  { pattern: /([ {,])([\w.$-]{1,64})( (?:=>|:=) <<")([^"\r\n]{1,1024})/g },
  { pattern: /(^|[^\w.$-])([\w.$-]{1,64})(=&(?:quot|#34|#39|#x27);)([^&\r\n]{1,1024})/g },
  { pattern: /(&lt;)([\w.:-]{1,64})(&gt;)([^&\s]{1,512})(?=&lt;\/)/g },
  {
    pattern:
      /(^|[\s"'=:])([\w.-]{1,64})(%(?:25){0,2}3d)((?:[^\s%"'&]|%(?!(?:25){0,2}26)[\da-f]{2}){1,1024})/gi,
  },
  // `('password', 'x')`, `["authorization","Token x"]`, `{password,<<"x">>}`, with two members
  {
    pattern:
      /([([{] ?(?:b?["'])?)([\w.$-]{1,64})((?:["'])?, ?(?:<<)?b?["'])([^"'\\\r\n]{1,1024})(?=["'](?:>>)? ?[)\]}])/g,
    keepsWords: true,
  },
  // Pairs of .NET
  { pattern: /(\[)([\w.$-]{1,64})(, )([^\s,"'[\]]{1,1024})(?=\])/g, keepsWords: true },
  // Serialized values of PHP
  { pattern: /(")([\w.$-]{1,64})(";s:\d{1,7}:")([^"\r\n]{1,1024})/g },
  { pattern: /(^|[;}])([\w.$-]{1,64})(\|s:\d{1,7}:")([^"\r\n]{1,1024})/g },
  // `["password"] = "x"`, `$password\n[1] "x"`, `'password' =>\n  string(7) "x"`, `<password><![CDATA[x]]>`
  { pattern: /(\[["'])([\w.$-]{1,64})(["']\] ?=>? ?["'])([^"'\\\r\n]{1,1024})/g },
  { pattern: /(\$)([\w.]{1,64})(\r?\n\[1\] ")([^"\r\n]{1,1024})/g },
  {
    pattern:
      /(["'])([\w.$-]{1,64})(["'](?::(?:protected|private))?\]? ?=>\s{1,16}string\(\d{1,7}\) ")([^"\r\n]{1,1024})/g,
  },
  { pattern: /(<)([\w.:-]{1,64})(>\s{0,16}<!\[CDATA\[)([^\]<]{1,1024})/g },
  // Names with letters that keys in texts have not
  { pattern: /(["'])((?=[!-~]{0,24}[^ -~])[^\s"']{2,32})(["'] ?(?::|=>?) ?["'])([^"'\\\r\n]{1,1024})/g },
  // Scala's maps
  { pattern: /([ ([,])([\w.$-]{1,64})( -> )([^\s,()[\]{}"'<>]{1,512})/g, keepsWords: true },
  // YAML with the value on the next line
  {
    pattern:
      /((?:^|\n)[ \t]{0,32})([\w.$-]{1,64})(: ?(?:[|>][+-]?)?\r?\n[ \t]{1,32}(?:value: ?["']?)?)([^\s:"'-][^\s:"']{3,512})(?=[\r\n]|$)/g,
    keepsWords: true,
  },
  // `ENV DB_PASSWORD x`, `setenv DB_PASSWORD x`, `aws configure set aws_secret_access_key x`
  {
    pattern:
      /(\b(?:ENV|setenv|SetEnv|setx|config(?:ure)? set|env[: ](?:add|set)) (?:--?\w{1,16} )?(?:\/\/[^\s:]{1,128}(?::\d{1,5}\/)?:)?)([\w.$-]{1,64})( (?:(?:production|preview|development) )?(?:<<< ?)?["']?)([^\s"'=<-][^\s"']{0,512})/g,
    keepsWords: true,
  },
  // Lisp: `(password . "x")`, `(setq api-token "x")`, `(setf (password account) "x")`, `:api-key "x"`
  {
    pattern:
      /(\((?:(?:setq|setf \(|def(?:var|parameter|const|custom|ine|once)?) ?\*?|:?(?=[\w.-]{1,64} \. ")))([\w.-]{1,64})((?:\*?(?: [\w*-]{1,64}\))?| \.) ")([^"\r\n]{1,1024})/g,
  },
  { pattern: /((?:^|[\s({[,']):)([\w-]{1,64})( ")([^"\r\n]{1,1024})(?=")/g, keepsWords: true },
  // Quotation marks that HTML, JSON, JavaScript or an address escaped
  {
    pattern:
      /(&(?:quot|#34|#x22|#39|#x27);|\\{1,4}u002[27]|\\{1,4}x2[27]|%(?:25){0,2}2[27])([\w.$-]{1,64})((?:&(?:quot|#34|#x22|#39|#x27);|\\{1,4}u002[27]|\\{1,4}x2[27]|%(?:25){0,2}2[27])(?: |\+|%20)?(?::|%(?:25){0,2}3a)(?: |\+|%20)?(?:&(?:quot|#34|#x22|#39|#x27);|\\{1,4}u002[27]|\\{1,4}x2[27]|%(?:25){0,2}2[27]))((?:[^&\\%\s"']|%(?!(?:25){0,2}2[27])|&(?!(?:quot|#))){1,1024})/gi,
  },
  { pattern: /(^|[^\w.$-])([\w.$-]{1,64})(\\{1,4}u003d)((?:[^\\\s"']|\\(?!\\{0,3}u0026)){1,1024})/gi },
];

/** Records whose value is in front of the name: `{"value":"x","name":"pin"}`, and in YAML. The groups are in this order. */
const VALUE_FIRST: readonly RegExp[] = [
  /(\{\s{0,32}\\{0,3}["']?value\\{0,3}["']?(?: ?=> ?|: ?)\\{0,3}["'])([^"'\\\r\n]{1,1024})(\\{0,3}["'], ?\s{0,32}\\{0,3}["']?(?:name|key|field|header)\\{0,3}["']?(?: ?=> ?|: ?)\\{0,3}["'])([\w.$-]{1,64})(?=\\{0,3}["'])/gi,
  /(<[\w.:-]{1,64} value=["'])([^"'<>\r\n]{1,1024})(["'] (?:name|key)=["'])([\w.$-]{1,64})(?=["'])/g,
  /((?:^|\n)[ \t]{0,32}(?:- )?value: ["']?)([^\s"'|>][^"'\r\n]{0,511})(["']?\r?\n[ \t]{1,32}(?:name|key): ["']?)([\w.$-]{1,64})/g,
];

/** A tag of YAML, a record of YAML in one line, and elements of XML for name and value. */
const RARE: readonly RegExp[] = [
  /(^|[\s{,])([\w.$-]{1,64})(: ?!!\w{1,16} ["']?)([^\s"'][^"'\r\n]{0,511})/g,
  /(\{ ?(?:name|key): )([\w.$-]{1,64})(, ?value: )([^\s"'{},][^\r\n{},]{0,511})/g,
  /(<(?:[\w-]{1,32}-)?(?:name|key)>\s{0,16})([\w.$-]{1,64})(\s{0,16}<\/[\w-]{1,48}>\s{0,32}<(?:[\w-]{1,32}-)?value>\s{0,16})([^<\s][^<]{0,1023})/g,
];
const MAY_BE_RARE = /value|!!|"kty"/i;

/** The value in `password: Some("x")` and `token = decrypt("x")`, whose name and call were replaced already. */
const WRAPPED =
  /\[REDACTED\](?:"(?![,:;.+\s\]})]|$)"?(?:[^"\\\r\n]|\\.){1,1024}"|'(?![,:;.+\s\]})]|$)'?(?:[^'\\\r\n]|\\.){1,1024}'|(?=[A-Za-z\d+/]{28})[A-Za-z\d+/]{28,256}={0,2})\){0,3}/g;
/** Further ones of a list of codes. */
const NEXT_CODES = /(\bcodes["']?(?:[:=]| are) ?\[REDACTED\])(?:, ?(?=[a-z-]{0,12}\d)[\w-]{4,16}){1,32}/gi;
/** The password in `auth=("ann", "x")`, whose user was replaced already. */
const SECOND_VALUE = /(\bauth=\[REDACTED\], ?["'])([^"'\r\n]{1,256})(?=["']\))/g;
/** The later one of two values, as Terraform prints a change. */
const NEXT_VALUE = /(\[REDACTED\]["'] -> ["'])(?!\[REDACTED\])([^"'\r\n]{1,1024})/g;
/** The value in `HTTP_AUTHORIZATION=Token x`. */
const BEHIND_SCHEME = /(authorization["']?(?:[:=]| ?=>) ?["']?\[REDACTED\] )([^\s"'&;,]{6,1024})/gi;

/** Arguments in a trace of PHP. */
const PHP_CALL =
  /(#\d{1,4} (?:\[internal function\]|[^\r\n(]{1,300}\(\d{1,7}\)): (?:[\w\\]{1,128}(?:->|::))?)(\w{1,64})\(([^\r\n]{1,1024})/g;
const OF_SIGNING_IN = /connect|log_?in|bind|authenticat|attempt|sign_?in|passw|credential|^hash|^verify$/i;
const PHP_CLASS = /(?:PDO|mysqli|Connection|Client|Ldap|Redis)(?:->|::)$/;

/** Private parts of a JSON web key. */
const WEB_KEY = /("(?:d|p|q|dp|dq|qi|k)" ?: ?")([\w-]{16,4096})(?=")/g;

const PLAIN_WORD =
  /^(?:[a-z]+(?:[-_. ][a-z]+)*[.!?]?|base64(?:url)?|utf-?8|utf16le|latin1|sha-?\d{1,3}|md5|[^\w\s]{1,2})$/i;

/** Replaces the values of secret names in records. */
export function redactRecords(text: string, isSecret: SecretTest): string {
  let result = text;
  for (const { pattern, keepsWords = false } of FORMS) {
    result = result.replace(pattern, (whole, begin: string, name: string, between: string, value: string) => {
      if (value.includes('[REDACTED') || !isSecret(name, value)) return whole;
      if (keepsWords && PLAIN_WORD.test(value)) return whole;
      return begin + name + between + REDACTED;
    });
  }
  if (!MAY_BE_RARE.test(result)) return result;
  for (const pattern of VALUE_FIRST) {
    result = result.replace(pattern, (whole, begin: string, value: string, between: string, name: string) =>
      value.includes('[REDACTED') || !isSecret(name, value) ? whole : begin + REDACTED + between + name,
    );
  }
  for (const pattern of RARE) {
    result = result.replace(pattern, (whole, begin: string, name: string, between: string, value: string) =>
      value.includes('[REDACTED') || !isSecret(name, value) ? whole : begin + name + between + REDACTED,
    );
  }
  return result.includes('"kty"') ? result.replace(WEB_KEY, `$1${REDACTED}`) : result;
}

/** Replaces what is left of a secret behind a replaced call or scheme: `Some("x")`, `Token x`, `{SSHA}x`. */
export function redactRests(text: string): string {
  return text
    .replace(WRAPPED, REDACTED)
    .replace(NEXT_CODES, `$1, ${REDACTED}`)
    .replace(SECOND_VALUE, `$1${REDACTED}`)
    .replace(NEXT_VALUE, `$1${REDACTED}`)
    .replace(BEHIND_SCHEME, (whole, begin: string, value: string) =>
      value.includes(REDACTED) || PLAIN_WORD.test(value) ? whole : begin + REDACTED,
    );
}

/** Replaces passwords in the arguments that a trace of PHP shows. */
export function redactCalls(text: string): string {
  return text.replace(PHP_CALL, withoutArguments);
}

/** The texts in the arguments of a function that signs in, of which the first one says where or who. */
function withoutArguments(whole: string, begin: string, name: string, list: string): string {
  const isPassword = /passw|^hash|^verify$/i.test(name) || /Hash\w{0,16}(?:->|::)$/.test(begin);
  if (!isPassword && !OF_SIGNING_IN.test(name) && !(name === '__construct' && PHP_CLASS.test(begin)))
    return whole;
  let isFirst = !isPassword && list.startsWith("'");
  const hidden = list.replace(/'[^']*'/g, (argument) => {
    if (!isFirst) return `'${REDACTED}'`;
    isFirst = false;
    return argument;
  });
  return `${begin}${name}(${hidden}`;
}
