import type {
  BrowserEvent,
  ExceptionCause,
  ExceptionPayload,
  LogPayload,
  NormalizedEvent,
  RequestPayload,
} from '../normalize/event.ts';
import type { StructuredException, StructuredFrame } from '../normalize/structured-exceptions.ts';
import type { MemoryKey } from './recent-memory.ts';
import { requestRoute } from './route-template.ts';
import type { StackRule } from './stack/stack-rules.ts';

type Text = string | null | undefined;
type Frames = readonly StructuredFrame[];

/** The content of frames, their variables and source lines, is part of a fingerprint's chain and of no key. */
type Wanted = 'chain' | 'key';

/**
 * Everything the fingerprint, or its key alone, depends on, behind a first text of the caller's, in an order that leaves no doubt which text
 * is which; null for the types that have no fingerprint.
 */
export function fingerprintInputs(
  first: string,
  event: NormalizedEvent,
  rules: readonly StackRule[],
  wanted: Wanted = 'chain',
): MemoryKey | null {
  const { payload } = event;
  const inputs: Text[] = [first];
  switch (payload.kind) {
    case 'exception':
      inputs.push(event.eventType);
      addCodeInputs(inputs, event, rules);
      addExceptionInputs(inputs, payload, wanted);
      return inputs;
    case 'request':
      addRequestInputs(inputs, payload);
      return inputs;
    case 'log':
      inputs.push('log');
      addCodeInputs(inputs, event, rules);
      addLogInputs(inputs, payload, wanted);
      return inputs;
    default:
      return null;
  }
}

/** Adds the inputs that decide how a stack is read. */
function addCodeInputs(inputs: Text[], { sdk, service }: NormalizedEvent, rules: readonly StackRule[]): void {
  inputs.push(sdk.language, service.runtime, String(rules.length));
  for (const { glob, verdict } of rules) inputs.push(glob, verdict);
}

function addExceptionInputs(inputs: Text[], payload: ExceptionPayload, wanted: Wanted): void {
  const { request, browserEvent, rejectionReason, runtime, exceptions } = payload;
  inputs.push(payload.name, payload.message, payload.stack, payload.route, String(payload.isStackOfMessage));
  // Differences between two requests of one route are not used.
  if (request === null) inputs.push(null, null, null);
  else inputs.push('request', request.method, requestRoute(request));
  addBrowserEventInputs(inputs, browserEvent);
  inputs.push(rejectionReason?.kind, rejectionReason?.message, rejectionReason?.preview);
  inputs.push(typeof runtime?.cwd === 'string' ? runtime.cwd : null);
  inputs.push(
    exceptions.length === 0
      ? null
      : JSON.stringify(wanted === 'chain' ? exceptions : exceptions.map(withoutValues)),
  );
  addCauseInputs(inputs, payload.causes);
}

function addBrowserEventInputs(inputs: Text[], browserEvent: BrowserEvent | null): void {
  if (browserEvent === null) {
    inputs.push(null, null, null, null, null, null);
    return;
  }
  const { kind, opaque, message, fileName, target } = browserEvent;
  inputs.push(kind, String(opaque), message, fileName, target?.sourceUrl, target?.tagName);
}

function addRequestInputs(inputs: Text[], { request, response }: RequestPayload): void {
  inputs.push('request', String(response.statusCode), request.method, requestRoute(request));
}

function addLogInputs(inputs: Text[], { message, error }: LogPayload, wanted: Wanted): void {
  inputs.push(message);
  if (error === null) return;
  inputs.push(error.reader, error.sentence, error.name, error.message, error.stack);
  const { frames } = error;
  inputs.push(
    frames.length === 0 ? null : JSON.stringify(wanted === 'chain' ? frames : framesWithoutValues(frames)),
  );
  addCauseInputs(inputs, error.causes);
}

function addCauseInputs(inputs: Text[], causes: readonly ExceptionCause[]): void {
  for (const { name, message, stack } of causes) inputs.push(name, message, stack);
}

function withoutValues({ frames, ...exception }: StructuredException): object {
  return { ...exception, frames: framesWithoutValues(frames) };
}

function framesWithoutValues(frames: Frames): Frames {
  if (!frames.some(({ vars, source }) => vars !== undefined || source !== undefined)) return frames;
  return frames.map(({ vars: _vars, source: _source, ...frame }) => frame);
}
