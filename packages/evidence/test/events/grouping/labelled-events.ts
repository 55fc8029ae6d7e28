import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NormalizedEvent } from '../../../src/events/normalize/event.ts';
import { backendException, buildEvent, logEvent } from '../build-event.ts';
import { LABELLED_CRASHES } from './labelled-crashes.ts';
import { LABELLED_GROUPS } from './labelled-groups.ts';
import { LABELLED_MESSAGES } from './labelled-messages.ts';
import { LABELLED_TRACES, type LabelledTrace } from './labelled-traces.ts';

/** An event whose cause is known. */
interface LabelledEvent {
  /** Messages, browsers, or a language. */
  part: string;
  truth: string;
  event: NormalizedEvent;
}

interface RecordedTrace {
  language: string;
  truth: string;
  type: string;
  message: string;
  stack: string;
}

/** All labelled cases as events. */
export function labelledEvents(): LabelledEvent[] {
  const recorded: RecordedTrace[] = JSON.parse(
    readFileSync(join(import.meta.dirname, 'traces/recorded-traces.json'), 'utf8'),
  );
  return [
    ...LABELLED_MESSAGES.flatMap(({ class: name, same }) =>
      same.map((message) => ({ part: 'messages', truth: `message ${name}`, event: logEvent(message) })),
    ),
    ...LABELLED_TRACES.map(({ cause, from, type, message, stack }) => {
      const event = backendException({ name: type, message, stack });
      return {
        part: from === 'browser' ? 'browsers' : 'further runtimes',
        truth: cause,
        event: from === 'browser' ? buildEvent('frontend_exception', event.payload) : event,
      };
    }),
    ...LABELLED_GROUPS.map((trace) => ofServer('groups of errors', trace)),
    ...LABELLED_CRASHES.map((trace) => ofServer('native crashes', trace)),
    ...recorded.map(({ language, truth, type, message, stack }) => ({
      part: `recorded ${language}`,
      truth: `${language} ${truth}`,
      event: backendException({ name: type, message, stack }),
    })),
  ];
}

function ofServer(part: string, { cause, type, message, stack }: LabelledTrace): LabelledEvent {
  return { part, truth: cause, event: backendException({ name: type, message, stack }) };
}
