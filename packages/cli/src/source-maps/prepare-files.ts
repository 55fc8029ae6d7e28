import { createHash } from 'node:crypto';
import {
  GENERATED_BYTES_MAX,
  MAP_BYTES_MAX,
  MAP_PATH_CHARS_MAX,
} from '@culprit/contract/releases/map-limits';
import type { MapUploadFile } from '@culprit/contract/releases/map-uploads';
import { checkPair } from '@culprit/source-maps/check-pair';
import { findMap, INLINE_ONLY } from './find-map.ts';
import type { FolderResult, Pair } from './inject-folder.ts';
import { mapText, parseMap } from './map-file.ts';
import { readBuilt } from './packed-files.ts';
import { type SourceRoot, withSourceTexts } from './source-texts.ts';

/** Hash and size of what is sent. */
interface SentFile {
  sha256: string;
  size_bytes: number;
}

/** A pair that can be uploaded. Its bytes are read again when they are sent, so that a build of any size fits. */
export interface PreparedFile {
  path: string;
  debug_id: string | null;
  generated: SentFile;
  map: SentFile;
  pair: Pair;
}

/** A file that is not uploaded, in the shape in which the server describes those that it refuses. */
export type RefusedFile = Omit<MapUploadFile, 'problem'> & {
  verdict: 'refused';
  problem: string;
  words: string;
};

interface Prepared {
  files: PreparedFile[];
  refused: RefusedFile[];
  skipped: FolderResult['skipped'];
}

/** Reads and checks the pairs of folders as the server will (docs/contract/source-maps.md 3.4). */
export function prepareFiles(
  { pairs, refused, skipped }: FolderResult,
  { release, sourceRoot }: { release: string | null; sourceRoot: SourceRoot },
): Prepared {
  const prepared: Prepared = {
    files: [],
    refused: refused.map(({ path, id, problem, words }) => refusedFile(path, id, problem, words)),
    skipped: [...skipped],
  };
  const byId = new Map<string, PreparedFile>();
  for (const pair of pairs) {
    const { path, id } = pair;
    const refuse = (problem: string, words: string) =>
      prepared.refused.push(refusedFile(path, id, problem, words));
    if (!isUploadPath(path)) {
      refuse(
        'invalid_path',
        `${path} cannot be the name of an upload: it has a backslash, a colon, a control character or over ${MAP_PATH_CHARS_MAX} characters.`,
      );
      continue;
    }
    if (id === null && release === null) {
      refuse(
        'no_debug_id',
        `${path} has no debug id. Leave --no-inject out, or name the release with --release.`,
      );
      continue;
    }
    const generated = readBuilt(pair.file);
    const map = mapBytesOf(pair, sourceRoot);
    const tooLarge = sizeWords(path, generated.length, map.length);
    if (tooLarge !== null) {
      refuse('payload_too_large', tooLarge);
      continue;
    }
    const checked = checkPair({ path, debugId: id, generated, map });
    if (checked.kind === 'skipped') prepared.skipped.push({ path, why: 'its map is empty' });
    else if (checked.kind === 'refused') refuse(checked.problem, checked.words);
    if (checked.kind !== 'good') continue;
    const file = { path, debug_id: id, generated: sentFile(generated), map: sentFile(map), pair };
    const same = id === null ? undefined : byId.get(id);
    if (
      same !== undefined &&
      (same.generated.sha256 !== file.generated.sha256 || same.map.sha256 !== file.map.sha256)
    ) {
      refuse('debug_id_twice', `${path} has the debug id of ${same.path}, which is another file.`);
      continue;
    }
    if (id !== null) byId.set(id, file);
    prepared.files.push(file);
  }
  return prepared;
}

/** Returns the bytes of the map that are sent: those of its file, or with other texts of sources. */
export function mapBytesOf({ file, mapFile }: Pair, sourceRoot: SourceRoot): Buffer {
  const bytes = mapFile === null ? inlineMap(file) : readBuilt(mapFile);
  const parsed = parseMap(bytes.toString('utf8'));
  if (parsed === null) return bytes;
  const map = withSourceTexts(parsed.map, mapFile ?? file, sourceRoot);
  return map === parsed.map ? bytes : Buffer.from(mapText({ ...parsed, map }));
}

function inlineMap(file: string): Buffer {
  const { place } = findMap(file, readBuilt(file).toString('latin1'), INLINE_ONLY);
  return Buffer.from(place.kind === 'inline' ? place.text : '');
}

function sentFile(bytes: Buffer): SentFile {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), size_bytes: bytes.length };
}

function sizeWords(path: string, generated: number, map: number): string | null {
  if (generated > GENERATED_BYTES_MAX)
    return `${path} has ${generated} bytes; the limit is ${GENERATED_BYTES_MAX}.`;
  return map > MAP_BYTES_MAX ? `The map of ${path} has ${map} bytes; the limit is ${MAP_BYTES_MAX}.` : null;
}

function isUploadPath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused.
  return path.length <= MAP_PATH_CHARS_MAX && !/[\\\u0000-\u001f\u007f]|^[^/]*:/.test(path);
}

function refusedFile(path: string, debug_id: string | null, problem: string, words: string): RefusedFile {
  return { path, debug_id, verdict: 'refused', problem, words, source_map_id: null, probe: null, fit: null };
}
