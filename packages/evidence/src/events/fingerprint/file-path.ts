import { remembering } from './remembered-names.ts';

const SEGMENTS_KEPT = 2;
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Schemes of local files and of source names; every other `scheme://` is a file served over a URL. */
const LOCAL_SCHEMES: ReadonlySet<string> = new Set([
  'webpack-internal',
  'webpack',
  'file',
  'app',
  'capacitor',
]);

/** Those by which an app reads the page that it brings. */
const APP_SCHEMES: ReadonlySet<string> = new Set(['app', 'capacitor']);
/** The folders in which the systems of phones and Electron store the files of an app. */
const PACKAGE =
  /^(?:file:\/\/)?\/(?:android_(?:asset|res)|(?:private\/)?var\/(?:containers|mobile)|data\/(?:user|data|app))\/|\/[^/]{1,100}\.(?:app|asar)\//i;
const MAY_BE_PACKAGE = /\/(?:android_|data\/|private|var\/)|\.(?:app|asar)[\\/]/i;

/** The part of a stack's file that survives a new build: its last two segments (contract incidents 5.4.5). */
export const modulePath = remembering(lastOfPath);

function lastOfPath(file: string): string {
  const tail = lastSegments(withoutOrigin(forwardSlashes(file))).map(starBuildSegment);
  const base = tail.at(-1);
  if (base !== undefined && isServedFile(file)) tail[tail.length - 1] = starHashes(base);
  return tail.join('/');
}

/** True for a file that a browser fetched: `https://...` and the like. */
export function isServedFile(file: string): boolean {
  const scheme = schemeOf(file);
  return scheme !== null && !LOCAL_SCHEMES.has(scheme);
}

/** The scheme in small letters; null for a path. */
function schemeOf(file: string): string | null {
  return file.includes('://') ? (SCHEME.exec(file)?.[1]?.toLowerCase() ?? null) : null;
}

/** True for a file that a browser fetched, or that an app brings for its page. */
export function isPageFile(file: string): boolean {
  const scheme = schemeOf(file);
  if (scheme !== null && scheme !== 'file') return APP_SCHEMES.has(scheme) || !LOCAL_SCHEMES.has(scheme);
  return MAY_BE_PACKAGE.test(file) && PACKAGE.test(forwardSlashes(file));
}

/** Metro writes two slashes in place of the question mark: `index.bundle//&platform=ios`. */
const QUERY = /[?#]|\/\/&/;

/** The file as the stack wrote it, without scheme, host and query (contract incidents 3.5). */
export function writtenFile(file: string): string {
  const bare = file.includes('://') ? file.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '') : file;
  const end = bare === file ? file.indexOf('?') : bare.search(QUERY);
  return end === -1 ? bare : bare.slice(0, end);
}

/** Backslashes as slashes; joining takes half the time of replacing. */
export function forwardSlashes(file: string): string {
  return file.includes('\\') ? file.split('\\').join('/') : file;
}

/** Read from the end, because paths are long and most of them is not kept. */
function lastSegments(path: string): string[] {
  const segments: string[] = [];
  for (let end = path.length; end > 0 && segments.length < SEGMENTS_KEPT; ) {
    const slash = path.lastIndexOf('/', end - 1);
    const part = path.slice(slash + 1, end);
    if (part !== '' && part !== '.' && part !== '..') segments.unshift(part);
    end = slash;
  }
  return segments;
}

function withoutOrigin(path: string): string {
  const scheme = schemeOf(path);
  let rest = path;
  if (scheme !== null) {
    rest = path.slice(scheme.length + '://'.length);
    if (scheme === 'webpack' || !LOCAL_SCHEMES.has(scheme)) rest = rest.replace(/^[^/?#]*/, '');
  }
  const end = rest.search(QUERY);
  if (end !== -1) rest = rest.slice(0, end);
  const colon = rest.indexOf(':');
  return colon === 1 || colon === 2 ? rest.replace(/^\/?[A-Za-z]:(?=\/|$)/, '') : rest;
}

const BUILD_SEGMENT = /^(?:\d+|v?\d+(?:\.\d+)+|[0-9a-f]{7,40}|(?:release|build|deploy)[-_.]?\d+(?:\.\d+)*)$/i;

function starBuildSegment(segment: string): string {
  return /\d/.test(segment) && BUILD_SEGMENT.test(segment) ? '*' : segment;
}

const HASH_PART = /^(?:[0-9a-z]{8,}|\d{2,}|[0-9a-f]{6,})$/i;

function starHashes(base: string): string {
  if (!/\d/.test(base)) return base;
  return base
    .split(/([._-])/)
    .map((part) => (/\d/.test(part) && HASH_PART.test(part) ? '*' : part))
    .join('');
}
