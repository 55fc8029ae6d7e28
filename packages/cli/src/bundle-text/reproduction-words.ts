import type { ReproductionReason } from '@culprit/contract/incidents/reproduction';

const WORDS: Readonly<Record<ReproductionReason, string>> = {
  opaque_browser_event: 'the browser reported nothing about the failure',
  invalid_request_line: 'the captured request line is not valid',
  request_context_available: 'the request was captured',
  request_context_without_body:
    "the request was captured without its body, so it can have another result (init({ requestBodies: 'failures' }) of the Node library captures bodies)",
  request_context_without_origin: 'the request was captured without the address it was sent to',
  frontend_network_request: 'the request of the page was captured',
  insufficient_context: 'not enough was captured',
  no_request_context: 'no request led to the failure',
};

/**
 * Returns the words for the reason why a failure can be reproduced, or cannot; an unknown reason of a newer server is
 * returned unchanged.
 */
export function reproductionWords(reason: ReproductionReason): string {
  return WORDS[reason] ?? reason;
}
