import { type MapFacts, type MapReason, waitsForMap } from '@culprit/contract/releases/map-words';
import type { SourceLines } from '../../normalize/source-lines.ts';
import { modulePath } from '../file-path.ts';
import type { FrameMap } from './frame-map.ts';
import type { ParsedException, ParsedFrame } from './parsed-stack.ts';
import { isVendorPath } from './vendor-path.ts';

/** A place as a stack writes it. Line and column count from 1. */
interface PlaceAsked {
  address: string;
  line: number;
  column: number;
}

/** The source map for which an incident waits. */
export interface MapWait {
  foundBy: 'id' | 'file';
  /** The debug id, or the version of the release. */
  key: string;
  file: string;
  reason: MapReason;
}

/** The source maps' answer for a place. */
export type PlaceAnswer =
  | {
      kind: 'mapped';
      sourceMapId: string;
      file: string;
      line: number;
      column: number;
      own: boolean;
      /** The function of the original text; null if it has none. */
      function: string | null;
      /** The name at the place itself: where a frame calls another one, that of the one it calls. */
      name: string | null;
      source: SourceLines | null;
    }
  | {
      kind: 'unmapped';
      reason: MapReason;
      facts: MapFacts;
      sourceMapId: string | null;
      wait: Omit<MapWait, 'reason'> | null;
    };

/** Looks places of one event up. */
export interface MapPlaces {
  (place: PlaceAsked): PlaceAnswer;
  /** Returns true if the event names a debug id for a file. */
  hasId?(address: string): boolean;
}

/** The results of source maps for the frames of an event. */
export interface Mapping {
  /** Frames that were looked up, and how many of them were mapped. */
  asked: number;
  mapped: number;
  /** The number of frames that were not mapped, by the reason. */
  unmapped: Partial<Record<MapReason, number>>;
  sourceMapIds: string[];
  waits: MapWait[];
}

/** Frames of an exception, and of an event, that are looked up. */
const FRAMES_OF_EXCEPTION_MAX = 50;
const FRAMES_MAX = 100;
/** Files of an event that are looked for. */
const FILES_MAX = 20;

const OF_ENGINE = /^(?:node:|internal\/|native(?:\s|$)|<anonymous>|wasm:)|(?:^|\/)InternalBytecode\.js$/;
const OF_EXTENSION = /^(?:[a-z-]*extension|webkit-masked-url|chrome|resource|moz-[a-z]+|user-?script):\/\//i;
const ORIGINAL_FILE = /\.(?:tsx?|mts|cts|jsx|vue|svelte|astro)$/i;
const WEB_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Why a file has no map where none was uploaded for it. */
const UNKNOWN: ReadonlySet<MapReason> = new Set([
  'no_debug_id_no_release',
  'release_without_maps',
  'no_map_for_file',
]);

const NONE: FrameMap = { state: 'none', reason: null, facts: null, sourceMapId: null, generated: null };

/** A frame with its answer, before those of one file are compared. */
interface Asked {
  frame: ParsedFrame;
  map: FrameMap;
  answer: Extract<PlaceAnswer, { kind: 'mapped' }> | null;
}

/** The chain with the frames that source maps know in place of generated ones. */
export function mapChain(
  chain: readonly ParsedException[],
  lookUp: MapPlaces,
): { chain: ParsedException[]; mapping: Mapping } {
  const mapping: Mapping = { asked: 0, mapped: 0, unmapped: {}, sourceMapIds: [], waits: [] };
  const files = new Set<string>();
  const asked = chain.map(({ frames }) =>
    frames.map((frame, index) => ask(frame, index < FRAMES_OF_EXCEPTION_MAX, { lookUp, mapping, files })),
  );
  refuseOtherVersions(asked.flat());
  const made = new Map<ParsedException, ParsedException>();
  chain.forEach((exception, index) => {
    made.set(exception, { ...exception, frames: named(asked[index] ?? []) });
  });
  for (const exception of made.values()) {
    if (exception.group === undefined) continue;
    exception.group = exception.group.map((member) => made.get(member) ?? member);
  }
  for (const { map } of asked.flat()) {
    if (map.state === 'mapped') mapping.mapped += 1;
    else if (map.state === 'unmapped' && map.reason !== null) {
      mapping.unmapped[map.reason] = (mapping.unmapped[map.reason] ?? 0) + 1;
    }
    if (map.sourceMapId !== null && !mapping.sourceMapIds.includes(map.sourceMapId)) {
      mapping.sourceMapIds.push(map.sourceMapId);
    }
  }
  return { chain: [...made.values()], mapping };
}

/**
 * Returns true if a file that no browser fetched is one that a person wrote: a runtime that maps stacks itself names
 * it.
 */
export function isOriginalFile(file: string): boolean {
  return ORIGINAL_FILE.test(file) || /^webpack:/i.test(file);
}

