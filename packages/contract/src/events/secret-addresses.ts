import type { SecretForm } from './secret-form.ts';

/** Secrets in addresses (docs/contract/clients.md 10.1). */

/** Behind a scheme. */
export const USER_INFO: readonly SecretForm[] = [
  // A password with an unencoded `/`, `?` or `#`: the text before it is no port.
  {
    pattern:
      /([a-z\d+.-]:\/\/)(?!\[REDACTED])([^\s:/?#@"'<>\\[]{0,64}:(?!\d{1,5}(?![\w!$%&*+=.~-]))[^\s"'<>@]{1,128}(?:@[^\s"'<>@]{1,64}){0,3})(@)(?=[\w[.-])/gi,
  },
  {
    pattern:
      /(\b(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|clickhouse|sqlserver|mssql|ldaps?|smtps?|s?ftp)(?:\+\w{1,16})?:\/\/)(\[REDACTED]@[^\s"'<>?]{1,128})(@)/gi,
  },
];

/** Passwords are written as drivers write them, or encoded. */
export const DRIVER_ADDRESSES: readonly SecretForm[] = [
  { pattern: /(\b[\w.-]{1,64}:)([^\s"']{1,64})(@(?:tcp|unix)\()/g },
  { pattern: /(\bjdbc:oracle:\w{1,16}:[\w$#]{1,64}\/)([^\s"'@]{1,128})(@)/g },
  { pattern: /(\b[\w$#]{1,64}\/)([^\s"'@/:,]{1,128})(@)(?=\/\/)/g },
  { pattern: /(\b(?:sip|turn)s?:[^\s:@<>"';]{1,64}:)([^\s@<>"']{1,128})(@)(?=[\w[])/gi },
  // The text in a picture by which phones join a network
  { pattern: /(\bWIFI:(?:[HST]:[^;\r\n]{0,64};){1,3}P:)([^;\s]{1,64})/g },
  // Without a scheme: `ann:hunter2@db/shop`.
  {
    pattern:
      /((?:^|[\s"'=(])(?!(?:mailto|sip|acct|xmpp|npm|git|to|cc|from|user|e?mail):)[A-Za-z][\w.-]{0,63}:)([^\s:@/"'()[\]{}]{4,64})(@)(?=(?!sha\d)[A-Za-z][\w.-]{0,128}[:/])/g,
    isKept: (value) => !/\d/.test(value) || /^[\d.]+$/.test(value),
  },
  { pattern: /(%3a%2f%2f[^%\s"'&]{1,64}%3a)((?:[^%\s"'&]|%(?!40|2f)[\da-f]{2}){1,128})(%40)/gi },
];

/** The address itself is the permission to post. */
export const HOOKS: readonly SecretForm[] = [
  { pattern: /(\bhooks\.zapier\.com\/hooks\/catch\/\d{1,12}\/)(\w{4,64})/g },
  { pattern: /(\bmaker\.ifttt\.com\/trigger\/[^\s/]{1,64}(?:\/json)?\/with\/key\/)([\w-]{8,64})/g },
  { pattern: /(\/IncomingWebhook\/)([\da-f]{32}\/[\da-f-]{36})/g },
  { pattern: /(\/bot\/v2\/hook\/|\/webhook\/send\?key=)([\w-]{16,64})/g },
  { pattern: /(\/hooks\/)([a-z\d]{26})(?![\w-])/g, isKept: (value) => !/\d/.test(value) },
];

/** Links in mails, which act without more. */
export const LINKS: readonly SecretForm[] = [
  {
    pattern:
      /(\/(?:(?:re)?set[-_]?password|password[-_/]reset|reset|confirm\w{0,8}|activat\w{1,4}|verif\w{1,8}(?:[-_/](?:e-?mail|account|address|user))?|magic(?:[-_]?link)?|invit\w{1,6}|unsubscribe)(?:\/|\?[a-z]{1,16}=))([\w~:=-]{20,1024})/gi,
    isKept: (value) =>
      !(/\d/.test(value) && /[a-z]/i.test(value)) || /^[a-z]+(?:-[a-z\d]{1,12})+$/.test(value),
  },
];

export const PARAMETERS: readonly SecretForm[] = [
  // Sealed cookies of Rails and Laravel
  {
    pattern:
      /((?:^|[\s;,"'?&[])[\w.-]{0,64}(?:session|remember_web_\w{40})=)([\w%.+/=~-]{16,4096})(?:\[REDACTED\])?/g,
    isKept: (value) => !/\d/.test(value) || !/[A-Z]/.test(value) || /^[\dA-F-]+$/.test(value),
  },
  {
    pattern: /(\bassertion["']?[=:] ?["']?)([\w.+/=~%-]{20,16384})/g,
    isKept: (value) => !/\d/.test(value) || !/[a-z]/i.test(value),
  },
  { pattern: /([?&](?:appid|app_?key|key)=)([\da-f]{32})(?![\w-])/gi },
];

/** Sessions of ASP.NET without cookies. */
export const SESSION_PATHS: readonly SecretForm[] = [
  { pattern: /(\/\((?:[AF]\([^\s()]{1,1024}\))?S\()([a-z\d]{24})(?=\)\))/g },
];

/** The code with which a provider of sign-in sends a browser back. */
export const SIGN_IN_CODES: readonly SecretForm[] = [
  { pattern: /([?&]code=4(?:\/|%2f)0)([\w-]{20,512})/gi },
  {
    pattern:
      /((?:[?&\s]|^)code=)([^\s"'<>&#?]{8,512})(?=(?:&[\w.-]{1,32}=[^\s"'<>&#]{0,256}){0,3}&(?:session_state|iss|redirect_uri|client_id|grant_type)=)/g,
  },
  {
    pattern:
      /(authorization_code(?:&[\w.-]{1,32}=[^\s"'<>&#]{0,256}){0,3}&code=|authorization_code["'], ?["']code["']: ?["'])([^\s"'<>&#?]{8,512})/g,
  },
  {
    pattern: /([?&]code=)([^\s"'<>&#?]{8,512})(?=(?:&[\w.-]{1,32}=[^\s"'<>&#]{0,128}){0,3}&state=)/g,
  },
  {
    pattern:
      /([?&]state=[^\s"'<>&#]{1,512}(?:&[\w.-]{1,32}=[^\s"'<>&#]{0,128}){0,3}&code=)([^\s"'<>&#?]{8,512})/g,
  },
];
