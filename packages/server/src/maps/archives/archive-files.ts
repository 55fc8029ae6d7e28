import { debugIdOf } from '@culprit/contract/releases/debug-id';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { pathFault } from '../uploads/check-upload.ts';
import { ArchiveFault, type ByteSource, listEntries, readEntry, shown, type ZipEntry } from './zip.ts';

/** A generated file of an archive with its map. */
export interface ArchivedFile {
  path: string;
  debugId: string | null;
  generated: ZipEntry;
  map: ZipEntry;
}

/** A generated file of an archive that cannot be used, and why. */
export interface SkippedFile {
  path: string;
  words: string;
}

interface Archive {
  release: string | null;
  files: ArchivedFile[];
  skipped: SkippedFile[];
}

const MANIFEST = 'manifest.json';
const MANIFEST_BYTES_MAX = 4 * 1024 * 1024;
const RELEASE_CHARS_MAX = 200;

interface Listed {
  entry: ZipEntry;
  url: string;
  debugId: string | null;
  mapUrl: string | null;
}

/**
 * Reads an archive of a build tool (docs/contract/source-maps.md 9): the files that its manifest names, each with its
 * map. Nothing is unpacked but the manifest.
 * @throws ArchiveFault
 */
export async function readArchive(source: ByteSource): Promise<Archive> {
  const entries = await listEntries(source);
  const manifest = await readManifest(source, entries);
  const scripts: Listed[] = [];
  const maps: Listed[] = [];
  for (const [name, described] of Object.entries(isJsonObject(manifest.files) ? manifest.files : {})) {
    const entry = entries.get(name);
    if (entry === undefined)
      throw new ArchiveFault(`The manifest lists ${shown(name)}, which is not in the archive.`);
    if (!isJsonObject(described) || typeof described.url !== 'string') continue;
    const listed = listedOf(entry, described, described.url);
    if (described.type === 'minified_source') scripts.push(listed);
    if (described.type === 'source_map') maps.push(listed);
  }
  const release =
    typeof manifest.release === 'string' ? manifest.release.trim().slice(0, RELEASE_CHARS_MAX) : '';
  return { release: release === '' ? null : release, ...paired(scripts, maps) };
}

async function readManifest(source: ByteSource, entries: ReadonlyMap<string, ZipEntry>): Promise<JsonObject> {
  const entry = entries.get(MANIFEST);
  if (entry === undefined) throw new ArchiveFault('The archive has no manifest.json.');
  if (entry.sizeBytes > MANIFEST_BYTES_MAX) {
    throw new ArchiveFault(`The manifest has ${entry.sizeBytes} bytes; the limit is ${MANIFEST_BYTES_MAX}.`);
  }
  const manifest = parsed((await readEntry(source, entry)).toString('utf8'));
  if (!isJsonObject(manifest)) throw new ArchiveFault('The manifest of the archive is not a JSON object.');
  return manifest;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function listedOf(entry: ZipEntry, described: JsonObject, url: string): Listed {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(isJsonObject(described.headers) ? described.headers : {})) {
    if (typeof value === 'string') headers.set(name.toLowerCase(), value);
  }
  return {
    ...{ entry, url },
    debugId: debugIdOf(headers.get('debug-id') ?? ''),
    mapUrl: headers.get('sourcemap') ?? headers.get('x-sourcemap') ?? null,
  };
}

/** Each script with its map: that of its debug id, else the one that it names, else the one beside it. */
function paired(scripts: readonly Listed[], maps: readonly Listed[]): Pick<Archive, 'files' | 'skipped'> {
  const byId = new Map(maps.flatMap((map) => (map.debugId === null ? [] : [[map.debugId, map]])));
  const byUrl = new Map(maps.map((map) => [plainUrl(map.url), map]));
  const files: ArchivedFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const { entry: generated, url, debugId, mapUrl } of scripts) {
    const path = plainUrl(url);
    const fault = pathFault(path);
    const map =
      (debugId === null ? undefined : byId.get(debugId)) ??
      (mapUrl === null ? undefined : byUrl.get(beside(path, mapUrl))) ??
      byUrl.get(`${path}.map`);
    if (fault !== null) {
      skipped.push({ path: shown(path) || '-', words: `The address ${shown(url)} of a file ${fault}.` });
    } else if (map === undefined) {
      skipped.push({ path, words: `The archive has no map of ${path}. Was the build run with source maps?` });
    } else files.push({ path, debugId: debugId ?? map.debugId, generated, map: map.entry });
  }
  return { files, skipped };
}

/** An address without `~/`, scheme, host, query and fragment. */
function plainUrl(url: string): string {
  return url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i, '')
    .replace(/^~?\/+/, '')
    .replace(/[?#].*$/s, '');
}

/** A reference of a file, as a path of the archive. */
function beside(path: string, reference: string): string {
  if (reference.startsWith('~/')) return plainUrl(reference);
  if (!URL.canParse(reference, `http://archive/${path}`)) return reference;
  const { pathname } = new URL(reference, `http://archive/${path}`);
  try {
    return decodeURIComponent(pathname).slice(1);
  } catch {
    return pathname.slice(1);
  }
}
