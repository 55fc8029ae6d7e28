import { fingerprintEvent } from '../events/fingerprint/fingerprint.ts';
import type { StackRule } from '../events/fingerprint/stack/stack-rules.ts';
import type { NormalizedEvent } from '../events/normalize/event.ts';
import { redactText } from '../events/redact/redact-values.ts';
import { stripUrl, stripUrlSecrets } from '../events/redact/strip-url-secrets.ts';
import { MESSAGE_CHARS_MAX, type SearchFacts } from './search-document.ts';

const FRAMES_MAX = 20;
const TYPES_MAX = 8;

/** The message by which an incident is found; empty where the event has none. */
export function searchMessage({ payload }: NormalizedEvent): string {
  const text =
    payload.kind === 'exception'
      ? payload.message
      : payload.kind === 'log'
        ? payload.error?.message
          ? `${payload.message}\n${payload.error.message}`
          : payload.message
        : '';
  return messageFacts(text);
}

/** The same of a message that is already safe. */
export function messageFacts(text: string): string {
  // The cut part was searched for secrets when the event was read.
  return text === ''
    ? ''
    : stripUrlSecrets(text.slice(0, MESSAGE_CHARS_MAX * 2))
        .slice(0, MESSAGE_CHARS_MAX)
        .toWellFormed()
        .toLowerCase();
}

/** Returns types, functions and files of the error: its in-app frames, or all of them if none is the application's. */
export function errorFacts(
  event: NormalizedEvent,
  rules: readonly StackRule[],
): Pick<SearchFacts, 'types' | 'functions' | 'files'> & { hasOwnFrames: boolean } {
  const chain = fingerprintEvent(event, rules)?.chain ?? [];
  const all = chain.flatMap(({ frames }) => frames);
  const own = all.filter(({ inApp }) => inApp);
  const frames = (own.length > 0 ? own : all).slice(0, FRAMES_MAX);
  return {
    hasOwnFrames: own.length > 0,
    types: distinct(chain.map(({ type }) => type)).slice(0, TYPES_MAX),
    functions: distinct(frames.map((frame) => frame.function)),
    files: distinct(frames.map(({ file, module }) => (file === null ? module : stripUrl(file)))),
  };
}

const TEXT_CHARS_MAX = 200;

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => redactText(text.slice(0, TEXT_CHARS_MAX)).trim()))].filter(
    (text) => text !== '',
  );
}
