/** The longest address that is taken, after trimming (docs/contract/account.md 2.2). */
export const EMAIL_LENGTH_MAX = 254;
/** The longest text that is read as one address, with letters outside ASCII and white space around it. */
export const EMAIL_TEXT_LENGTH_MAX = 320;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL_PART = `${ATOM}(?:\\.${ATOM})*`;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** Letters, digits, hyphens, dots, and everything outside ASCII. */
const DOMAIN_TEXT = '[^\\x00-\\x2c\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]+';
/** The pattern of what may be one bare address, without anchors. */
export const EMAIL_PATTERN = `${LOCAL_PART}@${DOMAIN_TEXT}`;
const TEXT = new RegExp(`^${EMAIL_PATTERN}$`);
const WHOLE = new RegExp(`^${LOCAL_PART}@${LABEL}(?:\\.${LABEL})*$`);
const LOCAL_PART_LENGTH_MAX = 64;

/** The form in which addresses are stored and compared; null for text that is not exactly one address. */
export function normalizeEmail(text: string): string | null {
  return asciiAddress(text)?.toLowerCase() ?? null;
}

/** An address, and the name before it; empty when there is none. */
export interface Mailbox {
  name: string;
  /** The address in the form for the wire, with the case of its local part. */
  address: string;
}

const NAME_LENGTH_MAX = 64;
const PLAIN_NAME = /^[^@<>,;:"()\\\p{C}]*$/u;
const QUOTED_NAME = /^"((?:[^"\\\p{C}]|\\[^\p{C}])*)"$/u;

/** Reads `jane@example.com`, `Jane Doe <jane@example.com>` or `"Doe, Jane" <jane@example.com>`; null for others. */
export function readMailbox(text: string): Mailbox | null {
  const trimmed = text.trim();
  const isNamed = trimmed.endsWith('>');
  const open = isNamed ? trimmed.lastIndexOf('<') : -1;
  const address = asciiAddress(isNamed ? trimmed.slice(open + 1, -1) : trimmed);
  const before = trimmed.slice(0, Math.max(0, open)).trim();
  const name = PLAIN_NAME.test(before) ? before : QUOTED_NAME.exec(before)?.[1]?.replace(/\\(.)/gu, '$1');
  if (address === null || name === undefined || (isNamed && open === -1)) return null;
  return name.length > NAME_LENGTH_MAX ? null : { name, address };
}

/** Splits a list at the commas that are in no quoted name. */
export function splitMailboxes(text: string): string[] {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+/gsu) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/**
 * The address with its domain as A-labels (`xn--…`), as DNS and mail servers know it. Before the `@` only ASCII is taken:
 * mail servers without SMTPUTF8 refuse the rest, and two letters that look alike could be two people.
 */
function asciiAddress(text: string): string | null {
  const trimmed = text.trim();
  const at = trimmed.indexOf('@');
  if (trimmed.length > EMAIL_TEXT_LENGTH_MAX || at > LOCAL_PART_LENGTH_MAX || !TEXT.test(trimmed))
    return null;
  const domain = asciiDomain(trimmed.slice(at + 1));
  const address = `${trimmed.slice(0, at)}@${domain}`;
  return domain !== null && address.length <= EMAIL_LENGTH_MAX && WHOLE.test(address) ? address : null;
}

/** A domain as A-labels and in lower case; null where a label outside ASCII is none. */
export function asciiDomain(text: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  const url = `http://${text}`;
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  // Digits of other scripts could be read as an address of IPv4.
  return /^[\d.]*$/.test(host) ? null : host;
}
