import { hash } from 'node:crypto';
import type {
  BrowserEvent,
  ExceptionPayload,
  LogPayload,
  NormalizedEvent,
  RequestPayload,
} from '../event.ts';
import { type Fingerprint, fingerprintEvent } from './fingerprint-v1.ts';
import { logError, logStack } from './log-error.ts';

/** Longer keys are not kept: such events are too rare to repeat. */
const KEY_CHARS_MAX = 65536;
/** V8 hashes a longer string by its length alone, so that many of one length would fall into one bucket. */
const PLAIN_KEY_CHARS_MAX = 16000;
/** Bound on the keys of one generation, in UTF-16 units; the frames keep about as much text alive. */
const GENERATION_CHARS_MAX = 8_388_608;

/** Marks of keys met once, four bytes each; a mark that another key wrote over costs one more parse. */
const MARKS = 32_768;

/**
 * `fingerprintEvent` with a memory of at most `entriesMax` events, because repeated errors are byte-identical.
 * Equal events get the same object: do not change what it returns.
 *
 * An event is remembered when it is met for the second time. Those with a changing number in their message never are,
 * and would fill the memory with parsed stacks that nobody asks for again.
 */
export function createFingerprinter(options: {
  entriesMax: number;
}): (event: NormalizedEvent) => Fingerprint | null {
  const generationMax = Math.floor(options.entriesMax / 2);
  let young = new Map<string, Fingerprint>();
  let old = new Map<string, Fingerprint>();
  let youngChars = 0;
  const marks = new Int32Array(MARKS);

  const isMetAgain = (key: string): boolean => {
    const mark = markOf(key);
    const place = mark & (MARKS - 1);
    if (marks[place] === mark) return true;
    marks[place] = mark;
    return false;
  };

  const keep = (key: string, chars: number, fingerprint: Fingerprint): void => {
    if (young.size >= generationMax || youngChars + chars > GENERATION_CHARS_MAX) {
      old = young;
      young = new Map();
      youngChars = 0;
    }
    young.set(key, fingerprint);
    youngChars += chars;
  };

  return (event) => {
    const text = fingerprintInputs(event);
    if (text === null || text.length > KEY_CHARS_MAX || generationMax < 1) return fingerprintEvent(event);
    const key = text.length > PLAIN_KEY_CHARS_MAX ? hash('sha256', text, 'base64') : text;
    const recent = young.get(key);
    if (recent !== undefined) return recent;
    const remembered = old.get(key);
    const fingerprint = remembered ?? fingerprintEvent(event);
    if (fingerprint !== null && (remembered !== undefined || isMetAgain(key))) {
      keep(key, text.length, fingerprint);
    }
    return fingerprint;
  };
}

/** 32 bits of a key (FNV-1a); never 0, which marks an empty place. */
function markOf(key: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    mark = Math.imul(mark ^ key.charCodeAt(index), 0x01000193);
  }
  return mark | 1;
}

/** Everything the fingerprint depends on, as one text; null for the types that have no fingerprint. */
function fingerprintInputs({ eventType, payload }: NormalizedEvent): string | null {
  switch (payload.kind) {
    case 'exception':
      return `${eventType === 'frontend_exception' ? 'F' : 'B'}${exceptionInputs(payload)}`;
    case 'request':
      return `R${requestInputs(payload)}`;
    case 'log':
      return `L${logInputs(payload)}`;
    default:
      return null;
  }
}

function exceptionInputs(payload: ExceptionPayload): string {
  const { request, browserEvent, rejectionReason } = payload;
  let inputs = part(payload.name) + part(payload.message) + part(payload.stack) + part(payload.route);
  inputs += request === null ? '-' : part(request.method) + addressInputs(request);
  inputs += browserEvent === null ? '-' : browserEventInputs(browserEvent);
  if (rejectionReason === null) inputs += '-';
  else inputs += rejectionReason.kind + part(rejectionReason.message) + part(rejectionReason.preview);
  for (const cause of payload.causes) inputs += part(cause.name) + part(cause.message) + part(cause.stack);
  return inputs;
}

function browserEventInputs({ kind, opaque, message, fileName, target }: BrowserEvent): string {
  return `${kind}${opaque}${part(message)}${part(fileName)}${part(target?.sourceUrl)}${part(target?.tagName)}`;
}

function requestInputs({ request, response }: RequestPayload): string {
  return `${response.statusCode}${part(request.method)}${addressInputs(request)}`;
}

function addressInputs(request: { path: string | null; url: string | null; routeTemplate: string | null }) {
  return part(request.path) + part(request.url) + part(request.routeTemplate);
}

function logInputs({ message, attributes }: LogPayload): string {
  return part(message) + part(logStack(attributes)) + part(logError(attributes).type);
}

/** Length first, so that no two lists of texts give one key. */
function part(text: string | null | undefined): string {
  return text === null || text === undefined ? 'n' : `${text.length}:${text}`;
}
