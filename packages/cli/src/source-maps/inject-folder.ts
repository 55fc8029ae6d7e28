import { resolve } from 'node:path';
import { checkPair } from '@culprit/source-maps/check-pair';
import { isBytecode, registeredIds } from '@culprit/source-maps/generated-file';
import { problemWords } from '@culprit/source-maps/problem-words';
import { beginningOf } from '@culprit/source-maps/read-map';
import { writeWhole } from '../config/write-file.ts';
import { type BuiltFile, findBuiltFiles } from './built-files.ts';
import { HashChanges, searchMaps } from './built-folder.ts';
import { dataUrlOf, findMap, type MapPlace } from './find-map.ts';
import { hasId, injectScript } from './inject-script.ts';
import { findMagicComments } from './magic-comments.ts';
import { idOfMap, type MapFile, mapsAnything, mapText, parseMap } from './map-file.ts';
import { readBuilt, rewriteFile, storedBytes, whyNoText } from './packed-files.ts';
import { findHashHolders, type HashHolders, holdersOf } from './pinned-hashes.ts';
import { changeCopy, IS_COPY, ScriptCopies } from './script-copies.ts';

const MAP_BYTES_MAX = 134_217_728;
/** Why a script without a map is passed over. */
export const NO_MAP = 'it has no source map';

export interface FolderOptions {
  roots: readonly string[];
  directory: string;
  release: string | null;
  /** Give every file a debug id. */
  injects: boolean;
  /** Take the comments out that name maps, because the maps will be deleted. */
  takesComments: boolean;
  isDryRun: boolean;
  signal: AbortSignal;
}

/** A script with a map that can be used. */
export interface Pair extends BuiltFile {
  id: string | null;
  /** The file of the map; null while it is a data URL in the script. */
  mapFile: string | null;
  /** True if the file stays unchanged though it should change. */
  isKept: boolean;
  isChanged: boolean;
}

interface Refusal extends BuiltFile {
  id: string | null;
  problem: 'map_not_found' | 'map_too_large' | 'not_json' | 'debug_ids_differ' | 'integrity';
  words: string;
}

export interface FolderResult {
  pairs: Pair[];
  refused: Refusal[];
  skipped: { path: string; why: string }[];
  /** Texts in which hashes of changed files were replaced. */
  texts: string[];
  warnings: string[];
}

/** Gives the scripts of built folders debug ids, and finds their maps (docs/contract/source-maps.md 7.1). */
export function injectFolders(options: FolderOptions): FolderResult {
  const { roots, directory, isDryRun, signal } = options;
  const built = findBuiltFiles(roots, directory);
  const folders = [directory, ...roots.map((root) => resolve(directory, root))];
  const search = searchMaps(built, folders);
  const holders = findHashHolders(built.scripts, built.others);
  const hashes = new HashChanges(holders);
  const result: FolderResult = { pairs: [], refused: [], skipped: [], texts: [], warnings: [] };
  const used = new Set<string>();
  const copies = new ScriptCopies(built.scripts);
  const scripts = [...built.scripts];
  try {
    for (const script of scripts) {
      if (signal.aborted) break;
      const bytes = readBuilt(script.file);
      const text = bytes.toString('latin1');
      const { place } = findMap(script.file, text, search);
      const hasMap = place.kind === 'file' || place.kind === 'inline';
      if (!hasMap && copies.waits(script)) {
        scripts.push(script);
        continue;
      }
      const original = hasMap ? null : copies.originalOf(bytes);
      if (original !== null) {
        const stale = isDryRun ? [] : changeCopy(script, bytes, original);
        result.warnings.push(...stale.map(staleWords));
        result.skipped.push({ path: script.path, why: IS_COPY });
        continue;
      }
      const map = readPlace(script, bytes, place, result);
      if (place.kind === 'file' && (map !== null || !place.isGuess)) used.add(place.path);
      if (map !== null) changePair({ script, bytes, text, place, map, options, holders, hashes, result });
      if (hasMap) copies.add(script, bytes);
    }
  } finally {
    // Also after a failure: the files before it have changed.
    const { texts, stale } = hashes.write(isDryRun);
    result.texts.push(...texts);
    for (const copy of stale) result.warnings.push(staleWords(copy));
  }
  for (const { path } of built.links) result.skipped.push({ path, why: 'it is a symbolic link' });
  for (const { file, path } of built.maps) {
    if (!used.has(file)) result.skipped.push({ path, why: unusedWords(path) });
  }
  return result;
}

