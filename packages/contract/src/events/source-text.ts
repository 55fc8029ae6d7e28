import type { StackBlock, StackFrame } from '../incidents/bundle-stack.ts';

/** A line of source near the call of a frame. */
export interface NumberedLine {
  /** Null when the frame names no line. */
  number: number | null;
  text: string;
  /** The line of the call. */
  isCall: boolean;
}

/** Lines that texts show before and after the call. */
const SOURCE_LINES_AROUND = 2;

/** The source around the call of a frame, numbered; empty when none was sent. */
export function numberedSource(frame: StackFrame, around: number = SOURCE_LINES_AROUND): NumberedLine[] {
  const { context_line: call, line } = frame;
  if (call === undefined) return [];
  const before = around === 0 ? [] : (frame.pre_context ?? []).slice(-around);
  const texts = [...before, call, ...(frame.post_context ?? []).slice(0, around)];
  return texts.map((text, index) => ({
    number: line === null ? null : line + index - before.length,
    text,
    isCall: index === before.length,
  }));
}

/** The source around the call as text, a line each, the one of the call marked with `>`. */
export function sourceText(frame: StackFrame): string[] {
  const lines = numberedSource(frame);
  const width = Math.max(0, ...lines.map(({ number }) => String(number ?? '').length));
  return lines.map(({ number, text, isCall }) =>
    `${isCall ? '>' : ' '} ${String(number ?? '').padStart(width)} | ${text.replaceAll('\t', '  ')}`.trimEnd(),
  );
}

/** The first application frame that has source, else the first frame that has. */
export function frameWithSource(stack: StackBlock | undefined): StackFrame | null {
  const frames = [stack?.frames ?? [], ...(stack?.causes ?? []).map((cause) => cause.frames)].flat();
  const sourced = frames.filter((frame) => frame.context_line !== undefined);
  return sourced.find((frame) => frame.in_app) ?? sourced[0] ?? null;
}

/** `function (file:line:column)`, as far as a frame names them. */
export function frameText({ function: name, file, line, column }: StackFrame): string {
  const place = [file ?? '?', line, column].filter((part) => part !== null).join(':');
  return name === '' ? place : `${name} (${place})`;
}
