import type { ParsedException, ParsedFrame } from '../../../events/fingerprint/stack/parsed-stack.ts';
import { browserAddress } from '../../evidence/evidence-text.ts';

const TOP_FRAMES_MAX = 5;

/**
 * Up to five places, newest call first, as `<last two path segments>:<line>` (docs/contract/incidents.md 3.4, error):
 * calls of a recovery left out, in-app frames of the outermost exception that has one, else all frames of the outermost exception that has any.
 */
export function topFrames(chain: readonly ParsedException[]): string[] {
  const inApp = firstWithFrames(chain, (frame) => isFailing(frame) && frame.inApp);
  const frames = inApp.length > 0 ? inApp : firstWithFrames(chain, isFailing);
  return frames.slice(0, TOP_FRAMES_MAX).map(frameLocation);
}

function isFailing(frame: ParsedFrame): boolean {
  return frame.file !== null && frame.isRecovery !== true;
}

function firstWithFrames(
  chain: readonly ParsedException[],
  counts: (frame: ParsedFrame) => boolean,
): ParsedFrame[] {
  for (const exception of chain) {
    const frames = exception.frames.filter(counts);
    if (frames.length > 0) return frames;
  }
  return [];
}

function frameLocation({ file, line }: ParsedFrame): string {
  // The host of a script's address is not a path segment.
  const path = browserAddress(file ?? '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const segments = path.split(/[\\/]/).filter((segment) => segment !== '');
  const place = segments.slice(-2).join('/') || '<anonymous>';
  return line === null ? place : `${place}:${line}`;
}