/** Reads the map of a script; a script without one is skipped or refused. */
function readPlace(script: BuiltFile, code: Buffer, place: MapPlace, result: FolderResult): MapFile | null {
  const refuse = (problem: Refusal['problem'], words: string) => {
    const id = findMagicComments(code.toString('latin1')).id?.value ?? null;
    result.refused.push({ ...script, id, problem, words });
    return null;
  };
  const unreadable = isBytecode(code) ? null : whyNoText(code);
  if (unreadable !== null) {
    result.skipped.push({ path: script.path, why: unreadable });
    return null;
  }
  if (place.kind === 'none') {
    result.skipped.push({ path: script.path, why: NO_MAP });
    return null;
  }
  if (place.kind === 'missing') {
    return refuse('map_not_found', `${script.path} names the map ${place.name}, which is not there.`);
  }
  if (place.kind === 'file' && place.isGuess && !fits(script, code, place.path)) {
    result.skipped.push({ path: script.path, why: NO_MAP });
    return null;
  }
  const tooLarge = (size: number) =>
    refuse('map_too_large', `The map of ${script.path} has ${size} bytes; the limit is ${MAP_BYTES_MAX}.`);
  if (place.kind === 'file' && storedBytes(place.path) > MAP_BYTES_MAX)
    return tooLarge(storedBytes(place.path));
  const bytes = place.kind === 'file' ? readBuilt(place.path) : Buffer.from(place.text);
  if (bytes.length > MAP_BYTES_MAX) return tooLarge(bytes.length);
  const map = parseMap(bytes.toString('utf8'));
  if (map === null) {
    return refuse('not_json', problemWords('not_json', script.path, beginningOf(bytes)));
  }
  if (!mapsAnything(map.map)) {
    result.skipped.push({ path: script.path, why: 'its map is empty' });
    return null;
  }
  return map;
}

/** Returns true if a map that only its name leads to is that of the script. */
function fits({ path }: BuiltFile, generated: Buffer, mapFile: string): boolean {
  if (storedBytes(mapFile) > MAP_BYTES_MAX) return false;
  return checkPair({ path, debugId: null, generated, map: readBuilt(mapFile) }).kind === 'good';
}

interface Change {
  script: BuiltFile;
  bytes: Buffer;
  text: string;
  place: MapPlace;
  map: MapFile;
  options: FolderOptions;
  holders: HashHolders;
  hashes: HashChanges;
  result: FolderResult;
}

