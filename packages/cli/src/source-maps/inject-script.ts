import { createHash } from 'node:crypto';
import { registeredIds } from '@culprit/source-maps/generated-file';
import type { JsonObject } from '../config/json-file.ts';
import { findMagicComments } from './magic-comments.ts';
import { idOfMap, withLine } from './map-file.ts';
import { registersId, registrationLine, setsRelease, withRelease } from './registration.ts';
import { readScriptStart } from './script-start.ts';

/** A script and its map with one debug id (docs/contract/source-maps.md 7.1). */
interface Injected {
  id: string;
  /** The script as Latin-1. */
  text: string;
  map: JsonObject;
}

/** The ids that a script and its map have, when they are not the same. */
interface IdsDiffer {
  ofScript: string;
  ofMap: string;
}

/**
 * Adds a debug id to a script and its map, and lets the script register it. The script's own text stays unchanged, one
 * line further down, so no column changes. A second run changes nothing.
 * @param text the script's bytes as Latin-1
 */
export function injectScript(text: string, map: JsonObject, release: string | null): Injected | IdsDiffer {
  const comment = findMagicComments(text).id;
  const ofMap = idOfMap(map);
  const ofScript = comment?.value ?? (ofMap === null ? (registeredIds(text)[0] ?? null) : null);
  if (ofScript !== null && ofMap !== null && ofScript !== ofMap) return { ofScript, ofMap };
  const id = ofScript ?? ofMap ?? idOfContent(text, map, release);
  let script = text;
  let lines = map;
  if (!registersId(text, id) || (release !== null && !setsRelease(text))) {
    const { offset, line, isAtLineStart, directives } = readScriptStart(text);
    const added = `${isAtLineStart ? '' : '\n'}${registrationLine(directives, id, release)}\n`;
    script = text.slice(0, offset) + added + text.slice(offset);
    lines = withLine(map, line);
  } else if (release !== null) {
    script = withRelease(text, release);
  }
  if (comment === null) script += `${/[\r\n]$/.test(script) ? '' : '\n'}//# debugId=${id}\n`;
  if (map.debugId !== id) lines = { ...lines, debugId: id };
  return { id, text: script, map: lines };
}

/** Returns true if script and map have one id already, so that a file which must not change can be used. */
export function hasId(text: string, map: JsonObject): boolean {
  const comment = findMagicComments(text).id;
  return comment !== null && idOfMap(map) === comment.value;
}

/** A UUID of version 8 from the content, so that the same build has the same id. */
function idOfContent(text: string, map: JsonObject, release: string | null): string {
  const hash = createHash('sha256').update(text, 'latin1').update('\0').update(JSON.stringify(map));
  const hex = hash.update(`\0${release ?? ''}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
