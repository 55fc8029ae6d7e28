import type { ReproductionArtifacts } from '@culprit/contract/incidents/reproduction';
import { encodePath, encodeQuery } from './replay-address.ts';
import type { ReplayRequest } from './replay-request.ts';
import { shellQuote } from './shell-quote.ts';

/** Bytes of one artifact (docs/contract/incidents.md 4.3); of the request as data, its JSON. */
const ARTIFACT_BYTES_MAX = 64 * 1024;

/**
 * The commands and the request as data (docs/contract/incidents.md 4.3); null when one of them is too long even with
 * only the beginning of the body.
 */
export function reproductionArtifacts(request: ReplayRequest): ReproductionArtifacts | null {
  const artifacts = artifactsWithBody(request, request.body.text);
  if (isWithinBounds(artifacts)) return artifacts;
  if (request.body.head === null) return null;
  const shortened = artifactsWithBody(
    { ...request, body: { ...request.body, value: shortBody(request) } },
    request.body.head,
  );
  return isWithinBounds(shortened) ? shortened : null;
}

function artifactsWithBody(request: ReplayRequest, bodyText: string | null): ReproductionArtifacts {
  const url = urlWord(request);
  return {
    curl: curlCommand(request, url, bodyText),
    httpie: httpieCommand(request, url, bodyText),
    json_spec: {
      method: request.method,
      url: `${request.origin ?? ''}${encodePath(request.path)}`,
      headers: Object.fromEntries(request.headers),
      query: request.query,
      body: request.body.value,
    },
  };
}

/** Without an origin the caller sets the base address in the environment. */
function urlWord(request: ReplayRequest): string {
  const path = `${encodePath(request.path)}${encodeQuery(request.query)}`;
  return request.origin === null
    ? `"\${BASE_URL}"${shellQuote(path)}`
    : shellQuote(`${request.origin}${path}`);
}

function curlCommand(request: ReplayRequest, url: string, bodyText: string | null): string {
  const words = ['curl', '-X', request.method];
  // By default curl resolves `..` itself; the failure may depend on it.
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(request.path)) words.push('--path-as-is');
  words.push(url);
  for (const [name, value] of request.headers) {
    // `name:` would remove the header; an empty one is written with a semicolon.
    words.push('-H', shellQuote(value === '' ? `${name};` : `${name}: ${value}`));
  }
  if (bodyText !== null) words.push('--data-raw', shellQuote(bodyText));
  return words.join(' ');
}

function httpieCommand(request: ReplayRequest, url: string, bodyText: string | null): string {
  const words =
    bodyText === null ? ['http', '--ignore-stdin'] : ['printf', "'%s'", shellQuote(bodyText), '|', 'http'];
  words.push(request.method, url);
  for (const [name, value] of request.headers) {
    words.push(shellQuote(value === '' ? `${name};` : `${name}:${httpieValue(value)}`));
  }
  return words.join(' ');
}

/** `:@` would read a file and `:=` send JSON: a backslash makes the first character of the value plain again. */
function httpieValue(value: string): string {
  return /^[@=]/.test(value) ? `\\${value}` : value;
}

function shortBody({ body }: ReplayRequest): { truncated: true; bytes: number; head: string } {
  return { truncated: true, bytes: Buffer.byteLength(body.text ?? ''), head: body.head ?? '' };
}

function isWithinBounds({ curl, httpie, json_spec }: ReproductionArtifacts): boolean {
  return [curl, httpie, JSON.stringify(json_spec)].every(
    (text) => Buffer.byteLength(text) <= ARTIFACT_BYTES_MAX,
  );
}
