import type { Step } from '../../sdk-core/src/client.ts';
import { samplingNumber } from '../../sdk-core/src/repeats/fnv1a.ts';
import { createBeforeSendStep, createIgnoreStep, innermostFile } from '../../sdk-core/src/repeats/steps.ts';
import type { Page } from './loaded-page.ts';

const EXTENSION = /^(?:[a-z-]+-extension|webkit-masked-url):/;

/** Steps 5 to 8 of docs/contract/clients.md 7.1. */
export function pageSteps({ options, capture, startCleaner }: Page): Step[] {
  const { beforeSend, sampleRate = 1, sessionSampleRate = 1, maxEventsPerSession = 100 } = options;
  let contextEvents = 0;
  return [
    (event) => {
      const { message, stack, browser_event } = event.payload;
      const file = innermostFile(String(stack)) ?? Object(browser_event).file_name;
      return !capture.noise &&
        (/^ResizeObserver loop|Extension context inv/.test(String(message)) || EXTENSION.test(file))
        ? 'noise'
        : event;
    },
    createIgnoreStep(options),
    ...(beforeSend ? [createBeforeSendStep(beforeSend, startCleaner)] : []),
    (event, rank) => {
      const { event_type, correlation } = event;
      return rank ||
        event_type === 'probe_event' ||
        (samplingNumber(`${correlation.trace_id}`) < sampleRate &&
          samplingNumber(`${correlation.session_id}`) < sessionSampleRate &&
          ++contextEvents <= maxEventsPerSession)
        ? event
        : 'sampled';
    },
  ];
}
