import { createHash } from 'node:crypto';
import type { BuiltFile } from './built-files.ts';
import { readBuilt, storedBytes } from './packed-files.ts';

/**
 * Hashes of built files that other built files hold: `integrity` attributes and import maps, manifests of service workers
 * (SHA-1 or MD5 in hex), and the entity tags in which some servers keep the size of a file. A file that changes needs
 * another hash there.
 */

const TEXT_BYTES_MAX = 16 * 1024 * 1024;
const TOKENS_MAX = 1_000_000;
const BASE64_LENGTHS: Readonly<Record<string, number>> = { sha256: 44, sha384: 64, sha512: 88 };
const HEX_HASHES = { 32: 'md5', 40: 'sha1', 64: 'sha256', 96: 'sha384', 128: 'sha512' } as const;
const BASE64 =
  /(sha(?:256|384|512)-)((?:[A-Za-z0-9+/_=-]|\\\/|\\u00(?:2[BbFf]|3[Dd])|\\x(?:2[BbFf]|3[Dd])|&#(?:43|47|61|x2[BbFf]|x3[Dd]);|&(?:plus|sol|equals);){43,440})/g;
const HEX = /(?<![0-9A-Za-z])[0-9a-fA-F]{32,128}(?![0-9A-Za-z])/g;
const ETAG = /(?<![0-9A-Za-z])[0-9a-f]{1,8}-[A-Za-z0-9+/]{27}(?![A-Za-z0-9+/=])/g;

export interface HashHolders {
  /** By hash: a script that holds it, where it cannot be replaced without changing that script in turn. */
  scripts: ReadonlyMap<string, string>;
  /** By hash: the texts that hold it. */
  texts: ReadonlyMap<string, readonly BuiltFile[]>;
}

/** The hashes that prevent a file from changing. */
interface Held {
  /** The script whose check would refuse the changed file. */
  byScript: string | null;
  /** The script with a revision of the file, which nothing compares with the file. */
  byRevision: string | null;
  /** Hashes that texts hold. */
  inTexts: string[];
}

export function findHashHolders(scripts: readonly BuiltFile[], others: readonly BuiltFile[]): HashHolders {
  const byScript = new Map<string, string>();
  const byText = new Map<string, BuiltFile[]>();
  for (const { file, path } of scripts) {
    for (const token of tokensOf(readText(file))) if (byScript.size < TOKENS_MAX) byScript.set(token, path);
  }
  for (const built of others) {
    for (const token of tokensOf(readText(built.file))) {
      const holders = byText.get(token);
      if (holders !== undefined) holders.push(built);
      else if (byText.size < TOKENS_MAX) byText.set(token, [built]);
    }
  }
  return { scripts: byScript, texts: byText };
}

/** Returns the holders of a hash of these bytes. */
export function holdersOf(bytes: Buffer, { scripts, texts }: HashHolders): Held {
  const held: Held = { byScript: null, byRevision: null, inTexts: [] };
  if (scripts.size === 0 && texts.size === 0) return held;
  for (const hash of hashesOf(bytes)) {
    const script = scripts.get(hash);
    const isChecked = hash.includes('-');
    if (script !== undefined && isChecked) held.byScript ??= script;
    if (script !== undefined && !isChecked) held.byRevision ??= script;
    const text = texts.get(hash)?.[0];
    if (text !== undefined && isEntityTag(hash)) held.byScript ??= text.path;
    else if (text !== undefined) held.inTexts.push(hash);
  }
  return held;
}

/** The same hashes of other bytes, by those of the first. */
export function replacements(hashes: readonly string[], before: Buffer, after: Buffer): [string, string][] {
  const changed = hashesOf(after);
  return hashesOf(before).flatMap((hash, at) => {
    const other = changed[at];
    return hashes.includes(hash) && other !== undefined ? [[hash, other] as [string, string]] : [];
  });
}

/** Returns the text with other hashes; everything else stays unchanged. Text and result are Latin-1. */
export function withHashes(text: string, changes: ReadonlyMap<string, string>): string {
  return text
    .replace(BASE64, (whole, _, raw: string) => {
      const token = base64Token(whole);
      const other = token === null ? undefined : changes.get(token);
      if (other === undefined) return whole;
      const value = other.slice(other.indexOf('-') + 1);
      return (
        whole.slice(0, whole.length - raw.length) +
        (raw.includes('\\/') ? value.replaceAll('/', '\\/') : value)
      );
    })
    .replace(HEX, (whole) => {
      const other = changes.get(whole.toLowerCase());
      return other === undefined ? whole : /[A-F]/.test(whole) ? other.toUpperCase() : other;
    });
}

function* tokensOf(text: string): Generator<string> {
  for (const [whole] of text.matchAll(BASE64)) {
    const token = base64Token(whole);
    if (token !== null) yield token;
  }
  for (const [whole] of text.matchAll(HEX)) if (whole.length in HEX_HASHES) yield whole.toLowerCase();
  for (const [whole] of text.matchAll(ETAG)) yield whole;
}

/** The hash without the escapes of HTML, JSON and scripts; null when it is none. */
function base64Token(whole: string): string | null {
  const [algorithm = ''] = whole.split('-', 1);
  const value = whole
    .slice(algorithm.length + 1)
    .replace(/\\\/|\\u002f|\\x2f|&#47;|&#x2f;|&sol;|_/gi, '/')
    .replace(/\\u002b|\\x2b|&#43;|&#x2b;|&plus;|-/gi, '+')
    .replace(/\\u003d|\\x3d|&#61;|&#x3d;|&equals;/gi, '=');
  return value.length === BASE64_LENGTHS[algorithm] ? `${algorithm}-${value}` : null;
}

/** Every form in which a hash of the bytes is written, always in the same order. */
function hashesOf(bytes: Buffer): string[] {
  const base64 = Object.keys(BASE64_LENGTHS).map(
    (name) => `${name}-${hashOf(name, bytes).toString('base64')}`,
  );
  const tag = hashOf('sha1', bytes).toString('base64').slice(0, 27);
  const hex = Object.values(HEX_HASHES).map((name) => hashOf(name, bytes).toString('hex'));
  return [...base64, `${bytes.length.toString(16)}-${tag}`, ...hex];
}

function hashOf(name: string, bytes: Buffer): Buffer {
  return createHash(name).update(bytes).digest();
}

function isEntityTag(hash: string): boolean {
  return /^[0-9a-f]{1,8}-/.test(hash);
}

/** The text as Latin-1; empty for what is no text or too large to be one of those. */
function readText(file: string): string {
  if (storedBytes(file) > TEXT_BYTES_MAX * 2) return '';
  const bytes = readBuilt(file);
  return bytes.subarray(0, 1024).includes(0) ? '' : bytes.toString('latin1');
}
