import type { IncomingMessage } from 'node:http';

/**
 * Returns a target that the router can decode. An escape that does not decode would fail in the router, before the
 * credential. Escaped again, it reaches the route as its own text and fails there as a malformed id.
 */
export function decodableTarget(target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  if (!path.includes('%')) return target;
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return path.replaceAll('%', '%25') + target.slice(path.length);
  }
}

/** The header, hidden from the framework, which would refuse a malformed one before the credential is looked at. */
export function takeContentType(request: IncomingMessage): string | undefined {
  const contentType = request.headers['content-type'];
  if (contentType !== undefined) request.headers['content-type'] = undefined;
  return contentType;
}

/** Every value of a header; Node itself keeps only the first of headers that may come once. */
export function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [sent = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(value);
  }
  return values;
}

/**
 * Repeated headers mean the same as one with their values in a list (RFC 9110, 5.3), and a list is no credential: two
 * readers of the request would otherwise see two callers.
 */
export function combineAuthorizations(request: IncomingMessage): void {
  if (request.headers.authorization === undefined) return;
  const values = valuesOf(request, 'authorization');
  if (values.length > 1) request.headers.authorization = values.join(', ');
}
