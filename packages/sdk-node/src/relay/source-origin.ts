/** Headers that say which page a call comes from, and which host it was meant for. */
interface OriginHeaders {
  origin: string | null;
  referer: string | null;
  host: string | null;
  /** Only of a proxy that is trusted. */
  forwardedHost: string | null;
}

const TEXT_MAX = 4_096;

/**
 * The origin that a call is accepted from, null when it is refused (docs/contract/ingestion.md 8.11 step 1). `Origin`
 * decides where there is one, also when it is `null`, which no page of ours is.
 */
export function acceptedOrigin(headers: OriginHeaders, configured: readonly string[] | null): string | null {
  const source = parseOrigin(headers.origin ?? headers.referer);
  if (source === null) return null;
  if (configured !== null) {
    return configured.some((entry) => parseOrigin(entry.trim())?.origin === source.origin)
      ? source.origin
      : null;
  }
  const host = (headers.forwardedHost?.split(',')[0] ?? headers.host ?? '').trim();
  return hostOf(host, source.protocol) === source.host ? source.origin : null;
}

function parseOrigin(text: string | null): URL | null {
  if (text === null || text.length > TEXT_MAX) return null;
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

/** A host with its port, without the default one of the page's scheme; null for what is no host alone. */
function hostOf(host: string, protocol: string): string | null {
  if (host === '' || host.length > TEXT_MAX || /[/\\?#@\s]/.test(host)) return null;
  return parseOrigin(`${protocol}//${host}`)?.host ?? null;
}
