import type {
  GroupingReader,
  GroupingRule,
  MatchedField,
} from '@culprit/contract/incidents/grouping-explanation';
import type { ExceptionPayload, LoggedError, LogPayload, NormalizedEvent } from '../normalize/event.ts';
import { cutUnits } from './bounded-text.ts';
import { type BrowserFailure, browserFailure, isOpaqueMessage } from './browser-failure.ts';
import { engineMessage, engineType } from './engine-message.ts';
import { type CodeLocations, keyFrames, placedChain } from './key-frames.ts';
import { bundleModule } from './key-names.ts';
import { requestRoute } from './route-template.ts';
import { type Fingerprint, type Material, placeless, sealed } from './sealed-fingerprint.ts';
import { withoutLeadingBackslash } from './stack/exception-header.ts';
import type { StackLanguage } from './stack/forms/frame-form.ts';
import { type MapPlaces, type Mapping, mapChain } from './stack/mapped-frames.ts';
import { objectChain } from './stack/object-frames.ts';
import type { ParsedException } from './stack/parsed-stack.ts';
import { readAnyStack } from './stack/read-stack.ts';
import { languageOf } from './stack/stack-language.ts';
import type { StackRule } from './stack/stack-rules.ts';
import { unreadLines } from './stack/unread-lines.ts';
import { isRecord, statementOf } from './statement/statement.ts';
import { messageTemplate } from './template/message-template.ts';

const TYPE_CHARS_MAX = 200;

interface Placed {
  chain: ParsedException[];
  places: CodeLocations;
  readers: GroupingReader[];
  mapping: Mapping | null;
}

/** A chain, and what read it; no reader where nothing in it is a frame. */
interface ReadChain {
  language: StackLanguage | null;
  chain: ParsedException[];
  readers: GroupingReader[];
}

/** Fingerprint of an exception (docs/contract/grouping.md 2 and 4). */
export function exceptionFingerprint(
  event: NormalizedEvent,
  payload: ExceptionPayload,
  rules: readonly StackRule[],
  lookUp: MapPlaces | null = null,
): Fingerprint {
  const failure = browserFailure(event.eventType, payload);
  if (failure !== null) return browserFingerprint(failure, payload);
  const { chain, places, readers, mapping } = placedExceptions(event, payload, rules, lookUp);
  const outermost = chain[0];
  const group = outermost?.group ?? [];
  const isGroup = outermost !== undefined && group.length > 1;
  // Members fail in any order, so none of them says where the group failed.
  const ofChain = keyFrames(chain, places);
  const { applicationFrame } = ofChain;
  const { frames, isMinified, hasMapped } = isGroup ? keyFrames([outermost], places) : ofChain;
  const speaking = isGroup ? { ...outermost, message: ownMessage(outermost) } : chain.at(-1);
  const message = rejectionText(payload) ?? speaking?.message ?? '';
  const wording = places.language === 'js' ? engineMessage(message) : null;
  const joined = joinedMembers(outermost);
  const material: Material = {
    type: cutUnits(
      wording === 'stack overflow' ? engineType(outermost?.type ?? '') : (outermost?.type ?? ''),
      TYPE_CHARS_MAX,
    ),
  };
  const fields: MatchedField[] = ['error_type', 'normalized_message'];
  let rule: GroupingRule = 'error_message';
  if (isGroup || joined.length > 1) {
    material.members = isGroup ? memberKeys(group, places) : joined;
    fields.push('group_members');
  } else if (chain.length > 1) {
    material.cause = chain.at(-1)?.type ?? '';
    fields.push('cause_type');
  }
  if (frames.length > 0) {
    material.frames = frames;
    fields.push(hasMapped ? 'mapped_frames' : 'top_frames');
    rule = framesRule(isMinified, applicationFrame);
  } else if (!isGroup) {
    const lines = unreadLines(payload.stack, {
      type: payload.name,
      message: payload.message,
    });
    if (lines.length > 0) {
      material.lines = lines;
      fields.push('stack_lines');
    }
    fields.push(...addRoute(material, payload));
    if (material.lines !== undefined) rule = 'stack_lines';
    else if (material.route !== undefined) rule = 'error_route';
  }
  if (material.members !== undefined) rule = 'group_members';
  return worded('exception', material, {
    // The wording of joined errors is that of their members.
    wording: joined.length > 1 ? null : { message: wording ?? message, type: speaking?.type ?? '' },
    fields,
    readers: [...readers, ...textReaders(frames, material, message)],
    rule,
    chain,
    applicationFrame,
    mapping,
  });
}

/** Returns the readers of an event in which nothing is a frame. */
function textReaders(frames: readonly string[], { lines }: Material, message: string): GroupingReader[] {
  if (frames.length > 0) return [];
  if (lines !== undefined) return ['stack_lines'];
  return [isRecord(message) ? 'message_record' : 'message_text'];
}

function framesRule(isMinified: boolean, applicationFrame: Fingerprint['applicationFrame']): GroupingRule {
  if (isMinified) return 'minified_files';
  return applicationFrame === null ? 'foreign_frames' : 'own_frames';
}

