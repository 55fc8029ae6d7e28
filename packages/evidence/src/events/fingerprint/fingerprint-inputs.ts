import type {
  BrowserEvent,
  ExceptionCause,
  ExceptionPayload,
  LogPayload,
  NormalizedEvent,
  RequestPayload,
} from '../normalize/event.ts';
import { requestRoute } from './route-template.ts';
import type { StackRule } from './stack/stack-rules.ts';

/** Everything the fingerprint depends on, as one text; null for the types that have no fingerprint. */
export function fingerprintInputs(event: NormalizedEvent, rules: readonly StackRule[]): string | null {
  const { payload } = event;
  switch (payload.kind) {
    case 'exception':
      return `${event.eventType === 'frontend_exception' ? 'F' : 'B'}${exceptionInputs(payload)}${codeInputs(event, rules)}`;
    case 'request':
      return `R${requestInputs(payload)}`;
    case 'log':
      return `L${logInputs(payload)}${codeInputs(event, rules)}`;
    default:
      return null;
  }
}

/** What decides how a stack is read. */
function codeInputs({ sdk, service }: NormalizedEvent, rules: readonly StackRule[]): string {
  const inputs = part(sdk.language) + part(service.runtime);
  return rules.length === 0
    ? inputs
    : inputs + rules.map(({ glob, verdict }) => part(glob) + verdict).join('');
}

function exceptionInputs(payload: ExceptionPayload): string {
  const { request, browserEvent, rejectionReason } = payload;
  let inputs = part(payload.name) + part(payload.message) + part(payload.stack) + part(payload.route);
  // What differs between two requests of one route says nothing.
  inputs += request === null ? '-' : part(request.method) + part(requestRoute(request));
  inputs += browserEvent === null ? '-' : browserEventInputs(browserEvent);
  if (rejectionReason === null) inputs += '-';
  else inputs += rejectionReason.kind + part(rejectionReason.message) + part(rejectionReason.preview);
  const root = payload.runtime?.cwd;
  inputs += part(typeof root === 'string' ? root : null);
  if (payload.exceptions.length > 0) inputs += part(JSON.stringify(payload.exceptions));
  return inputs + causeInputs(payload.causes);
}

function browserEventInputs({ kind, opaque, message, fileName, target }: BrowserEvent): string {
  return `${kind}${opaque}${part(message)}${part(fileName)}${part(target?.sourceUrl)}${part(target?.tagName)}`;
}

function requestInputs({ request, response }: RequestPayload): string {
  return `${response.statusCode}${part(request.method)}${part(requestRoute(request))}`;
}

function logInputs({ message, error }: LogPayload): string {
  if (error === null) return part(message);
  const inputs =
    part(message) + error.isArgument + part(error.name) + part(error.message) + part(error.stack);
  return inputs + causeInputs(error.causes);
}

function causeInputs(causes: readonly ExceptionCause[]): string {
  return causes.map(({ name, message, stack }) => part(name) + part(message) + part(stack)).join('');
}

/** Length first, so that no two lists of texts give one key. */
function part(text: string | null | undefined): string {
  return text === null || text === undefined ? 'n' : `${text.length}:${text}`;
}
