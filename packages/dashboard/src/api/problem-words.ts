import { ApiProblem } from './transport.ts';

/**
 * The only place that puts error codes into words: what happened, and the way out. It has those of mailed codes and
 * those that any request can be answered with; `list-problem-words.ts`, `screen-problem-words.ts` and
 * `sign-in-problem-words.ts` have the others, and are loaded with what needs them.
 */
let words: Readonly<Record<string, string>> = {
  connection_failed: 'Culprit cannot be reached from here. Check the connection, then try again.',
  unreadable_answer:
    'The response could not be read. A proxy between this browser and Culprit may have changed it.',
  invalid_payload: 'The input is malformed.',
  invalid_query: 'The filters in this address are not valid.',
  invalid_code: 'This code is wrong or no longer valid. Check the newest mail, or ask for a new code.',
  invalid_token: 'This link was used or cancelled, or is older than 7 days. Ask for a new one.',
  invalid_session: 'The session has ended. Sign in again.',
  invalid_csrf_token: 'This page is not open at the configured address of the server. Open it there.',
  auth_not_configured: 'This way to sign in is not set up on this server. Use another one.',
  forbidden: 'Your role in this project does not allow this.',
  shared_access_suspended: "Access is paused: the owner's plan does not include other people.",
  email_verification_required: 'Sign in once with a mailed code first, so that your address is verified.',
  invite_email_mismatch: 'This invite is for another address. Sign out and use the invited one.',
  not_found: 'This no longer exists.',
  member_already_exists: 'This person is already in the project.',
  payload_too_large: 'This is more than Culprit accepts in one request.',
  rate_limited: 'Too many attempts. Wait a moment, then try again.',
  internal_error: 'Something went wrong on the server. Try again.',
  service_unavailable: 'Culprit could not respond. Try again in a moment.',
  request_timeout: 'The request took too long and was stopped. Try again.',
  outcome_unknown: 'The response took too long. The change may have been saved: reload to check.',
  signup_closed: 'This server does not accept new accounts. Ask its operator for an invite.',
};

/** Adds the words of screens that were loaded later. */
export function addWords(more: Readonly<Record<string, string>>): void {
  words = { ...words, ...more };
}

/** Returns a sentence for a code; one of a newer server is returned unchanged. */
export function wordsFor(code: string): string {
  return Object.hasOwn(words, code) ? (words[code] ?? code) : code;
}

/** A sentence for whatever a call failed with. */
export function problemText(error: unknown): string {
  return error instanceof ApiProblem ? wordsFor(error.code) : 'This part could not be shown.';
}
