import type { Acknowledgement } from '@culprit/contract/events';
import { RawJson } from '../platform/http/raw-json.ts';

/** Refusals that are written at once; more are written while they are sent. */
const ERRORS_AT_ONCE_MAX = 1000;
const CHUNK_CHARS = 64 * 1024;

/**
 * The body of a `202`. Half a million refusals fit into one request, so a long list is written piece by piece as the
 * client reads it, and never stands in memory as a whole (reliability test 20).
 */
export function acknowledgementJson(acknowledgement: Acknowledgement): RawJson<Buffer | Iterable<Buffer>> {
  return acknowledgement.errors.length <= ERRORS_AT_ONCE_MAX
    ? new RawJson(Buffer.from(JSON.stringify(acknowledgement)))
    : new RawJson(chunksOf(acknowledgement));
}

function* chunksOf({ errors, ...rest }: Acknowledgement): Generator<Buffer> {
  // `errors` comes last, so that its list is left open by two characters less.
  let text = JSON.stringify({ ...rest, errors: [] }).slice(0, -2);
  let lastReason = '';
  let quoted = '';
  for (let i = 0; i < errors.length; i += 1) {
    const error = errors[i];
    if (error === undefined) break;
    // Neighbours mostly have the same reason.
    if (error.reason !== lastReason) {
      lastReason = error.reason;
      quoted = JSON.stringify(lastReason);
    }
    text += `${i === 0 ? '' : ','}{"index":${error.index},"reason":${quoted}}`;
    if (text.length >= CHUNK_CHARS) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}]}`);
}
