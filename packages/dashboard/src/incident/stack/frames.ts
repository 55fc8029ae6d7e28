import { type NumberedLine, numberedSource } from '@culprit/contract/events/source-text';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { StackBlock, StackFrame, SymbolicationBlock } from '@culprit/contract/incidents/bundle-stack';
import { eventFrames } from './event-frames.ts';

/** A line of a stack, as far as it can be read. */
export interface Frame {
  function: string;
  /** The known part of `file:line:column`; empty if the line has none. */
  place: string;
  /** The file without the folders that all machines have differently. */
  shortPlace: string;
  isOwn: boolean;
  raw: string;
  /** The source around the call; empty when none was sent. */
  source: readonly NumberedLine[];
  /** The number of neighbors with the same function and place that are one row. */
  repeats: number;
  /** Its place in the file that a build tool made, where a source map led to this one. */
  generated?: Frame;
  /** Why no source map led to an original, and what to do. */
  why?: MapProblem;
}

export type MapProblem = SymbolicationBlock['problems'][number];

/** Returns the problems of frames without a map, with one line for all files that have the same problem. */
export function mapLines(problems: readonly MapProblem[]): Pick<MapProblem, 'words' | 'hint' | 'frames'>[] {
  const lines = new Map<string, Pick<MapProblem, 'words' | 'hint' | 'frames'>>();
  for (const { words, hint, frames } of problems) {
    const key = `${words} ${hint}`;
    lines.set(key, { words, hint, frames: frames + (lines.get(key)?.frames ?? 0) });
  }
  return [...lines.values()];
}

/** An error that caused another one, with its frames. */
interface Cause {
  type: string;
  message: string;
  frames: Frame[];
}

/** The stack that a page shows, of a bundle or of one event. */
export interface ShownStack {
  frames: Frame[];
  causes: Cause[];
  /** The raw text; null if the frames came as objects. */
  raw: string | null;
  /** The frames as the engine ran them; absent where no source map was used. */
  generated?: Frame[];
  /** The reasons why frames are not mapped, and the remedies; empty if there is nothing to report. */
  maps: readonly MapProblem[];
}

/** In-app frames one by one, and runs of library frames folded. */
type FrameGroup = { kind: 'own'; frame: Frame } | { kind: 'library'; frames: Frame[] };

/**
 * The frames of the stack. A line is the application's own where it holds a frame that the server named as such, because
 * it read the stack with everything it knows of the platform.
 */
export function framesOf({ context, summary }: DebugBundle): Frame[] {
  const { error, stack } = context;
  const problems = context.symbolication?.problems ?? [];
  if (stack !== undefined && stack.frames.length > 0) return readFrames(stack.frames, problems);
  if (error === null || error.stack === 'unavailable') return [];
  return framesOfText(error.stack, [...error.top_frames, ownPlace(summary.first_application_frame)]);
}

/** Null where nothing of a stack is there. */
export function stackOfBundle(bundle: DebugBundle): ShownStack | null {
  const { error, error_chain: chain, stack } = bundle.context;
  const frames = framesOf(bundle);
  const maps = bundle.context.symbolication?.problems ?? [];
  const raw = error === null || error.stack === 'unavailable' ? null : error.stack;
  // The first of the chain is the error itself.
  const named = (chain?.items ?? []).slice(1);
  const causes = named.map(({ type, message, top_frames: top }, index): Cause => {
    const read = stack?.causes[index];
    const isSame = read !== undefined && read.type === type && read.frames.length > 0;
    return { type, message, frames: isSame ? readFrames(read.frames, maps) : top.map(placeFrame) };
  });
  return raw === null && frames.length === 0
    ? null
    : {
        frames,
        causes,
        ...asRun(raw, frames, stack?.frames ?? []),
        maps,
      };
}

/** The text and the frames without what source maps made of them. */
function asRun(
  raw: string | null,
  frames: readonly Frame[],
  sent: readonly StackFrame[],
): Pick<ShownStack, 'raw' | 'generated'> {
  const asGenerated = generatedOf(frames);
  if (asGenerated.generated === undefined) return { raw };
  const lines = raw?.split('\n') ?? [];
  const first = lines.findIndex((line) => readLine(line) !== null);
  return {
    raw:
      raw === null || first === -1
        ? raw
        : [...lines.slice(0, first), ...sent.map((frame) => `    ${frame.raw ?? ''}`)].join('\n'),
    ...asGenerated,
  };
}

function generatedOf(frames: readonly Frame[]): Pick<ShownStack, 'generated'> {
  return frames.every(({ generated }) => generated === undefined)
    ? {}
    : { generated: frames.map((frame) => frame.generated ?? frame) };
}

/**
 * The stack of one event; null without one.
 * @param read what the server reads of it, with source maps
 */
export function stackOfEvent(
  payload: Readonly<Record<string, unknown>>,
  read: { stack?: StackBlock | undefined; symbolication?: SymbolicationBlock | undefined } = {},
): ShownStack | null {
  const text = payload.stacktrace ?? payload.stack;
  const raw = typeof text === 'string' && text.trim() !== '' ? text : null;
  const [own, ...causes] = eventFrames(payload);
  if (read.stack !== undefined && read.symbolication !== undefined) {
    const { stack, symbolication } = read;
    const maps = symbolication.problems;
    const frames = readFrames(stack.frames, maps);
    return {
      frames,
      causes: stack.causes.map(({ type, frames: its }, index) => ({
        ...{ type, message: causes[index]?.message ?? '', frames: readFrames(its, maps) },
      })),
      raw,
      ...generatedOf(frames),
      maps,
    };
  }
  if (own === undefined)
    return raw === null ? null : { frames: framesOfText(raw, []), causes: [], raw, maps: [] };
  return {
    frames: own.frames.map(readFrame),
    causes: causes.map(({ type, message, frames }) => ({ type, message, frames: frames.map(readFrame) })),
    raw,
    maps: [],
  };
}

