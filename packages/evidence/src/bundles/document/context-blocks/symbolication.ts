import type { SymbolicationBlock } from '@culprit/contract/incidents/bundle-stack';
import { type MapReason, mapWords, type SymbolicationState } from '@culprit/contract/releases/map-words';
import type { FrameMap } from '../../../events/fingerprint/stack/frame-map.ts';
import type { ParsedFrame } from '../../../events/fingerprint/stack/parsed-stack.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { browserAddress, browserText } from '../../evidence/evidence-text.ts';
import { textAt } from '../../evidence/read-open-map.ts';

const PROBLEMS_MAX = 10;
/** Frames that are not looked up count for nothing. */
const NOT_LOOKED_UP: ReadonlySet<MapReason | null> = new Set(['development_build', 'over_limit']);

/** A frame that source maps were asked about. */
interface Asked {
  frame: ParsedFrame;
  map: FrameMap;
}

/**
 * Returns the source maps' results for the stack of an event; null if none was requested, or if it has no frame of
 * JavaScript.
 */
export function symbolicationBlock(sample: SampleEvidence | null): SymbolicationBlock | null {
  const frames = (sample?.chain ?? []).flatMap((exception) => exception.frames);
  const asked = frames.flatMap((frame) => (frame.map === undefined ? [] : [{ frame, map: frame.map }]));
  if (sample === null || asked.length === 0) return null;
  const lookedUp = counted(asked);
  const mapped = lookedUp.filter(({ map }) => map.state === 'mapped').length;
  const unmapped = lookedUp.length - mapped;
  return {
    version: 1,
    state: stateOf(mapped, unmapped),
    mapped,
    unmapped,
    release: releaseOf(sample),
    problems: problemsOf(asked.filter(({ map }) => map.state === 'unmapped' && map.reason !== 'no_mapping')),
  };
}

/** Returns the requested frames, without code that a build tool created in a file of which other frames were mapped. */
function counted(asked: readonly Asked[]): Asked[] {
  const known = new Set(asked.flatMap(({ frame, map }) => (map.state === 'mapped' ? [frame.address] : [])));
  return asked.filter(
    ({ frame, map }) =>
      map.state !== 'none' &&
      !NOT_LOOKED_UP.has(map.reason) &&
      !(map.reason === 'no_mapping' && known.has(frame.address)),
  );
}

function stateOf(mapped: number, unmapped: number): SymbolicationState {
  if (mapped === 0) return unmapped === 0 ? 'not_needed' : 'unmapped';
  return unmapped === 0 ? 'mapped' : 'partly';
}

function releaseOf({ event, deployVersion }: SampleEvidence): SymbolicationBlock['release'] {
  const version = textAt(event.context, 'release')?.trim() ?? '';
  if (version !== '') return { version: browserText(version), source: 'event' };
  return deployVersion === null ? null : { version: browserText(deployVersion), source: 'deployment' };
}

function problemsOf(asked: readonly Asked[]): SymbolicationBlock['problems'] {
  const problems = new Map<string, SymbolicationBlock['problems'][number]>();
  for (const { frame, map } of asked) {
    const { reason } = map;
    if (reason === null) continue;
    const facts = map.facts ?? { file: frame.file ?? '' };
    const file = browserAddress(frame.file ?? '');
    const key = `${reason} ${file}`;
    const known = problems.get(key);
    if (known !== undefined) {
      known.frames += 1;
      continue;
    }
    const { words, hint } = mapWords(reason, { ...facts, file });
    problems.set(key, {
      ...{ reason, words: browserText(words), hint, file, frames: 1 },
      debug_id: facts.debugId ?? null,
      release: facts.release === undefined || facts.release === null ? null : browserText(facts.release),
    });
  }
  const ordered = [...problems.values()].sort((a, b) => b.frames - a.frames);
  return ordered.slice(0, PROBLEMS_MAX);
}
