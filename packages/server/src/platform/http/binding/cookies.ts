/**
 * Returns the value of a cookie; null when it is missing, empty, or sent more than once with different values. A
 * neighbouring host can plant a second cookie of the name, and the server cannot recognize its own.
 */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  let found: string | null = null;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at === -1 || trimmed(pair.slice(0, at)) !== name) continue;
    const value = trimmed(pair.slice(at + 1));
    if (value === '' || (found !== null && found !== value)) return null;
    found = value;
  }
  return found;
}

/**
 * Without the white space of HTTP. `trim` would also remove a no-break space, with which another host can plant a name
 * that browsers do not take for the prefixed one.
 */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charAt(start))) start += 1;
  while (end > start && isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

/** A cookie of this host only, out of reach of scripts. */
interface CookieToSet {
  name: string;
  /** A value of cookie-safe characters. */
  value: string;
  path: string;
  /** 0 removes it. */
  maxAgeSeconds: number;
  isSecure: boolean;
}

/**
 * The name of a cookie that no other host can plant: browsers take the prefix over https alone, from this host alone and
 * with the path `/`.
 */
function ownName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The value of a cookie that was set with `ownCookieHeader`; null as in `readCookie`. */
export function readOwnCookie(header: string | undefined, name: string, isSecure: boolean): string | null {
  return readCookie(header, ownName(name, isSecure));
}

/** The value of a `Set-Cookie` header whose cookie no other host can plant when it is secure. */
export function ownCookieHeader(cookie: CookieToSet): string {
  const { name, path, isSecure } = cookie;
  return cookieHeader({ ...cookie, name: ownName(name, isSecure), path: isSecure ? '/' : path });
}

/** The value of a `Set-Cookie` header: `HttpOnly`, `SameSite=Lax`, without a domain (docs/contract/account.md 2.5). */
export function cookieHeader(cookie: CookieToSet): string {
  const { name, value, path, maxAgeSeconds, isSecure } = cookie;
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure) parts.push('Secure');
  return parts.join('; ');
}
