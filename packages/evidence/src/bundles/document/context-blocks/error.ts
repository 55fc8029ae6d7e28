import type { ErrorBlock } from '@culprit/contract/incidents/bundle-stack';
import { baseName } from '@culprit/contract/releases/map-words';
import type { ParsedException, ParsedFrame } from '../../../events/fingerprint/stack/parsed-stack.ts';
import type {
  StructuredException,
  StructuredFrame,
} from '../../../events/normalize/structured-exceptions.ts';
import { redactText } from '../../../events/redact/redact-values.ts';
import { stripUrlSecrets } from '../../../events/redact/strip-url-secrets.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { browserText, evidenceText } from '../../evidence/evidence-text.ts';
import { cutStack, MESSAGE_BYTES_MAX } from '../size-bounds.ts';
import { topFrames } from './top-frames.ts';

/** The error block and the occurrence it was taken from, whose frames belong to it. */
export interface ErrorEvidence {
  block: ErrorBlock;
  sample: SampleEvidence;
}

/** The first occurrence in block order that is an exception, or a log that carries a parsed stack. */
export function errorEvidence(blockOrder: readonly SampleEvidence[]): ErrorEvidence | null {
  for (const sample of blockOrder) {
    const block = exceptionBlock(sample) ?? loggedErrorBlock(sample);
    if (block !== null) return { block, sample };
  }
  return null;
}

/** Returns true if the stack of this occurrence could be read. */
export function hasParsedStack(sample: SampleEvidence): boolean {
  return sample.chain.some((exception) => exception.frames.length > 0);
}

function exceptionBlock(sample: SampleEvidence): ErrorBlock | null {
  const { eventType, payload } = sample.event;
  if (payload.kind !== 'exception') return null;
  const text = eventType === 'frontend_exception' ? browserText : evidenceText;
  return {
    version: 1,
    name: evidenceText(payload.name),
    message: text(payload.message, MESSAGE_BYTES_MAX),
    stack: stackText(payload.stack ?? renderedStack(payload.exceptions), sample),
    handled: payload.handled,
    top_frames: topFrames(sample.chain),
  };
}

/** An error that the application caught and logged. One in an attribute counts when its stack can be read. */
function loggedErrorBlock(sample: SampleEvidence): ErrorBlock | null {
  const { payload } = sample.event;
  if (payload.kind !== 'log' || payload.error === null) return null;
  const { error } = payload;
  if (!error.isArgument && !hasParsedStack(sample)) return null;
  return {
    version: 1,
    name: evidenceText(error.name ?? (sample.chain[0]?.type || 'Error')),
    message: evidenceText(error.message ?? payload.message, MESSAGE_BYTES_MAX),
    stack: stackText(error.stack ?? renderedFrames(error.frames), sample),
    handled: true,
    top_frames: topFrames(sample.chain),
  };
}

function stackText(stack: string | null, { chain }: SampleEvidence): string {
  if (stack === null || stack.trim() === '') return 'unavailable';
  return cutStack(redactText(stripUrlSecrets(withMappedLines(stack, chain))));
}

/** Lines in which mapped frames are looked for: of any real stack all. */
const MAPPED_LINES_MAX = 2000;

/** The stack with the lines of mapped frames as the engine would have written them for the original code. */
function withMappedLines(stack: string, chain: readonly ParsedException[]): string {
  const mapped = chain.flatMap(({ frames }) => frames).filter(({ map }) => map?.state === 'mapped');
  if (mapped.length === 0) return stack;
  const byPlace = new Map<string, ParsedFrame[]>();
  for (const frame of mapped) {
    const place = `${frame.map?.generated?.line}:${frame.map?.generated?.column}`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), frame]);
  }
  const lines = stack.split('\n');
  for (const [index, line] of lines.slice(0, MAPPED_LINES_MAX).entries()) {
    const place = /:(\d{1,9}:\d{1,9})\D{0,9}$/.exec(line.slice(-40))?.[1];
    const frames = place === undefined ? undefined : byPlace.get(place);
    const at = frames?.findIndex(({ map }) => line.includes(baseName(map?.generated?.file ?? ''))) ?? -1;
    const [frame] = at === -1 ? [] : (frames?.splice(at, 1) ?? []);
    if (frame === undefined) continue;
    lines[index] = `    at ${frame.function} (${frame.file}:${frame.line}:${frame.column})`;
  }
  return lines.join('\n');
}

/** A chain that came as objects as text for people and agents; null where none of it has a frame. */
function renderedStack(exceptions: readonly StructuredException[]): string | null {
  if (exceptions.every(({ frames }) => frames.length === 0)) return null;
  return exceptions
    .map(({ type, message, frames }, index) => {
      const header = [type || 'Error', message].filter((part) => part !== '').join(': ');
      const lines = [index === 0 ? header : `Caused by: ${header}`, renderedFrames(frames)];
      return lines.filter((line) => line !== null).join('\n');
    })
    .join('\n');
}

/** Frames that came as objects, a line each, newest call first; null for none. */
function renderedFrames(frames: readonly StructuredFrame[]): string | null {
  return frames.length === 0 ? null : frames.map(frameLine).join('\n');
}

function frameLine(frame: StructuredFrame): string {
  const { line, column } = frame;
  const file = frame.file ?? frame.absPath ?? frame.module ?? frame.package ?? '<unknown>';
  const place = [file, line, line === null ? null : column].filter((part) => part !== null).join(':');
  return `    at ${frame.function ?? '<anonymous>'} (${place})`;
}
