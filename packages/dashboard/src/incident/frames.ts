import type { DebugBundle } from '@culprit/contract/bundle';
import type { StackFrame } from '@culprit/contract/bundle-context';

/** A line of a stack, as far as it can be read. */
export interface Frame {
  function: string;
  /** `file:line:column` as far as it is there; empty where the line says none. */
  place: string;
  /** The file without the folders that all machines have differently. */
  shortPlace: string;
  isOwn: boolean;
  raw: string;
}

/** Own frames one by one, and runs of others folded. */
export type FrameGroup = { kind: 'own'; frame: Frame } | { kind: 'library'; frames: Frame[] };

/**
 * The frames of the stack. A line is the application's own where it holds a frame that the server named as such, because
 * it read the stack with everything it knows of the platform.
 */
export function framesOf({ context, summary }: DebugBundle): Frame[] {
  const { error, stack } = context;
  if (stack !== undefined && stack.frames.length > 0) return stack.frames.map(readFrame);
  if (error === null || error.stack === 'unavailable') return [];
  const own = [...error.top_frames, ownPlace(summary.first_application_frame)].filter(
    (place) => place !== '',
  );
  const lines = error.stack.split('\n').filter((line) => readLine(line) !== null);
  const hasOwn = lines.some((line) => holdsAny(line, own));
  return lines.flatMap((line) => {
    const read = readLine(line);
    if (read === null) return [];
    const isOwn = hasOwn ? holdsAny(line, own) || isLikeOwn(line) : isLikeOwn(line);
    return [{ ...read, isOwn: isOwn && !isPlatform(line), raw: line }];
  });
}

/** A frame as the server read it, with everything it knows of the platform. */
function readFrame(read: StackFrame): Frame {
  const numbers = [read.line, read.column].filter((number) => number !== null);
  const place = [read.file ?? '', ...numbers].join(':');
  const name = read.function ?? '';
  return { ...frame(name, place), isOwn: read.in_app, raw: read.raw ?? `${name} ${place}` };
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
