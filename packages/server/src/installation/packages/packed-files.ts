import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { HandedOut } from '@culprit/contract/endpoints/server';
import { PACKAGE_NAMES, tarballPath } from '@culprit/contract/setup/install-lines';
import { llmsText, setupPage } from '@culprit/contract/setup/setup-pages';
import { PLATFORMS } from '@culprit/contract/setup/setup-platforms';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { Logger } from 'pino';
import { errorFields } from '../../platform/error-fields.ts';
import { entityTag } from '../../platform/http/binding/entity-tag.ts';
import type { DashboardFile } from '../../platform/http/dashboard/dashboard-files.ts';

/** The answer of an address, and the time for which it may be cached. */
export interface HandedOutFile extends Omit<DashboardFile, 'isImmutable'> {
  cacheControl: string;
  /** For pages of every origin. */
  isForPages: boolean;
}

/** The files of the build, in memory: no path of a request is looked up in a folder. */
export interface PackedFiles {
  description: HandedOut;
  /** The files by the path of the address in the request. */
  files: ReadonlyMap<string, HandedOutFile>;
}

const SCOPE = '@culprit';
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Asked for each time, with its tag: it changes with the server. */
const REVALIDATED = 'no-cache';
const FIVE_MINUTES = 'public, max-age=300';
/** npm's time of everything packed. A time of today would make package managers that wait for days wait. */
const PACKED_AT = '1985-10-26T08:15:00.000Z';

interface PackedLocation {
  /** Null: no packages are served. */
  packagesDirectory: string | null;
  baseUrl: string;
  appUrl: string;
  log: Logger;
}

/** Reads the packages once they are built, and looks for them until then. A folder that cannot be read is not built. */
export function createPackedReader({
  packagesDirectory,
  baseUrl,
  appUrl,
  log,
}: PackedLocation): () => PackedFiles | null {
  let known: PackedFiles | null = null;
  let isReported = false;
  return () => {
    if (packagesDirectory === null || known !== null) return known;
    try {
      known = readPackedFiles(packagesDirectory, { baseUrl, appUrl });
    } catch (error) {
      if (!isReported) log.warn(errorFields(error), 'packages cannot be read; run npm run build:packages');
      isReported = true;
    }
    return known;
  };
}

/** Reads what was built into a folder; null when nothing is there. */
export function readPackedFiles(
  directory: string,
  { baseUrl, appUrl }: { baseUrl: string; appUrl: string },
): PackedFiles | null {
  if (!existsSync(join(directory, INDEX))) return null;
  const index: unknown = JSON.parse(readFileSync(join(directory, INDEX), 'utf8'));
  if (!isJsonObject(index) || !isJsonObject(index.script) || !Array.isArray(index.packages)) {
    throw new Error(`${join(directory, INDEX)} was written by another build`);
  }
  const files = new Map<string, HandedOutFile>();
  files.set('/npm/-/ping', file('application/json', Buffer.from('{}'), REVALIDATED));
  let version = '';
  for (const packed of index.packages.filter(isJsonObject)) {
    const { manifest } = packed;
    if (!isJsonObject(manifest)) continue;
    version = String(manifest.version);
    const name = PACKAGE_NAMES.find((each) => `${SCOPE}/${each}` === manifest.name);
    if (name === undefined) continue;
    const path = tarballPath(name, version);
    const tarball = readFileSync(join(directory, String(packed.file)));
    const description = file(
      'application/json; charset=utf-8',
      Buffer.from(JSON.stringify(packument(packed, manifest, `${baseUrl}${path}`))),
      REVALIDATED,
    );
    // Package managers send the slash of a name encoded.
    for (const slash of ['/', '%2f', '%2F']) files.set(`/npm/${SCOPE}${slash}${name}`, description);
    files.set(path, file('application/octet-stream', tarball, IMMUTABLE));
  }
  const script = readFileSync(join(directory, String(index.script.file)));
  const scriptPath = `/script/culprit-${version}-${hash('sha256', script, 'hex').slice(0, 8)}.js`;
  files.set(scriptPath, scriptFile(script, IMMUTABLE));
  files.set('/script/culprit.js', scriptFile(script, FIVE_MINUTES));
  const description: HandedOut = {
    version,
    script_path: scriptPath,
    script_integrity: String(index.script.integrity),
  };
  const source = { baseUrl, appUrl, packages: description };
  files.set('/llms.txt', file('text/plain; charset=utf-8', Buffer.from(llmsText(source)), FIVE_MINUTES));
  for (const platform of PLATFORMS) {
    const page = Buffer.from(setupPage(platform, source));
    files.set(`/setup/${platform.id}.md`, file('text/markdown; charset=utf-8', page, FIVE_MINUTES));
  }
  return { description, files };
}

const INDEX = 'index.json';

/** Returns the metadata of a package for a registry. */
function packument({ integrity, shasum }: JsonObject, manifest: JsonObject, tarball: string) {
  const { name } = manifest;
  const version = String(manifest.version);
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: {
      [version]: { ...manifest, _id: `${name}@${version}`, dist: { tarball, integrity, shasum } },
    },
    time: { created: PACKED_AT, modified: PACKED_AT, [version]: PACKED_AT },
  };
}

function file(type: string, content: Buffer, cacheControl: string): HandedOutFile {
  const etag = entityTag(content);
  return { type, etag, cacheControl, identity: content, brotli: null, gzip: null, isForPages: false };
}

function scriptFile(content: Buffer, cacheControl: string): HandedOutFile {
  return {
    ...file('text/javascript; charset=utf-8', content, cacheControl),
    identity: null,
    brotli: brotliCompressSync(content),
    gzip: gzipSync(content, { level: 9 }),
    isForPages: true,
  };
}
