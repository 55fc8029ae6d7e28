import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type {
  DeadLetter,
  listDeadLetters as listEndpoint,
  retryDeadLetters as retryEndpoint,
} from '@culprit/contract/workspace/operator';
import {
  countDeadLetters,
  listDeadLetters,
  putBackDeadLetters,
  type DeadLetter as StoredLetter,
} from '../../pipeline/incidents/processing/dead-letters.queries.ts';
import { invalidCursor } from '../../platform/http/binding/invalid-query.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';

const EVERY_LETTER = { deadLetterIds: null, projectId: null };
/** A quotation in a parser's message is a piece of the event. */
const QUOTED = /["'`].*["'`]/s;
const LETTER_ID = /^[1-9]\d{0,14}$/;

interface LettersPage {
  limit: number;
  /** The last letter of the page before; 0: the first page. */
  afterId: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkLettersPage({ query }: { query: QueryOf<typeof listEndpoint> }): LettersPage {
  const { limit = PAGE_SIZE_DEFAULT, cursor } = query;
  if (cursor === undefined) return { limit, afterId: 0 };
  const [id = ''] = decodeCursor(cursor, 1) ?? [];
  if (!LETTER_ID.test(id)) throw invalidCursor();
  return { limit, afterId: Number(id) };
}

/** A page of dead letters, oldest first, and how many there are. */
export async function showDeadLetters(
  { database }: Pick<Runtime, 'database'>,
  { checked: { limit, afterId } }: Pick<ApiRequest<typeof listEndpoint, LettersPage>, 'checked'>,
): Promise<{ dead_letters: DeadLetter[]; total: number; next_cursor: string | null }> {
  const letters = await listDeadLetters(database, EVERY_LETTER, limit + 1, afterId);
  const shown = letters.slice(0, limit);
  const last = shown.at(-1);
  const isMore = letters.length > limit && last !== undefined;
  return {
    dead_letters: shown.map(shownLetter),
    total: await countDeadLetters(database, EVERY_LETTER),
    next_cursor: isMore ? encodeCursor([String(last.deadLetterId)]) : null,
  };
}

/** A letter as operators see it, without what was in the event. */
export function shownLetter(letter: StoredLetter): DeadLetter {
  return {
    id: letter.deadLetterId,
    project_id: prefixedId('proj', letter.projectId),
    batch_id: letter.batchId,
    position: letter.position,
    batch_events: letter.batchEvents,
    object: letter.objectKey,
    attempts: letter.attempts,
    created_at: formatTimestamp(letter.createdAtMs),
    reason: letter.reason.replace(QUOTED, '…'),
  };
}

/** Puts letters back; those that no longer exist are skipped. */
export async function retryDeadLetters(
  { database }: Runtime,
  request: ApiRequest<typeof retryEndpoint>,
): Promise<{ retried: number }> {
  const { body, caller } = request;
  const deadLetterIds = [...new Set(body.ids)];
  const retried = await database.transaction((transaction) =>
    putBackDeadLetters(transaction, { deadLetterIds, projectId: null }, deadLetterIds.length),
  );
  await recordAudit(database, request, {
    action: 'dead_letters.retried',
    actorUserId: caller.userId,
    data: { asked: deadLetterIds.length, retried },
  });
  return { retried };
}