function ask(
  frame: ParsedFrame,
  isWithin: boolean,
  { lookUp, mapping, files }: { lookUp: MapPlaces; mapping: Mapping; files: Set<string> },
): Asked {
  const { address } = frame;
  const file = address?.split(/[?#]/, 1)[0] ?? '';
  // Scripts that tools put into a page have no file: `(:290:30)`.
  if (address === undefined || file === '' || OF_ENGINE.test(address)) {
    return { frame, map: NONE, answer: null };
  }
  // One of a visitor says nothing of the application; those of the application have debug ids.
  if (OF_EXTENSION.test(address) && lookUp.hasId?.(address) !== true)
    return { frame, map: NONE, answer: null };
  const unmapped = (reason: MapReason, facts: MapFacts, sourceMapId: string | null = null): Asked => ({
    frame,
    map: { state: 'unmapped', reason, facts, sourceMapId, generated: null },
    answer: null,
  });
  // `app:` is written by clients in place of the folder or host that an application lies in.
  const isServed = WEB_ADDRESS.test(file) && !/^(?:file|app|webpack(?:-internal)?):/i.test(file);
  if (/^webpack-internal:/i.test(file) || (isServed && ORIGINAL_FILE.test(file))) {
    return unmapped('development_build', { file });
  }
  if (isOriginalFile(file)) {
    return { frame, map: { ...NONE, reason: 'already_original', facts: { file } }, answer: null };
  }
  const { line } = frame;
  const column = frame.isOffset === true && frame.column !== null ? frame.column + 1 : frame.column;
  files.add(file);
  const isOver = !isWithin || mapping.asked >= FRAMES_MAX || files.size > FILES_MAX;
  if (isOver) return unmapped('over_limit', { file });
  mapping.asked += 1;
  if (line === null || column === null || line < 1 || column < 1) return unmapped('no_position', { file });
  const answer = lookUp({ address, line, column });
  if (answer.kind === 'unmapped') {
    // A server that is not bundled loads libraries as published, so no build of the project has their maps.
    if (!isServed && isVendorPath(file) && UNKNOWN.has(answer.reason)) {
      mapping.asked -= 1;
      return { frame, map: NONE, answer: null };
    }
    if (answer.wait !== null && waitsForMap(answer.reason))
      addWait(mapping, { ...answer.wait, reason: answer.reason });
    return unmapped(answer.reason, answer.facts, answer.sourceMapId);
  }
  const { function: name, isServed: wasServed } = frame;
  return {
    frame,
    map: {
      state: 'mapped',
      reason: null,
      facts: null,
      sourceMapId: answer.sourceMapId,
      generated: {
        function: name,
        file: frame.file,
        line,
        column: frame.column,
        ...(wasServed === true ? { isServed: true as const } : {}),
      },
    },
    answer,
  };
}

function addWait({ waits }: Mapping, wait: MapWait): void {
  if (
    !waits.some((each) => each.foundBy === wait.foundBy && each.key === wait.key && each.file === wait.file)
  ) {
    waits.push(wait);
  }
}

/** If one frame of a file shows that another version of it ran, the others hit segments by chance alone. */
function refuseOtherVersions(asked: Asked[]): void {
  const others = new Map<string, FrameMap>();
  for (const { frame, map } of asked) {
    if (map.reason !== 'file_differs' && map.reason !== 'position_outside_file') continue;
    const address = addressOf(frame);
    if (!others.has(address)) others.set(address, map);
  }
  if (others.size === 0) return;
  for (const each of asked) {
    const other = others.get(addressOf(each.frame));
    if (other === undefined || (each.map.state !== 'mapped' && each.map.reason !== 'no_mapping')) continue;
    each.map = { ...other, facts: { ...other.facts, file: other.facts?.file ?? '' } };
    each.answer = null;
  }
}

function addressOf({ address = '' }: ParsedFrame): string {
  return address.split(/[?#]/, 1)[0] ?? '';
}

/** The frames with the places and names of their originals. */
function named(asked: readonly Asked[]): ParsedFrame[] {
  return asked.map(({ frame, map, answer }, index) => {
    if (answer === null) return map === NONE ? frame : { ...frame, map };
    // The name of the call with which the next older frame came here.
    const called = asked[index + 1]?.answer?.name ?? null;
    const { isServed: _wasServed, sentInApp: _sentInApp, source: _source, ...rest } = frame;
    return {
      ...rest,
      module: modulePath(answer.file),
      function: answer.function ?? called ?? frame.function,
      file: answer.file,
      line: answer.line,
      column: answer.column,
      inApp: answer.own && !isVendorPath(answer.file),
      map,
      ...(answer.source === null ? {} : { source: answer.source }),
    };
  });
}
