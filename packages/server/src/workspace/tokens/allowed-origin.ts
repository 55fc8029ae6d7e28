/**
 * An origin in the form that is stored and compared: lower-case scheme and host, no default port, no trailing slash.
 * Null for anything that is not `scheme://host[:port]` with http or https (docs/contract/account.md 4.3).
 */
export function normalizeOrigin(text: string): string | null {
  if (text.length > 2048 || !/^https?:\/\/[^/?#@\\\s*]+\/?$/i.test(text)) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '') return null;
  return url.origin === 'null' ? null : url.origin;
}

/**
 * Returns the origins of a token in their stored form: normalized, each once (docs/contract/account.md 4.3). Null when
 * one of them is no origin.
 */
export function normalizeOrigins(texts: readonly string[]): string[] | null {
  const origins = new Set<string>();
  for (const text of texts) {
    const origin = normalizeOrigin(text);
    if (origin === null) return null;
    origins.add(origin);
  }
  return [...origins];
}
