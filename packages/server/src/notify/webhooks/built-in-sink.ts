import type { AttemptOutcome } from '../../platform/row-queue/attempt-outcome.ts';

/**
 * The address of the sink inside this process, for deliveries by which the service watches itself. It is no http address,
 * so nobody can give it to a webhook, and nothing is opened in the outbound guard for it.
 */
export const BUILT_IN_SINK_URL = 'culprit:sink';

/** What the sink answers, like a receiver that is content. */
export const SINK_ANSWER: AttemptOutcome = {
  error: null,
  responseCode: 204,
  isFinal: false,
  latencyClass: 'quick',
};
