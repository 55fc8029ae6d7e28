import type { FailedCall } from '@culprit/contract/endpoints/client';
import { SourceError } from '../source.ts';
import { problemWords } from './problem-words.ts';

/** A refusal of the service in words for an agent; nothing of its answer but a code that is known. */
export function refusal({ error, status }: Pick<FailedCall, 'error' | 'status'>): SourceError {
  // Without an answer there is no status either.
  const words = problemWords(status === 0 ? 'service_unavailable' : error);
  if (words === null) return new SourceError(`The server refused the request (status ${status}).`);
  return new SourceError(words.says.replace('{credential}', 'the token'), words.hint);
}
