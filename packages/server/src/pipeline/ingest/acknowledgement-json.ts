import type { Acknowledgement } from '@culprit/contract/events/events';
import { RawJson } from '../../platform/http/binding/raw-json.ts';
import type { RefusedRun } from './intake-request.ts';

/** The refusals that are written in one piece; more are written while they are sent. */
const ERRORS_AT_ONCE_MAX = 1000;
const CHUNK_CHARS = 64 * 1024;
/** To write and send a chunk. */
const CHUNK_WORK = 32 * 1024;
/** The memory of refusals for one reason until they are written. */
const RUN_BYTES = 64;

/**
 * Returns the body of a `202`. Half a million refusals fit into one request, so a long list is written piece by piece
 * as the client reads it, and is never in memory as a whole (docs/contract/reliability.md A6).
 * @param takeTurn waits for the turn of this much work
 */
export function acknowledgementJson(
  answer: Pick<Acknowledgement, 'accepted' | 'probe_directives'> & { refused: readonly RefusedRun[] },
  takeTurn: (work: number) => Promise<void> | null,
): RawJson<Buffer | AsyncIterable<Buffer>> {
  const { accepted, refused, probe_directives } = answer;
  const rejected = refused.reduce((sum, { count }) => sum + count, 0);
  const chunks = chunksOf({ accepted, rejected, probe_directives }, refused);
  return rejected <= ERRORS_AT_ONCE_MAX
    ? new RawJson(Buffer.from([...chunks].join('')))
    : new RawJson(inTurns(chunks, takeTurn), refused.length * RUN_BYTES);
}

async function* inTurns(
  chunks: Iterable<string>,
  takeTurn: (work: number) => Promise<void> | null,
): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield Buffer.from(chunk);
    // A client that reads quickly must not keep the event loop from others.
    await takeTurn(CHUNK_WORK);
  }
}

function* chunksOf(rest: Omit<Acknowledgement, 'errors'>, refused: readonly RefusedRun[]): Generator<string> {
  // `errors` comes last, so that its list is left open by two characters less.
  let text = JSON.stringify({ ...rest, errors: [] }).slice(0, -2);
  let separator = '';
  for (const { index: first, count, reason } of refused) {
    const end = `,"reason":${JSON.stringify(reason)}}`;
    for (let index = first; index < first + count; index += 1) {
      text += `${separator}{"index":${index}${end}`;
      separator = ',';
      if (text.length < CHUNK_CHARS) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}]}`;
}
