import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { originalFile } from '@culprit/source-maps/original-file';
import { isObject, type JsonObject } from '../config/json-file.ts';
import { decoded, isWithin } from './find-map.ts';

const TEXT_BYTES_MAX = 16_777_216;

/** The place from which texts that a map lacks are read; null omits the texts that it has. */
export type SourceRoot = string | null;

/**
 * The map with the texts of its sources: those that it lacks are read below the root alone, also where a symbolic link
 * leads, so that a map cannot draw a file out of the machine.
 * @param mapFile the file in whose folder names of sources begin
 */
export function withSourceTexts(map: JsonObject, mapFile: string, root: SourceRoot): JsonObject {
  if (Array.isArray(map.sections)) {
    const sections = map.sections.map((section) =>
      isObject(section) && isObject(section.map)
        ? { ...section, map: withSourceTexts(section.map, mapFile, root) }
        : section,
    );
    const isSame = sections.every((section, at) => isSameSection(section, Object(map.sections)[at]));
    return isSame ? map : { ...map, sections };
  }
  if (root === null) {
    const { sourcesContent, ...rest } = map;
    return sourcesContent === undefined ? map : rest;
  }
  const { sources, sourceRoot } = map;
  if (!Array.isArray(sources)) return map;
  const given = Array.isArray(map.sourcesContent) ? map.sourcesContent : [];
  let isChanged = false;
  const texts = sources.map((source, at) => {
    if (typeof given[at] === 'string' || typeof source !== 'string') return given[at] ?? null;
    const text = readSource(source, typeof sourceRoot === 'string' ? sourceRoot : '', mapFile, root);
    isChanged ||= text !== null;
    return text;
  });
  return isChanged ? { ...map, sourcesContent: texts } : map;
}

/** Returns true if at least one source has its text. */
export function hasTexts(map: JsonObject): boolean {
  if (Array.isArray(map.sections)) {
    return map.sections.some(
      (section) => isObject(section) && isObject(section.map) && hasTexts(section.map),
    );
  }
  return Array.isArray(map.sourcesContent) && map.sourcesContent.some((text) => typeof text === 'string');
}

function isSameSection(changed: unknown, before: unknown): boolean {
  return isObject(changed) && isObject(before) ? changed.map === before.map : changed === before;
}

function readSource(source: string, sourceRoot: string, mapFile: string, root: string): string | null {
  for (const path of placesOf(source.replaceAll('\0', ''), sourceRoot, mapFile, root)) {
    try {
      const real = realpathSync(path);
      if (!isWithin(real, [realpathSync(root)])) continue;
      const stats = statSync(real);
      if (!stats.isFile() || stats.size > TEXT_BYTES_MAX) continue;
      const bytes = readFileSync(real);
      return bytes.includes(0) ? null : bytes.toString('utf8');
    } catch {
      // Not there: the next place.
    }
  }
  return null;
}

/** Files that a source may be; of a name with a scheme, such as `webpack://shop/./src/a.ts`, the path below the root. */
function placesOf(source: string, sourceRoot: string, mapFile: string, root: string): string[] {
  const hasScheme = /^[a-z][a-z0-9+.-]+:/i.test(source);
  const joined =
    hasScheme || source.startsWith('/') || sourceRoot === ''
      ? source
      : `${sourceRoot.replace(/\/$/, '')}/${source}`;
  const path = joined.split(/[?#]/, 1)[0] ?? '';
  // Names are addresses, which not every tool encodes.
  return [...new Set([path, decoded(path)])].flatMap((each) => placesOfPath(each, mapFile, root));
}

function placesOfPath(path: string, mapFile: string, root: string): string[] {
  if (/^file:\/\//i.test(path)) {
    try {
      const file = fileURLToPath(path);
      return [file, join(root, file)];
    } catch {
      return [];
    }
  }
  const scheme = /^[a-z][a-z0-9+.-]+:\/\/[^/]*\//i.exec(path)?.[0];
  if (scheme !== undefined) {
    const behind = path.slice(scheme.length).replace(/^\[project\]\//, '');
    return [join(root, behind), join(root, originalFile(path))];
  }
  return isAbsolute(path) ? [path, join(root, path)] : [resolve(dirname(mapFile), path), join(root, path)];
}
