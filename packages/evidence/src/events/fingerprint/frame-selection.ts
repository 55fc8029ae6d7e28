import type { ParsedException, ParsedFrame } from './stack/parsed-stack.ts';

const FRAMES_MAX = 3;

export interface ApplicationFrame {
  /** As written without scheme, host and query; the module where the stack names no file. */
  file: string;
  line: number | null;
  function: string;
}

export interface FrameSelection {
  /** One to three `module#function`, newest call first; empty when the chain has no frame. */
  frames: string[];
  /**
   * The newest in-app frame of the same exception that is no part of a recovery (docs/contract/incidents.md 3.5); null
   * when none is in-app.
   */
  applicationFrame: ApplicationFrame | null;
}

/**
 * The frames that identify the code place: those of the innermost exception with an in-app frame, or, when
 * there is none, of the innermost exception with any frame (contract incidents 5.4.7).
 */
export function selectFrames(chain: readonly ParsedException[]): FrameSelection {
  for (const exception of chain.toReversed()) {
    const inApp = exception.frames.filter((frame) => frame.inApp);
    const leading = inApp.find((frame) => frame.isRecovery !== true) ?? inApp[0];
    if (leading !== undefined) {
      return { frames: firstDistinct(inApp), applicationFrame: toApplicationFrame(leading) };
    }
  }
  const innermost = chain.findLast((exception) => exception.frames.length > 0);
  return { frames: firstDistinct(innermost?.frames ?? []), applicationFrame: null };
}

/** Equal neighbours are one. */
function firstDistinct(frames: readonly ParsedFrame[]): string[] {
  const names: string[] = [];
  for (const frame of frames) {
    const name = `${frame.module}#${frame.function}`;
    if (name === names.at(-1)) continue;
    names.push(name);
    if (names.length === FRAMES_MAX) break;
  }
  return names;
}

function toApplicationFrame(frame: ParsedFrame): ApplicationFrame {
  return { file: frame.file ?? frame.module, line: frame.line, function: frame.function };
}