/** A place without more, as the chain of a bundle names it. */
function placeFrame(place: string): Frame {
  return { function: '', place, shortPlace: place, isOwn: true, raw: place, source: [], repeats: 1 };
}

function framesOfText(stack: string, places: readonly string[]): Frame[] {
  const own = places.filter((place) => place !== '');
  const lines = stack.split('\n').filter((line) => readLine(line) !== null);
  const hasOwn = lines.some((line) => holdsAny(line, own));
  return lines.flatMap((line) => {
    const read = readLine(line);
    if (read === null) return [];
    const isOwn = hasOwn ? holdsAny(line, own) || isLikeOwn(line) : isLikeOwn(line);
    return [{ ...read, isOwn: isOwn && !isPlatform(line), raw: line, source: [], repeats: 1 }];
  });
}

function readFrames(frames: readonly StackFrame[], problems: readonly MapProblem[]): Frame[] {
  return frames.map((frame) => {
    const { map, file } = frame;
    const why =
      map?.state === 'unmapped'
        ? problems.find((each) => each.reason === map.reason && each.file === (file ?? ''))
        : undefined;
    return { ...readFrame(frame), ...(why === undefined ? {} : { why }) };
  });
}

/** A frame as the server read it, with everything it knows of the platform. */
function readFrame(read: StackFrame): Frame {
  const numbers = [read.line, read.column].filter((number) => number !== null);
  const place = [read.file ?? '', ...numbers].join(':');
  const name = read.function ?? '';
  return {
    ...frame(name, place),
    isOwn: read.in_app,
    raw: read.raw ?? `${name} ${place}`,
    source: numberedSource(read),
    repeats: 1,
    ...(read.generated === undefined ? {} : { generated: generatedFrame(read.generated, read.raw) }),
  };
}

function generatedFrame(
  { function: name, file, line, column }: NonNullable<StackFrame['generated']>,
  raw: string | null,
): Frame {
  const place = [file ?? '', ...[line, column].filter((number) => number !== null)].join(':');
  return { ...frame(name, place), isOwn: true, raw: raw ?? place, source: [], repeats: 1 };
}

/** Neighbors with the same function and place, as of a recursion, as one row. */
export function withoutRepeats(frames: readonly Frame[]): Frame[] {
  const rows: Frame[] = [];
  for (const frame of frames) {
    const last = rows.at(-1);
    if (last !== undefined && last.function === frame.function && last.place === frame.place) {
      rows[rows.length - 1] = { ...last, repeats: last.repeats + 1 };
    } else rows.push(frame);
  }
  return rows;
}

export function groupFrames(frames: readonly Frame[]): FrameGroup[] {
  const groups: FrameGroup[] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (frame.isOwn) groups.push({ kind: 'own', frame });
    else if (last?.kind === 'library') last.frames.push(frame);
    else groups.push({ kind: 'library', frames: [frame] });
  }
  return groups;
}

function ownPlace(frame: DebugBundle['summary']['first_application_frame']): string {
  return frame === null || frame.file === null ? '' : `${lastParts(frame.file, 2)}:${frame.line ?? ''}`;
}

function holdsAny(line: string, places: readonly string[]): boolean {
  return places.some((place) => line.includes(place));
}

function isPlatform(line: string): boolean {
  return /\bnode:|node_modules|site-packages|\/vendor\/|<anonymous>$|\[native code\]/.test(line);
}

function isLikeOwn(line: string): boolean {
  return !isPlatform(line) && /[\w/.-]+\.\w+:\d+/.test(line);
}

/** Lines of V8 (`at f (place)`), of Firefox and Safari (`f@place`) and of Python (`File "x", line 3, in f`). */
function readLine(line: string): Pick<Frame, 'function' | 'place' | 'shortPlace'> | null {
  const text = line.trim().slice(0, LINE_LENGTH_MAX);
  if (text.startsWith('at ')) return readV8(text.slice(3));
  if (text.startsWith('File "')) {
    const [, file = '', number = '', name = ''] =
      /^File "([^"]*)", line (\d+)(?:, in (.*))?$/.exec(text) ?? [];
    return file === '' ? null : frame(name, `${file}:${number}`);
  }
  const at = text.indexOf('@');
  return at >= 0 && /:\d+$/.test(text) ? frame(text.slice(0, at), text.slice(at + 1)) : null;
}

function readV8(text: string): Pick<Frame, 'function' | 'place' | 'shortPlace'> {
  const open = text.lastIndexOf(' (');
  return open >= 0 && text.endsWith(')')
    ? frame(text.slice(0, open), text.slice(open + 2, -1))
    : frame('', text);
}

const LINE_LENGTH_MAX = 2000;

function frame(name: string, place: string): Pick<Frame, 'function' | 'place' | 'shortPlace'> {
  const path = place.replace(/^\w+:\/\/[^/]*/, '');
  return { function: name === '' ? '(anonymous)' : name, place, shortPlace: lastParts(path, 2) };
}

function lastParts(path: string, count: number): string {
  return path.split(/[\\/]/).slice(-count).join('/');
}
