import type {
  StructuredException,
  StructuredFrame,
} from '../../../events/normalize/structured-exceptions.ts';

/** A chain that came as objects as text for people and agents; null where none of it has a frame. */
export function renderedStack(exceptions: readonly StructuredException[]): string | null {
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
export function renderedFrames(frames: readonly StructuredFrame[]): string | null {
  return frames.length === 0 ? null : frames.map(frameLine).join('\n');
}

function frameLine(frame: StructuredFrame): string {
  const { line, column } = frame;
  const file = frame.file ?? frame.absPath ?? frame.module ?? frame.package ?? '<unknown>';
  const place = [file, line, line === null ? null : column].filter((part) => part !== null).join(':');
  return `    at ${frame.function ?? '<anonymous>'} (${place})`;
}
