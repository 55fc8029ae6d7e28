import type { StackFrame } from '@culprit/contract/incidents/bundle-stack';
import type { TopFrame } from '@culprit/contract/incidents/incident-activity';
import type { BundleDocument } from './bundle-document.ts';

/**
 * Returns the place of a document's failure as lists of incidents show it: the application's frame, or the newest of
 * all; null without a readable stack.
 */
export function topFrameOf({ summary, context }: BundleDocument): TopFrame | null {
  const own = summary.first_application_frame;
  const frames = [context.stack, ...(context.stack?.causes ?? [])].flatMap((part) => part?.frames ?? []);
  const found =
    own === null
      ? frames.find(({ file }) => file !== null)
      : (frames.find((frame) => isAt(frame, own.file, own.line)) ?? { ...own, column: null });
  if (found === undefined || found.file === null) return null;
  const { function: name, file, line, column } = found;
  return { function: name ?? '<anonymous>', file, line, column };
}

function isAt(frame: StackFrame, file: string | null, line: number | null): boolean {
  return frame.file === file && frame.line === line;
}
