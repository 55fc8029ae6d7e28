import type { StackBlock, StackFrame } from '@culprit/contract/incidents/bundle-stack';
import type { ParsedException, ParsedFrame } from '../../../events/fingerprint/stack/parsed-stack.ts';
import type { SourceLines } from '../../../events/normalize/source-lines.ts';
import { redactText } from '../../../events/redact/redact-values.ts';
import { stripUrlSecrets } from '../../../events/redact/strip-url-secrets.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { browserAddress, browserText } from '../../evidence/evidence-text.ts';
import { cutText } from '../size-bounds.ts';

/** The limits of longer stacks: the head shows the place of the failure, and the tail its start. */
const HEAD_FRAMES = 80;
const TAIL_FRAMES = 20;
const CAUSES_MAX = 7;
const RAW_BYTES_MAX = 512;
/** Frames of a block that show their source; those of the application come first. */
const SOURCES_MAX = 30;
const SOURCE_LINE_BYTES_MAX = 300;
/** Frames of a block that show their variables, and the bytes of all of them. */
const FRAMES_WITH_VARS_MAX = 20;
const VARS_BYTES_MAX = 32 * 1024;
const VAR_BYTES_MAX = 512;
/** Lines in which frames are looked for: of any real stack all. */
const LINES_MAX = 2000;

/** The frames of the error and of its causes, newest call first; null when no stack could be read. */
export function stackBlock(sample: SampleEvidence | null): StackBlock | null {
  const [own, ...causes] = sample?.chain ?? [];
  if (sample === null || own === undefined) return null;
  const chain = [own, ...causes];
  if (chain.every((exception) => exception.frames.length === 0)) return null;
  const lines = unusedLines(stackTexts(sample));
  const shown =
    causes.length <= CAUSES_MAX ? causes : [...causes.slice(0, CAUSES_MAX - 1), ...causes.slice(-1)];
  const parts = [own, ...shown].map(headAndTail);
  const all = parts.flat();
  const shownParts = { sourced: framesWithSource(all), variables: shownVariables(all) };
  const [frames = [], ...framesOfCauses] = parts.map((part) =>
    part.map((frame) => shownFrame(frame, lines, shownParts)),
  );
  return {
    version: 1,
    frames,
    causes: shown.map((cause, index) => ({
      type: browserText(cause.type),
      frames: framesOfCauses[index] ?? [],
    })),
  };
}

function headAndTail({ frames }: ParsedException): readonly ParsedFrame[] {
  if (frames.length <= HEAD_FRAMES + TAIL_FRAMES) return frames;
  return [...frames.slice(0, HEAD_FRAMES), ...frames.slice(-TAIL_FRAMES)];
}

/** The frames whose source is shown: those of the application, then the others. */
function framesWithSource(frames: readonly ParsedFrame[]): Set<ParsedFrame> {
  return new Set(ownFirst(frames.filter(({ source }) => source !== undefined)).slice(0, SOURCES_MAX));
}

type Variables = Record<string, string>;

/** Returns the variables that are shown, in the same order. */
function shownVariables(frames: readonly ParsedFrame[]): Map<ParsedFrame, Variables> {
  const shown = new Map<ParsedFrame, Variables>();
  let bytesLeft = VARS_BYTES_MAX;
  for (const frame of ownFirst(frames)
    .filter(({ vars }) => vars !== undefined)
    .slice(0, FRAMES_WITH_VARS_MAX)) {
    const variables = Object.fromEntries(
      Object.entries(frame.vars ?? {}).map(([name, value]) => [
        browserText(name),
        browserText(String(value), VAR_BYTES_MAX),
      ]),
    );
    bytesLeft -= Buffer.byteLength(JSON.stringify(variables));
    if (bytesLeft < 0) break;
    shown.set(frame, variables);
  }
  return shown;
}

function ownFirst(frames: readonly ParsedFrame[]): ParsedFrame[] {
  return [...frames.filter(({ inApp }) => inApp), ...frames.filter(({ inApp }) => !inApp)];
}

interface ShownParts {
  sourced: ReadonlySet<ParsedFrame>;
  variables: ReadonlyMap<ParsedFrame, Variables>;
}

function shownFrame(
  frame: ParsedFrame,
  lines: Map<string, string[]>,
  { sourced, variables }: ShownParts,
): StackFrame {
  const vars = variables.get(frame);
  return {
    function: browserText(frame.function),
    file: frame.file === null ? null : browserAddress(frame.file),
    line: frame.line,
    column: frame.column,
    in_app: frame.inApp,
    raw: takeLine(lines, frame.map?.generated ?? frame),
    ...shownMap(frame),
    ...(sourced.has(frame) && frame.source !== undefined ? shownSource(frame.source) : {}),
    ...(vars === undefined ? {} : { vars }),
  };
}

/** Returns the source maps' result for the frame; nothing if none was requested. */
function shownMap({ map }: ParsedFrame): Partial<StackFrame> {
  if (map === undefined) return {};
  const { generated } = map;
  return {
    map: { state: map.state, reason: map.reason, source_map_id: map.sourceMapId },
    ...(generated === null
      ? {}
      : {
          generated: {
            function: browserText(generated.function),
            file: generated.file === null ? null : browserAddress(generated.file),
            line: generated.line,
            column: generated.column,
          },
        }),
  };
}

function shownSource({ line, before, after }: SourceLines): Partial<StackFrame> {
  const shown = (text: string) => browserText(text, SOURCE_LINE_BYTES_MAX);
  return { context_line: shown(line), pre_context: before.map(shown), post_context: after.map(shown) };
}

/** The texts that the frames were read from. */
function stackTexts({ event: { payload } }: SampleEvidence): string[] {
  const error = payload.kind === 'exception' ? payload : payload.kind === 'log' ? payload.error : null;
  if (error === null) return [];
  return [error.stack, ...error.causes.map((cause) => cause.stack)].filter((text) => text !== null);
}

/** The lines of the texts, redacted, by the numbers in them: a frame is looked for among those with its line. */
function unusedLines(texts: readonly string[]): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  const all = texts.flatMap((text) => redactText(stripUrlSecrets(text)).split('\n', LINES_MAX));
  for (const line of all.slice(0, LINES_MAX)) {
    for (const number of new Set(line.match(/\d{1,9}/g))) {
      const known = lines.get(number);
      if (known === undefined) lines.set(number, [line]);
      else known.push(line);
    }
  }
  return lines;
}

/**
 * Returns the line of the text that a frame was read from: one with its line number and its file, and its function if
 * such a line exists. The parsers of the many forms do not report it. Null for frames that came as objects.
 */
function takeLine(
  lines: Map<string, string[]>,
  frame: Pick<ParsedFrame, 'function' | 'file' | 'line' | 'column'>,
): string | null {
  const candidates = frame.line === null ? undefined : lines.get(String(frame.line));
  const name = frame.file?.split(/[\\/]/).at(-1) ?? '';
  if (candidates === undefined || name === '') return null;
  const call = frame.function.split(/[.#:]/).at(-1) ?? '';
  const place = `${frame.line}:${frame.column}`;
  // Calls without a name have many names in a text, so the column is asked first.
  let at = candidates.findIndex((line) => line.includes(name) && line.includes(place));
  if (at === -1) at = candidates.findIndex((line) => line.includes(name) && line.includes(call));
  if (at === -1) at = candidates.findIndex((line) => line.includes(name));
  const [line] = at === -1 ? [] : candidates.splice(at, 1);
  return line === undefined ? null : cutText(line.trim(), RAW_BYTES_MAX);
}
