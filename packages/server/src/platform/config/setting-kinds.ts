import { isIP } from 'node:net';
import { resolve } from 'node:path';
import {
  asciiDomain,
  normalizeEmail,
  readMailbox,
  splitMailboxes,
} from '@culprit/contract/workspace/email-address';
import { parseS3Address, type S3Address } from '../objects/s3-address.ts';
import { Secret } from '../secrets/secret.ts';

/** The allowed text of a setting: how it is parsed and how the documentation describes it. */
export interface SettingKind<Value> {
  /** Completes "must be …". */
  words: string;
  /** The text itself must not be shown in messages. */
  isSecret: boolean;
  /** Undefined when the text is not of this kind. */
  parse(text: string): Value | undefined;
}

const LIST_ENTRIES_MAX = 200;
const BYTE_UNITS = new Map([
  ['', 1],
  ['KB', 1024],
  ['MB', 1024 ** 2],
  ['GB', 1024 ** 3],
]);
const MAIL_SERVER_OPTIONS = new Map([
  ['starttls', ['required', 'optional', 'off']],
  ['verify', ['on', 'off']],
]);
const NAME_PATTERN = /^(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,10}\.?$/i;

export function wholeNumber(min: number, max: number): SettingKind<number> {
  return kind(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

export function byteSize(minBytes: number, maxBytes: number): SettingKind<number> {
  return kind('a number of bytes, or one with KB, MB or GB (of 1024)', (text) => {
    const match = /^(\d{1,15}) ?(KB|MB|GB|)$/.exec(text);
    const bytes = Number(match?.[1]) * (BYTE_UNITS.get(match?.[2] ?? '') ?? Number.NaN);
    return bytes >= minBytes && bytes <= maxBytes ? bytes : undefined;
  });
}

export function oneOf<const Word extends string>(...words: Word[]): SettingKind<Word> {
  return kind(`one of ${words.map((word) => `\`${word}\``).join(', ')}`, (text) =>
    words.find((word) => word === text),
  );
}

export function onOrOff(): SettingKind<boolean> {
  return kind('`on` or `off`', (text) => (text === 'on' ? true : text === 'off' ? false : undefined));
}

/** Made absolute, so that a later change of the working directory changes nothing. */
export function directory(): SettingKind<string> {
  return kind('a directory', (text) => (text.includes('\0') ? undefined : resolve(text)));
}

export function listenAddress(): SettingKind<string> {
  return kind('an IP address or a host name', (text) =>
    isIP(text) !== 0 || isHostName(text) ? text : undefined,
  );
}

/** Without a final slash, so that paths can be appended. */
export function httpOrigin(): SettingKind<string> {
  return kind('an address like `https://errors.example.com`, without a path', (text) => {
    const url = httpUrl(text);
    return url !== null && url.pathname === '/' ? url.origin : undefined;
  });
}

/** Like an origin, but a path is kept: GitHub Enterprise has its API below one. */
export function httpAddress(): SettingKind<string> {
  return kind('an address like `https://api.example.com/v3`', (text) => {
    const url = httpUrl(text);
    return url === null ? undefined : url.origin + url.pathname.replace(/\/$/, '');
  });
}

/** The identifier of a provider, letter by letter: a final slash belongs to it. */
export function issuerAddress(): SettingKind<string> {
  return kind('an address like `https://id.example.com/realms/team`', (text) =>
    httpUrl(text) === null ? undefined : text,
  );
}

export function secretText(): SettingKind<Secret> {
  return secretKind('a text', (text) => new Secret(text));
}

/** An address with credentials in it. */
export function secretUrl(example: string, ...protocols: string[]): SettingKind<Secret> {
  return secretKind(`an address like \`${example}\``, (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    // A database on this machine may be named by its socket directory: `postgres:///name?host=/run/postgresql`.
    const hasHost = url !== null && (url.hostname !== '' || url.searchParams.has('host'));
    return hasHost && protocols.includes(url.protocol) ? new Secret(text) : undefined;
  });
}

/** Returns the kind of a mail server's address; `readSmtpUrl` reads the part after the `?`. */
export function mailServer(): SettingKind<Secret> {
  const words =
    'an address like `smtps://user:password@mail.example.com:465`, with `?starttls=required`, `optional` or `off` ' +
    'after an `smtp:` one, `?verify=off` to accept any certificate, and `?name=culprit.example.com` as the name in ' +
    '`EHLO`';
  return secretKind(words, (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isServer =
      url !== null &&
      ['smtp:', 'smtps:'].includes(url.protocol) &&
      url.hostname !== '' &&
      ['', '/'].includes(url.pathname) &&
      url.hash === '' &&
      isDecodable(url.username) &&
      isDecodable(url.password) &&
      [...url.searchParams].every(([name, value]) =>
        name === 'name' ? isEhloName(value) : MAIL_SERVER_OPTIONS.get(name)?.includes(value) === true,
      );
    return isServer ? new Secret(text) : undefined;
  });
}