function changePair({ script, bytes, text, place, map, options, holders, hashes, result }: Change): void {
  const { pairs, refused, warnings } = result;
  const mapFile = place.kind === 'file' ? place.path : null;
  if (isBytecode(bytes)) {
    // Nothing can be inserted into the script, and it names no id.
    pairs.push({ ...script, id: idOfMap(map.map), mapFile, isKept: true, isChanged: false });
    return;
  }
  const found = {
    id: findMagicComments(text).id?.value ?? idOfMap(map.map) ?? registeredIds(text)[0] ?? null,
  };
  const injected = options.injects
    ? injectScript(text, map.map, options.release)
    : { id: found.id, text, map: map.map };
  if ('ofMap' in injected) {
    const words = `${script.path} says ${injected.ofScript}, its map says ${injected.ofMap}: they come from two builds.`;
    refused.push({ ...script, id: injected.ofScript, problem: 'debug_ids_differ', words });
    return;
  }
  const { id } = injected;
  const hasNewMap = injected.map !== map.map;
  const newMap = hasNewMap ? mapText({ ...map, map: injected.map }) : null;
  const mapInScript = mapFile === null && newMap !== null && !options.takesComments ? newMap : null;
  const changed = withMapComment(injected.text, mapInScript, options.takesComments);
  const after = Buffer.from(changed, 'latin1');
  const isChanged = changed !== text;
  if (isChanged) {
    const held = holdersOf(bytes, holders);
    if (held.byScript !== null) {
      keepHeld(script, held.byScript, hasId(text, map.map), options, result, { id, mapFile });
      return;
    }
    if (held.byRevision !== null) warnings.push(revisionWords(script.path, held.byRevision));
    hashes.add(held.inTexts, bytes, after);
  }
  let keptMap = mapFile;
  if (!options.isDryRun) {
    if (mapFile !== null && newMap !== null) {
      for (const copy of rewriteFile(mapFile, readBuilt(mapFile), Buffer.from(newMap))) {
        warnings.push(staleWords(copy));
      }
    } else if (mapFile === null && options.takesComments) {
      // The map must outlive the comment until the server has it.
      keptMap = `${script.file}.map`;
      writeWhole(keptMap, newMap ?? mapText(map), 0o644);
    }
    if (isChanged) {
      for (const copy of rewriteFile(script.file, bytes, after)) warnings.push(staleWords(copy));
    }
  }
  pairs.push({ ...script, id, mapFile: keptMap, isKept: false, isChanged: isChanged || hasNewMap });
}

/** Leaves a file whose hash is in a script unchanged: with an id of the bundler it can be used, else it is refused. */
function keepHeld(
  script: BuiltFile,
  holder: string,
  isUsable: boolean,
  { injects }: FolderOptions,
  { pairs, refused, warnings }: FolderResult,
  { id, mapFile }: { id: string | null; mapFile: string | null },
): void {
  if (!isUsable && injects) {
    const words =
      `${holder} has the hash of ${script.path}, so a changed file would not load. ` +
      "Let the bundler write debug ids: sourcemapDebugIds of Rollup and Vite, devtool 'hidden-source-map-debugids' of webpack.";
    refused.push({ ...script, id: null, problem: 'integrity', words });
    return;
  }
  warnings.push(
    `${holder} has the hash of ${script.path}, so the file was not changed. Browsers do not register its debug id: upload with --release.`,
  );
  pairs.push({ ...script, id, mapFile, isKept: true, isChanged: false });
}

/** The script with another map in its data URL, or without the comment. */
function withMapComment(text: string, mapInScript: string | null, takesComment: boolean): string {
  const comment = mapInScript === null && !takesComment ? null : findMagicComments(text).map;
  if (comment === null) return text;
  const { start, end } = comment;
  if (takesComment) {
    const lineEnd = /^(?:\r\n|\n|\r)/.exec(text.slice(end, end + 2))?.[0].length ?? 0;
    const isOwnLine = start === 0 || /[\r\n]/.test(text.charAt(start - 1));
    return text.slice(0, start) + text.slice(isOwnLine ? end + lineEnd : end);
  }
  return `${text.slice(0, start)}//# sourceMappingURL=${dataUrlOf(mapInScript ?? '')}${text.slice(end)}`;
}

function unusedWords(path: string): string {
  if (/\.css\.map$/i.test(path)) return 'it is the map of a style sheet';
  if (/\.d\.[mc]?ts\.map$/i.test(path)) return 'it is the map of type declarations';
  return 'no script names it';
}

function staleWords(copy: string): string {
  return `${copy} is a compressed copy of another version of its file. Compress again, or servers send the old file.`;
}

function revisionWords(path: string, holder: string): string {
  return `${holder} has a revision of ${path} from before. Run this command before the service worker is built, so that pages with the old file load the new one.`;
}
