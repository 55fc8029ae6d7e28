/**
 * The outcome of a message that was not simply accepted: `rejected` permanently; `unavailable`, so that it can be
 * retried; `unknown`, when the server had the whole message and never answered.
 */
export type MailFailure = 'rejected' | 'unavailable' | 'unknown';

const DETAIL_LENGTH_MAX = 200;

/** A message did not leave. The text says why, without the address it was for. */
export class MailError extends Error {
  override readonly name = 'MailError';
  readonly failure: MailFailure;

  constructor(failure: MailFailure, detail: string) {
    super(`mail ${failure}: ${withoutAddresses(detail)}`);
    this.failure = failure;
  }
}

/** Servers repeat the address in their answers; logs must not have it. */
function withoutAddresses(text: string): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, DETAIL_LENGTH_MAX * 2)
    .replaceAll(/[^\s<>]*@[^\s<>]*/g, '[address]')
    .slice(0, DETAIL_LENGTH_MAX);
}
