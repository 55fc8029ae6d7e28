import type { SecretForm } from './secret-form.ts';

/** Secrets in commands and statements, as shells, protocols and databases know them (docs/contract/clients.md 10.1). */

export const COMMANDS: readonly SecretForm[] = [
  {
    pattern:
      /((?:^|\s)-(?:(?:store|key|src|dest)?pass(?:word|wd|phrase)?|token|apikey|secret(?:key)?) ["']?)([^\s"'-][^\s"']{0,256})/gi,
    isKept: (value) =>
      /^(?:is|was|must|not|option|flag|and|or|requires?|missing|in|out|pass:.*)$/.test(value),
  },
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
      /(\b(?:(?:sshpass|[a-z]{2,16}(?: registry| auth)? login|rabbitmqadmin|mongo\w{0,8}|7za?) (?:[^\s|;]{1,64} ){0,8}?-p|bcp (?:[^\s|;]{1,64} ){0,8}?-P|unzip (?:[^\s|;]{1,64} ){0,4}?-P|openssl (?:[^\s|;]{1,64} ){0,8}?-k(?= )|redis-cli (?:[^\s|;]{1,64} ){0,8}?-a|ldap\w{2,8} (?:[^\s|;]{1,64} ){0,8}?-w|(?:sqlcmd|[io]sql) (?:[^\s|;]{1,64} ){0,8}?-P|(?:unrar|rar) (?:[^\s|;]{1,64} ){0,4}?-h?p) ?["']?)([^\s"'-][^\s"']{0,256})/g,
    isKept: (value) => /^\d{1,5}(?::\d{1,5})?$/.test(value),
  },
  {
    pattern: /(\b[A-Za-z]\w{0,7} LOGIN "?[^\s"]{1,128}"? "?)([^\s"]{1,256})/g,
    isKept: (value) => /^[a-z]+[.,;:!?]?$/i.test(value),
  },
  { pattern: /(\blogin ["'][^"'\r\n]{1,128}["'] ["'])([^"'\r\n]{1,256})/gi },
  {
    pattern: /(\bidentified by )([^\s"';]{1,128}(?: replace [^\s"';]{1,128})?)/gi,
    isKept: (value) => /^(?:[a-z]+|values)$/i.test(value),
  },
  {
    pattern:
      /(\b(?:snyk auth|consul acl set-agent-token \w{1,32}) )([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g,
  },
  {
    pattern:
      /(\b(?:sqlplus|sqlldr|expdp|impdp) (?:-\w{1,8} |userid=){0,4}["']?[\w$#]{1,64}\/)([^\s"'@/]{1,128})/g,
  },
  { pattern: /(-pass(?:in|out)? pass:)([^\s"']{1,256})/g },
];

/** Commands that run others as a user and a group. */
const AS_OTHER = /(?:^|[\s/"'])(?:sudo|su|runuser|gosu|docker|podman|nerdctl|useradd)\b[^|;&]*$/;
const BEFORE_CHARS_MAX = 64;

/** Tools with a way of their own to name a password. */
export const TOOLS: readonly SecretForm[] = [
  { pattern: /(\bSecureString (?:-String )?["'])([^"'\r\n]{1,256})/g },
  {
    pattern: /([ \t](?:-u|--user)[ \t=]["']?[^\s:"']{1,64}:)(?!\d+(?!\S)|\/\/)([^\s"']+)/g,
    // A user and a group.
    isKept: (_, text, at) => AS_OTHER.test(text.slice(Math.max(0, at - BEFORE_CHARS_MAX), at)),
  },
  {
    pattern:
      /(\bcurl (?:[^\s|;]{1,128} ){0,8}?(?:-[a-zA-Z]{0,6}u ?|--proxy-user[ =]|-U ?)["']?[^\s:"'=-][^\s:"'=]{0,63}:)([^\s"']{1,256})/g,
  },
  { pattern: /(\bmysql\w{0,12}['"](?:, ?['"][^'"\r\n]{0,64}['"]){0,8}?, ?['"]-p)([^'"\s]{1,128})/g },
  // HTTPie, and what is passed to SSH as if it were an address
  {
    pattern: /(\bhttps? (?:[^\s|;]{1,64} ){0,8}?-a[ =]?["']?[^\s:"'=-][^\s:"'=]{0,63}:)([^\s"']{1,256})/g,
  },
  {
    pattern:
      /(\b(?:ssh|sftp|rsync|mosh) (?:[^\s|;]{1,64} ){0,8}?[\w.-]{1,64}:)([^\s:@/"'[\]]{4,64})(@)(?=[\w[])/g,
  },
  // Publishers of packages: the name of a key that is stored stays
  {
    pattern:
      /(\b(?:(?:gem|nuget|vsce|ovsx) p(?:ush|ublish)|choco apikey) (?:[^\s|;]{1,128} ){0,6}?(?:-k|-p|--key)[ =]["']?)([\w-]{20,256})/g,
    isKept: (value) => !/\d/.test(value) || value.length < 32,
  },
  // A password that another program reads from its input
  {
    pattern:
      /(\b(?:echo|printf) (?:-n )?["']?(?:[\w.-]{1,64}:(?=[^|]{1,256}\| ?(?:sudo )?chpasswd))?)([^\s"'`$|]{4,256})(?=["']? ?\| ?(?:sudo )?(?:[\w/-]{1,32} (?:[^\s|;]{1,64} ){0,8}?--(?:(?:password-)?stdin|with-token)|sudo -S|chpasswd|passwd|kinit|cryptsetup|smbpasswd))/g,
  },
  {
    pattern:
      /(\b(?:mosquitto_\w{3} (?:[^\s|;]{1,128} ){0,8}?-P|ipmitool (?:[^\s|;]{1,128} ){0,8}?-P|zip (?:[^\s|;]{1,128} ){0,8}?-P|psexec\w{0,4}(?:\.exe)? (?:[^\s|;]{1,128} ){0,8}?-p|(?:altool|cqlsh|twine upload|ncftp\w{0,4}|security (?:unlock|import|create|set)\S{0,24}) (?:[^\s|;]{1,128} ){0,8}?-[pk]|(?:plink|pscp|psftp)(?:\.exe)? (?:[^\s|;]{1,128} ){0,8}?-pw|swaks (?:[^\s|;]{1,128} ){0,12}?-ap|ssh-keygen (?:[^\s|;]{1,128} ){0,8}?-N|signtool(?:\.exe)? sign (?:[^\s|;]{1,128} ){0,8}?\/p) ["']?)([^\s"'$-][^\s"']{3,256})/gi,
    isKept: (value) => /^(?:\d{1,5}|--?\w.*|[A-Z][A-Z_]{2,32})$/.test(value),
  },
  { pattern: /(\bcodecov\b[^\r\n|;]{0,64}? -t[ =]?["']?)([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g },
  { pattern: /(\bcypress run [^\r\n|;]{0,128}?--key[ =]["']?)([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g },
  // Calls that sign in: behind a user, or behind a place and a user
  {
    pattern:
      /(\b(?:HTTP(?:Basic|Digest)Auth|NetworkCredential|Username(?:Password)?Credentials|PasswordAuthentication|[bB]asic_?[aA]uth|PSCredential|db\.auth)\(["'][^"'\r\n]{0,128}["'], ?["'])([^"'\r\n]{1,256})/g,
  },
  {
    pattern:
      /(\b(?:getConnection|PDO|mysqli|(?:mysqli?|oci|odbc|pg)_p?connect|ldap_bind|ftp_login|imap_open)\((?:["'][^"'\r\n]{0,256}["']|\$[\w>-]{1,64}), ?["'][^"'\r\n]{0,128}["'], ?["'])([^"'\r\n]{1,256})/g,
  },
  {
    pattern:
      /(\b(?:xfreerdp\w{0,2} (?:[^\s|;]{1,128} ){0,8}?\/p:|rdesktop (?:[^\s|;]{1,128} ){0,8}?-p |security add-\S{1,32} (?:[^\s|;]{1,128} ){0,8}?-w )["']?)([^\s"']{1,256})/g,
  },
  { pattern: /(\blftp (?:[^\s|;]{1,128} ){0,8}?-u ?["']?[^\s,"']{1,64},)([^\s"']{1,256})/g },
  { pattern: /(["'])([^"'\r\n]{1,256})(["'] (?:-AsPlainText|\| ?ConvertTo-SecureString))/gi },
  { pattern: /(\bhttp-basic\.\S{1,128} \S{1,128} )(\S{1,256})/g },
  // A line of `.pgpass`
  {
    pattern:
      /((?:^|[\s"'])[\w.*-]{1,128}:(?:5432|6432|\*):[^\s:"']{1,64}:[^\s:"'*]{1,64}:)([^\s:"'*]{4,256})(?![\w:])/g,
  },
  { pattern: /(\bnet use [^\r\n]{0,128}? \/user:\S{1,64} )([^\s"']{1,128})/gi },
  { pattern: /(\b(?:add_user|change_password) [^\s"']{1,64} )([^\s"'-][^\s"']{0,127})/g },
  { pattern: /(\bhtpasswd -\w{0,8}b\w{0,8} \S{1,128} \S{1,64} )([^\s"']{1,128})/g },
  { pattern: /(\bsmbclient (?:[^\s|;]{1,128} ){0,8}?-U ?["']?[^\s%"']{1,64}%)([^\s"']{1,128})/g },
  { pattern: /(\binflux (?:[^\s|;]{1,64} ){0,8}?-t[ =]?["']?)([\w-]{20,128}={0,2})/g },
  { pattern: /(\bsnmp-server community )([^\s"']{1,128})/g },
  {
    pattern: /(\b(?:SNMP community(?: string)?|radius(?:-server)? (?:secret|key)):? ["']?)([^\s"']{4,128})/gi,
    isKept: (value) => !/\d|[a-z]-[A-Z]/.test(value),
  },
  // A key in the place of the user, without a password
  {
    pattern:
      /(\bcurl (?:[^\s|;]{1,128} ){0,8}?(?:-[a-zA-Z]{0,6}u|--user)[ =]?["']?)([\w.-]{16,256})(?=:["']?(?:\s|$))/g,
    isKept: (value) => !/\d/.test(value),
  },
  { pattern: /(\bschtasks(?:\.exe)? [^\r\n|;]{0,256}?\/rp )([^\s"']{4,128})/gi },
  { pattern: /(\bactivate-refresh-token \S{1,128} )([\w/-]{16,512})/g },
  { pattern: /(\bvault operator unseal (?:-\S{1,64} ){0,4})([\w+/=]{24,128})/g },
  {
    pattern:
      /(\b(?:bundle config (?:set )?(?:--\w{1,8} )?[\w.-]{1,128} |BUNDLE_\w{1,128}__\w{2,16}[=:] ?["']?)[\w.-]{1,64}:)([^\s"'@]{4,128})/g,
  },
  { pattern: /(\bsnmp\w{1,12} (?:[^\s|;]{1,64} ){0,16}?-A ?)([^\s"']{1,128})/g },
  { pattern: /(\bsnmp\w{1,12} (?:[^\s|;]{1,64} ){0,16}?-X ?)([^\s"']{1,128})/g },
];

/** FTP and chats, and functions of databases. */
export const STATEMENTS: readonly SecretForm[] = [
  // FTP, IMAP, chats.
  {
    pattern: /(^(?:(?:ftp)?[<>-]{1,3} ?)?PASS )(\S{1,128})(?=\r?$)/gm,
    isKept: (value) => /[/\\.]|^\d+$|^[a-z]+$/i.test(value),
  },
  { pattern: /(:IDENTIFY )(\S{1,128})/g },
  { pattern: /(\bset password (?:for [^=;\r\n]{1,128})?= ?(?:password\()?["'])([^"'\r\n]{1,256})/gi },
  // Calls that store a password or sign in with one
  {
    pattern:
      /(\b(?:setGenericPassword|\w{4,16}WithEmailAndPassword)\((?:(?:[\w.]{1,64}|["'][^"'\r\n]{0,128}["']), ?){1,3}["'])([^"'\r\n]{1,256})(?=["'])/g,
  },
  { pattern: /(\bpassword\(["'])([^"'\r\n]{1,256})(?=["']\))/gi },
  { pattern: /(\bcrypt\(["'])([^"'\r\n]{1,256})(?=["'], ?gen_salt)/gi },
  { pattern: /(\bpgp_sym_(?:en|de)crypt\([^()\r\n]{1,256}, ?["'])([^"'\r\n]{1,256})/gi },
  { pattern: /(\bpragma (?:hex)?(?:re)?key ?= ?["'])([^"'\r\n]{1,256})/gi },
  { pattern: /(\bSECRET ')([^'\r\n]{1,256})(?=')/g },
];

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
export function withoutEnd(value: string): string {
  return value.replace(/[.,;:!?]$/, '');
}
