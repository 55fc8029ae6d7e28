import { attempt } from '../../sdk-core/src/attempt.ts';
import { hexText } from '../../sdk-core/src/event-id.ts';
import { resolveUrl } from './address.ts';
import { randomBytes } from './random.ts';

export interface TraceOptions {
  tracePropagationTargets?: readonly (string | RegExp)[] | undefined;
  traceHeaders?: readonly string[] | undefined;
}

/** Returns true if calls to an address belong to the system of the host: its own origin and the targets it names. */
export function isOwnAddress(
  { origin, pathname }: URL,
  { tracePropagationTargets = [] }: TraceOptions,
): boolean {
  return (
    // That of a sandbox is no address.
    origin === location.origin ||
    tracePropagationTargets.some((target) =>
      typeof target === 'string'
        ? attempt(() => resolveUrl(target).origin) === origin
        : (origin + pathname).search(target) >= 0,
    )
  );
}

/** Headers that carry the id to an address; none elsewhere. */
export function traceHeadersFor(url: URL, id: string, options: TraceOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  if (/^http/.test(url.protocol) && isOwnAddress(url, options)) {
    for (const name of options.traceHeaders ?? ['x-service-trace-id']) {
      headers[name] = /^traceparent$/i.test(name) ? `00-${id}-${hexText(randomBytes(8))}-01` : id;
    }
  }
  return headers;
}