/** `culprit@example.com`, `Culprit <culprit@example.com>` or `"Culprit, Berlin" <culprit@example.com>`. */
export function mailSender(): SettingKind<string> {
  return kind(
    'an e-mail address, with a name before it if wanted: `Culprit <culprit@example.com>`, in quotes if it has a comma',
    (text) => (readMailbox(text) === null ? undefined : text.trim()),
  );
}

/**
 * Returns the kind of a bucket's address. It is not shown in messages, because it can contain keys that a user put into
 * it.
 */
export function s3Address(): SettingKind<S3Address> {
  const words =
    'an address like `s3://bucket/prefix`, with `?endpoint=https://…`, `&region=` and `&path_style=on` or `off` ' +
    'after it where needed, and without keys: those are `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`';
  return secretKind(words, parseS3Address);
}

/** 32 bytes of key in base64, with the padding or without. */
export function secretKey(): SettingKind<Secret<Buffer>> {
  return secretKind('32 bytes in base64 (`openssl rand -base64 32`)', (text) => {
    const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(text);
    const bytes = Buffer.from(text, 'base64');
    return isBase64 && bytes.length === 32 ? new Secret(bytes) : undefined;
  });
}

export function plainText(words: string, charactersMax: number): SettingKind<string> {
  return kind(words, (text) => (text.length <= charactersMax && !/[\r\n\0]/.test(text) ? text : undefined));
}

export function listOf<Value>(entry: SettingKind<Value>): SettingKind<Value[]> {
  return kind(`a comma-separated list, each entry ${entry.words}`, (text) => {
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const values = parts.map((part) => entry.parse(part));
    const isSound = values.length <= LIST_ENTRIES_MAX && values.every((value) => value !== undefined);
    return isSound ? values : undefined;
  });
}

export function webOrigin(): SettingKind<string> {
  return kind('an origin like `https://app.example.com`, no `*`', (text) => {
    const url = httpUrl(text);
    return url !== null && url.pathname === '/' && !text.endsWith('/') ? url.origin : undefined;
  });
}

/** In the form in which addresses of accounts are stored. Names before them are left out. */
export function mailAddresses(): SettingKind<string[]> {
  return kind('a comma-separated list, each entry an address like `ada@example.com`', (text) => {
    const addresses = splitMailboxes(text).map((part) => normalizeEmail(readMailbox(part)?.address ?? ''));
    const isSound = addresses.length <= LIST_ENTRIES_MAX && addresses.every((address) => address !== null);
    return isSound ? addresses : undefined;
  });
}

export function mailDomain(): SettingKind<string> {
  return kind('a mail domain like `example.com`', (text) => {
    const domain = asciiDomain(text) ?? '';
    return NAME_PATTERN.test(domain) && domain.includes('.') ? domain : undefined;
  });
}

export function addressRange(): SettingKind<string> {
  return kind('an IP address or a range like `10.0.0.0/8`', (text) =>
    isAddressRange(text) ? text : undefined,
  );
}

/**
 * The allow-list's forms (docs/contract/notifications.md 5.4): host, `*.suffix`, address or range, each with an
 * optional port.
 */
export function outboundTarget(): SettingKind<string> {
  return kind('a host, `*.suffix`, address or range, each with an optional `:port`', (text) => {
    const { target, port } = splitPort(text);
    if (port !== null && !(Number(port) >= 1 && Number(port) <= 65_535)) {
      return undefined;
    }
    const name = target.startsWith('*.') ? target.slice(2) : target;
    return isAddressRange(target) || isHostName(name) ? text.toLowerCase() : undefined;
  });
}

function kind<Value>(words: string, parse: (text: string) => Value | undefined): SettingKind<Value> {
  return { words, isSecret: false, parse };
}

function secretKind<Value>(words: string, parse: (text: string) => Value | undefined): SettingKind<Value> {
  return { words, isSecret: true, parse };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function httpUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  return isPlain ? url : null;
}

/** Digits and dots alone are a mistyped address and never a name. */
function isHostName(text: string): boolean {
  return NAME_PATTERN.test(text) && /[a-z]/i.test(text);
}

/** A name, or an address in brackets (RFC 5321 4.1.3). */
function isEhloName(text: string): boolean {
  const literal = /^\[(?:IPv6:)?([\da-f:.]+)\]$/i.exec(text)?.[1];
  return literal === undefined ? isHostName(text) : isIP(literal) === (/^\[IPv6:/i.test(text) ? 6 : 4);
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) {
    return false;
  }
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Parts a target from its port: `[fd00::1]:443`, `[fd00::/8]`, `fd00::1`, `10.0.0.0/8:8080`, `name:8080`. */
export function splitPort(text: string): { target: string; port: string | null } {
  const bracketed = /^\[([^\]]{1,60})\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) {
    return { target: bracketed[1] ?? '', port: bracketed[2] ?? null };
  }
  const parts = text.split(':');
  const [target = '', port] = parts;
  return parts.length === 2 && port !== undefined ? { target, port } : { target: text, port: null };
}
