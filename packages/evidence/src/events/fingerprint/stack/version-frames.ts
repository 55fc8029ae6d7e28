import type { StackLanguage } from './forms/frame-form.ts';
import type { ParsedFrame } from './parsed-stack.ts';

/**
 * The frames without those that only some versions of a runtime show, so that one fault is one incident before and
 * after an upgrade (docs/contract/grouping.md 4). All of them where nothing else is left.
 */
export function withoutVersionFrames(
  frames: readonly ParsedFrame[],
  language: StackLanguage | null,
): readonly ParsedFrame[] {
  if (language !== 'python' && language !== 'ruby') return frames;
  const isShown = language === 'python' ? isCalledByName : isPlacedItself;
  const kept = frames.filter((frame, index) => isShown(frame, frames[index + 1]));
  return kept.length > 0 ? kept : frames;
}

/** A comprehension is a separate call up to Python 3.11, and part of the function around it from 3.12. */
function isCalledByName({ isInlined, file }: ParsedFrame, caller: ParsedFrame | undefined): boolean {
  return isInlined !== true || caller?.file !== file;
}

/**
 * Ruby gives methods that are written in C the place of their caller. Each version writes more of them in Ruby, whose
 * frames it shows in `<internal:…>` or not at all.
 */
function isPlacedItself({ file, line }: ParsedFrame, caller: ParsedFrame | undefined): boolean {
  if (file?.startsWith('<internal:')) return false;
  return file === null || line === null || caller?.file !== file || caller.line !== line;
}