/** The type of what Go's `errors.Join` makes, whose message has a line for each member and nothing else of it. */
const JOINED_TYPE = '*errors.joinError';

/** The templates of the members of joined errors, in an order of their own. */
function joinedMembers(exception: ParsedException | undefined): string[] {
  if (exception === undefined || exception.type !== JOINED_TYPE) return [];
  const lines = exception.message.split('\n', JOINED_LINES_MAX).filter((line) => line.trim() !== '');
  const templates = lines.map((line) => messageTemplate(line, ''));
  return [...new Set(templates)].sort().slice(0, MEMBERS_MAX);
}

const JOINED_LINES_MAX = 16;

/** The members of a group, each by its type and its own newest frame, in an order of their own. */
function memberKeys(group: readonly ParsedException[], places: CodeLocations): string[] {
  const keys = group.map((member) => `${member.type} ${keyFrames([member], places).frames[0] ?? ''}`.trim());
  return [...new Set(keys)].sort().slice(0, MEMBERS_MAX);
}

const MEMBERS_MAX = 5;

function placedExceptions(
  event: NormalizedEvent,
  payload: ExceptionPayload,
  rules: readonly StackRule[],
  lookUp: MapPlaces | null,
): Placed {
  const named = languageOf(event);
  const installRoot = typeof payload.runtime?.cwd === 'string' ? payload.runtime.cwd : null;
  const { language, chain, readers } = payloadChain(payload, named);
  const places = { language, rules, installRoot };
  if (payload.isStackOfMessage && readers.length > 0) readers.unshift('message_trace');
  const { chain: known, mapping } = mappedChain(chain, language, lookUp);
  return { chain: placedChain(known, places), places, readers, mapping };
}

/**
 * Returns the chain with its mapped places; unchanged if nothing is looked up, or if its language has no source maps.
 */
function mappedChain(
  chain: ParsedException[],
  language: StackLanguage | null,
  lookUp: MapPlaces | null,
): { chain: ParsedException[]; mapping: Mapping | null } {
  if (lookUp === null || language !== 'js') return { chain, mapping: null };
  return mapChain(chain, lookUp);
}

/** The cause chain of an exception, outermost first, from objects where there are any, else from its stack text. */
function payloadChain(payload: ExceptionPayload, named: StackLanguage | null): ReadChain {
  const sent = objectChain(payload.exceptions, named);
  const [first, ...inner] = sent?.chain ?? [];
  const own = { type: withoutLeadingBackslash(payload.name), message: payload.message };
  if (sent !== null && first !== undefined && sent.chain.some(({ frames }) => frames.length > 0)) {
    return readChain(sent.language, [{ ...first, ...own }, ...inner], ['frame_objects']);
  }
  return textChain({ ...own, stack: payload.stack, causes: payload.causes }, named);
}

function textChain(
  error: { type: string; message: string; stack: string | null; causes: ExceptionPayload['causes'] },
  named: StackLanguage | null,
): ReadChain {
  const read = readAnyStack(error.stack, named);
  const language = read?.language ?? named;
  const { type, message } = error;
  const outermost: ParsedException = { ...(read?.chain[0] ?? { frames: [] }), type, message };
  if (read !== null && read.chain.length > 1)
    return readChain(language, withSentMembers([outermost, ...read.chain.slice(1)]));
  const explicit = error.causes.map((cause) => ({
    type: withoutLeadingBackslash(cause.name),
    message: cause.message,
    frames: readAnyStack(cause.stack, language)?.chain[0]?.frames ?? [],
  }));
  return readChain(language, withSentMembers([outermost, ...explicit]));
}

/** A chain in which the reader of the language found the frames. */
function readChain(
  language: StackLanguage | null,
  chain: ParsedException[],
  readers: readonly GroupingReader[] = [],
): ReadChain {
  const hasFrames = chain.some(({ frames }) => frames.length > 0);
  if (!hasFrames) return { language, chain, readers: [] };
  return {
    language,
    chain,
    readers: [...readers, ...(language === null ? [] : [`${language}_trace` as const])],
  };
}

/** Libraries send the members of an `AggregateError` behind it like causes, in the order in which they failed. */
function withSentMembers(chain: ParsedException[]): ParsedException[] {
  const [outermost, ...members] = chain;
  if (outermost === undefined || outermost.type !== 'AggregateError' || members.length < 2) return chain;
  return [{ ...outermost, group: outermost.group ?? members }, ...members];
}

/** Returns the group's own message: runtimes append the message of each member, in the order in which they failed. */
function ownMessage({ message, group = [] }: ParsedException): string {
  const own = group.reduce((text, member) => text.replace(` (${member.message})`, ''), message);
  return own.trim() === '' ? message : own;
}

/** Returns the text of a rejected value that is no error: it says more than the error that represents it. */
function rejectionText({ rejectionReason: reason }: ExceptionPayload): string | null {
  if (reason === null || reason.kind === 'error') return null;
  return [reason.message, reason.preview].find((part) => part !== null && part.trim() !== '') ?? reason.kind;
}

