import type { AttemptOutcome } from '../../platform/row-queue/attempt-outcome.ts';

/**
 * The address of the sink inside this process, for deliveries by which the service watches itself. It is no http
 * address, so a webhook of a user cannot have it, and nothing is opened in the outbound guard for it.
 */
export const BUILT_IN_SINK_URL = 'culprit:sink';

/** The answer of the sink, like that of a receiver that accepts. */
export const SINK_ANSWER: AttemptOutcome = {
  error: null,
  responseCode: 204,
  isFinal: false,
  latencyClass: 'quick',
};
