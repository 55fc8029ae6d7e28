import type { StackFrame } from '@culprit/contract/incidents/bundle-stack';

/** An exception of an event, with its frames under the names of bundles. */
interface EventException {
  type: string;
  message: string;
  frames: StackFrame[];
}

const EXCEPTIONS_MAX = 20;
const FRAMES_MAX = 250;

type Open = Readonly<Record<string, unknown>>;

/** The exceptions of an event whose frames were sent as objects, outermost first; empty where none has a frame. */
export function eventFrames(payload: Open): EventException[] {
  const sent = listOf(payload.exceptions).slice(0, EXCEPTIONS_MAX);
  const found = sent.map((each) => ({
    type: textOf(each.type) ?? '',
    message: textOf(each.message) ?? '',
    frames: listOf(each.frames).slice(0, FRAMES_MAX).map(frameOf),
  }));
  if (!found.some(({ frames }) => frames.length > 0)) return [];
  const isBelieved = found.some(({ frames }) => frames.some((frame) => frame.in_app));
  if (isBelieved) return found;
  // A client that calls no frame the application's own does not know it.
  return found.map((each) => ({
    ...each,
    frames: each.frames.map((frame) => ({ ...frame, in_app: !isLibrary(frame.file ?? '') })),
  }));
}

function frameOf(frame: Open): StackFrame {
  const call = textOf(frame.context_line);
  return {
    function: textOf(frame.function) ?? '',
    file: textOf(frame.file) ?? textOf(frame.filename) ?? textOf(frame.abs_path),
    line: numberOf(frame.line) ?? numberOf(frame.lineno),
    column: numberOf(frame.column) ?? numberOf(frame.colno),
    in_app: frame.in_app === true,
    raw: null,
    ...(call === null
      ? {}
      : {
          context_line: call,
          pre_context: linesOf(frame.pre_context),
          post_context: linesOf(frame.post_context),
        }),
  };
}

function isLibrary(file: string): boolean {
  return /\bnode:|node_modules|site-packages|dist-packages|\/vendor\/|\/gems\/|^<|^\[/.test(file);
}

function listOf(value: unknown): Open[] {
  return Array.isArray(value) ? value.filter(isOpen) : [];
}

function linesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
}

function isOpen(value: unknown): value is Open {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