/** Without frames the route identifies the place. Returns the matched fields. */
function addRoute(material: Material, { request, route: pageRoute }: ExceptionPayload): MatchedField[] {
  const fields: MatchedField[] = [];
  const page = { routeTemplate: null, path: pageRoute, url: null };
  const route = (request === null ? null : requestRoute(request)) ?? requestRoute(page);
  if (route !== null) {
    material.route = route;
    fields.push('route_template');
  }
  const method = request?.method?.trim().toUpperCase() ?? '';
  if (method !== '') {
    material.method = method;
    fields.push('http_method');
  }
  return fields;
}

/** Returns the fingerprint of a browser failure that has no code place. */
function browserFingerprint(failure: BrowserFailure, { name }: ExceptionPayload): Fingerprint {
  if (failure.kind === 'resource') {
    const { host, path, tag } = failure;
    const fields = ['browser_event_kind', 'resource_host', 'resource_path', 'resource_tag'] as const;
    return sealed('resource', { host, path, tag }, placeless('browser_event', 'resource_address', fields));
  }
  const { file, message } = failure;
  const fields = ['browser_event_kind', 'normalized_message', 'source_file'] as const;
  const wording = isOpaqueMessage(message) ? null : { message, type: name };
  return worded(
    'window',
    { src: bundleModule(file) },
    { ...placeless('browser_event', 'script_file', fields), wording },
  );
}

/** Fingerprint of a log (docs/contract/grouping.md 2 and 4). */
export function logFingerprint(
  event: NormalizedEvent,
  { message, error }: LogPayload,
  rules: readonly StackRule[],
  lookUp: MapPlaces | null = null,
): Fingerprint {
  const named = languageOf(event);
  const read = error === null ? readChain(named, []) : loggedChain(error, message, named);
  const places = { language: read.language, rules, installRoot: null };
  const { chain: known, mapping } = mappedChain(read.chain, read.language, lookUp);
  const chain = placedChain(known, places);
  const hasFrames = chain.some((member) => member.frames.length > 0);
  const type = chain[0]?.type ?? '';
  if (!hasFrames) {
    const wording = { message: loggedWording(message, error), type: '' };
    const ofText = isRecord(message) ? 'message_record' : 'message_text';
    return worded(
      'log',
      {},
      {
        wording,
        fields: ['normalized_message'],
        readers: [...new Set([...(error === null ? [] : [error.reader]), ofText] as const)],
        rule: ofText === 'message_record' ? 'record_statement' : 'message_template',
        chain,
        applicationFrame: null,
      },
    );
  }
  const { frames, isMinified, applicationFrame, hasMapped } = keyFrames(chain, places);
  const material: Material = {};
  const fields: MatchedField[] = ['normalized_message'];
  if (type !== '') {
    material.type = cutUnits(type, TYPE_CHARS_MAX);
    fields.push('error_type');
  }
  material.frames = frames;
  fields.push(hasMapped ? 'mapped_frames' : 'top_frames');
  const said = error?.sentence === null ? message : loggedWording(message, error);
  return worded('log', material, {
    wording: { message: said, type },
    fields,
    readers: [...(error === null ? [] : [error.reader]), ...read.readers],
    rule: framesRule(isMinified, applicationFrame),
    chain,
    applicationFrame,
    mapping,
  });
}

/**
 * Returns the wording of a line and its error: the text above a trace, or the line itself, and the part that the error
 * adds.
 */
function loggedWording(message: string, error: LoggedError | null): string {
  if (error === null) return message;
  const stated = statementOf(error.sentence ?? message);
  const cause = [error.name ?? '', statementOf(error.message ?? '')].filter((part) => part !== '').join(': ');
  return cause === '' || stated.includes(cause) ? stated : stated === '' ? cause : `${stated}: ${cause}`;
}

/** The chain of a logged error, outermost first. */
function loggedChain(
  { name, message, stack, frames, causes }: LoggedError,
  line: string,
  named: StackLanguage | null,
): ReadChain {
  const own = { type: withoutLeadingBackslash(name ?? ''), message: message ?? line };
  const sent = frames.length === 0 ? null : objectChain([{ ...SENT, ...own, frames }], named);
  if (sent !== null) {
    const inner = causes.map((cause) => ({ type: cause.name, message: cause.message, frames: [] }));
    return readChain(sent.language, [...sent.chain, ...inner], ['frame_objects']);
  }
  if (name !== null) return textChain({ ...own, stack, causes }, named);
  const read = readAnyStack(stack, named);
  const [outermost, ...rest] = read?.chain ?? [];
  if (read === null || outermost === undefined) return readChain(named, []);
  return readChain(read.language, [{ ...outermost, message: outermost.message || line }, ...rest]);
}

const SENT = { module: null, id: null, parentId: null, isGroup: false } as const;

/** The fingerprint of a material and the template of its text. */
function worded(
  kind: Fingerprint['kind'],
  material: Material,
  known: Parameters<typeof sealed>[2],
): Fingerprint {
  const { wording } = known;
  const msg = wording === null ? '' : messageTemplate(wording.message, wording.type);
  material.msg = msg;
  return sealed(kind, material, known);
}
