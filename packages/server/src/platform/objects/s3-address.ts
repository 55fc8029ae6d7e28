/** Objects in a bucket of an S3-compatible store. Credentials come from the environment, never from the address. */
export interface S3Address {
  bucket: string;
  /** The prefix of every key, without slashes at its ends; may be empty. */
  prefix: string;
  /** Null: that of AWS, or of `AWS_ENDPOINT_URL`. */
  endpoint: string | null;
  /** Null: that of `AWS_REGION`, or of the profile. */
  region: string | null;
  /** The bucket is part of a request's path, not of its host name. */
  isPathStyle: boolean;
}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*)?$/;
const PREFIX_CHARACTERS_MAX = 256;
const REGION = /^[a-z0-9-]{1,64}$/;
const OPTIONS = new Set(['endpoint', 'region', 'path_style']);

/**
 * Reads `s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1&path_style=on`; only the bucket is
 * required. With an endpoint the bucket is part of the path, unless `path_style=off`. Undefined for anything else,
 * credentials in the address included.
 */
export function parseS3Address(text: string): S3Address | undefined {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || !BUCKET.test(url.host)) return undefined;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const prefix = url.pathname.replace(/^\//, '').replace(/\/$/, '');
  if (prefix.length > PREFIX_CHARACTERS_MAX || !PREFIX.test(prefix)) return undefined;
  const names = [...url.searchParams.keys()];
  if (names.some((name) => !OPTIONS.has(name)) || new Set(names).size < names.length) return undefined;
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region');
  const pathStyle = url.searchParams.get('path_style');
  if (endpoint !== null && !isEndpoint(endpoint)) return undefined;
  if (region !== null && !REGION.test(region)) return undefined;
  if (pathStyle !== null && pathStyle !== 'on' && pathStyle !== 'off') return undefined;
  const isPathStyle = pathStyle === null ? endpoint !== null : pathStyle === 'on';
  return { bucket: url.host, prefix, endpoint, region, isPathStyle };
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
