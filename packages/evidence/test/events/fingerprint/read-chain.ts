import type { ParsedException } from '../../../src/events/fingerprint/stack/parsed-stack.ts';
import { readStack } from '../../../src/events/fingerprint/stack/read-stack.ts';

/** The exceptions of a stack text of any language, none where nothing reads a frame. */
export function readExceptions(stack: string | null): ParsedException[] {
  return readStack(stack, null)?.chain ?? [];
}

/**
 * One exception as lines to compare: its head, then one line a frame, newest call first. A frame that is not
 * in-app starts with `~`.
 */
export function readChain(stack: string): string[][] {
  return readExceptions(stack).map(describeException);
}

/** The frame lines of the outermost exception alone. */
export function readFrames(stack: string): string[] {
  return readChain(stack)[0]?.slice(1) ?? [];
}

/** `<file>:<line>:<column>` of the outermost exception's frames, `?` for what the stack does not say. */
export function readPlaces(stack: string): string[] {
  const frames = readExceptions(stack)[0]?.frames ?? [];
  return frames.map(({ file, line, column }) => `${file ?? '?'}:${line ?? '?'}:${column ?? '?'}`);
}

function describeException({ type, message, frames }: ParsedException): string[] {
  const names = frames.map((frame) => `${frame.inApp ? '' : '~'}${frame.module}#${frame.function}`);
  return [`${type}: ${message}`, ...names];
}
