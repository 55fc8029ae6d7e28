import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { entityTag } from '../binding/entity-tag.ts';

/** A file of the built dashboard, in the forms in which it is sent. */
export interface DashboardFile {
  type: string;
  etag: string;
  /** Its name carries a hash of its content, so it never changes. */
  isImmutable: boolean;
  /** The only form of content that does not compress, such as fonts. */
  identity: Buffer | null;
  brotli: Buffer | null;
  gzip: Buffer | null;
}

/** The built dashboard by the path of its addresses, such as `/index.html`. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>;

/** The file that the build writes last, so that a folder with this file is complete. */
const BUILD_MARKER = '.build.json';
/** The file that a failed build leaves next to the folder. */
export const FAILURE_MARKER = '.build-failed';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** The one file beside the hashed ones, which says which build this is. */
const BUILD_NAME = '/assets/build.json';
const uncompress = promisify(gunzip);

/** Reads the built dashboard into memory, compressed; null when there is none, or none that is whole. */
export function readDashboardFiles(directory: string): DashboardFiles | null {
  if (!isFile(join(directory, BUILD_MARKER))) return null;
  const files = new Map<string, DashboardFile>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    const type = TYPES[extname(name)];
    if (type === undefined || name === BUILD_MARKER || !isFile(path)) continue;
    const content = readFileSync(path);
    const brotli = isFile(`${path}.br`) ? readFileSync(`${path}.br`) : null;
    const address = `/${relative(directory, path).split(sep).join('/')}`;
    files.set(address, {
      type,
      etag: entityTag(content),
      isImmutable: address.startsWith('/assets/') && address !== BUILD_NAME,
      identity: brotli === null ? content : null,
      brotli,
      gzip: brotli === null ? null : gzipSync(content, { level: 9 }),
    });
  }
  return files.has('/index.html') ? files : null;
}

/** The form of a file that a client takes, by its `Accept-Encoding`. */
export async function formOf(
  file: Pick<DashboardFile, 'identity' | 'brotli' | 'gzip'>,
  acceptEncoding: string | undefined,
): Promise<{ content: Buffer; encoding: 'br' | 'gzip' | null }> {
  const accepted = acceptedEncodings(acceptEncoding);
  if (file.brotli !== null && accepted.has('br')) return { content: file.brotli, encoding: 'br' };
  if (file.gzip !== null && accepted.has('gzip')) return { content: file.gzip, encoding: 'gzip' };
  // Hardly anybody asks for it, so it is not kept.
  const content = file.identity ?? (file.gzip === null ? Buffer.alloc(0) : await uncompress(file.gzip));
  return { content, encoding: null };
}

function acceptedEncodings(header = ''): Set<string> {
  const accepted = new Set<string>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return accepted;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
