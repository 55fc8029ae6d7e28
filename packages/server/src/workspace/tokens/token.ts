import { createHash, randomBytes } from 'node:crypto';

/** Credentials of docs/contract/account.md 1.2 that are shown once and stored as a hash. */
type TokenKind = 'project' | 'member' | 'invite';

const PREFIXES: Record<TokenKind, string> = {
  project: 'svc_proj_',
  member: 'svc_mem_',
  invite: 'svc_invite_',
};
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;

/** The largest multiple of the alphabet's size below 256; bytes from it on would favor the first characters. */
const REJECT_FROM = 256 - (256 % ALPHABET.length);

/** A new secret of 43 uniformly random characters behind the kind's prefix. */
export function createToken(kind: TokenKind): string {
  return PREFIXES[kind] + generateSecret();
}

/** 43 uniformly random letters and digits, 256 bits: what every secret of ours consists of behind its prefix. */
export function generateSecret(): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < REJECT_FROM && secret.length < SECRET_LENGTH) secret += ALPHABET[byte % ALPHABET.length];
    }
  }
  return secret;
}

/**
 * True when the text has the exact form of the kind; anything else needs no look-up (docs/contract/reliability.md
 * A11).
 */
export function isTokenShaped(kind: TokenKind, text: string): boolean {
  const prefix = PREFIXES[kind];
  return (
    text.length === prefix.length + SECRET_LENGTH &&
    text.startsWith(prefix) &&
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length))
  );
}

/** SHA-256 of the plaintext: what is stored and looked up. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** First four characters, three full stops, last four (docs/contract/account.md 1.3). */
export function tokenPreview(token: string): string {
  return `${token.slice(0, 4)}...${token.slice(-4)}`;
}

/**
 * The token of an `Authorization` header, or null for a missing header, another scheme or another shape.
 * The scheme is read in any letter case (docs/contract/account.md 1.4).
 */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  const match = /^bearer +([!-~]+)$/i.exec(header.trim());
  return match?.[1] ?? null;
}
