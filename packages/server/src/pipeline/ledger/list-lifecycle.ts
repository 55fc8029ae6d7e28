import { setTimeout as wait } from 'node:timers/promises';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  type listLifecycle as endpoint,
  LIFECYCLE_CURSOR_DAYS,
  type LifecycleRecord,
} from '@culprit/contract/incidents/lifecycle';
import { LIFECYCLE_KINDS, type LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import { decodeCursor, encodeCursor } from '@culprit/contract/schemas/pagination';
import { formatTimestamp, parseTimestamp } from '@culprit/contract/schemas/timestamps';
import { eventOf, lifecycleBody } from '../../notify/webhooks/webhook-payload.ts';
import { NOTIFIABLE_KINDS } from '../../notify/webhooks/webhooks.jobs.ts';
import { invalidCursor, invalidQuery } from '../../platform/http/binding/invalid-query.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { clientKey } from '../../platform/http/limits/client-key.ts';
import { createWaiterSlots } from '../../platform/http/limits/waiter-slots.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { type FeedPosition, type FeedRow, findFeedEdge, findFeedRows } from './feed.queries.ts';
import type { LedgerWatch } from './ledger-watch.ts';

const LIMIT_DEFAULT = 100;
const CURSOR_PARTS = 4;
const DAY_MS = 86_400_000;
const PLACES = createWaiterSlots({ person: 20, address: 100, process: 1000 });
const PLACES_RETRY_SECONDS = 5;
/** The interval at which rows after an open transaction are searched again; its end wakes no reader. */
const BEHIND_OPEN_MS = 50;

interface FeedCursor extends FeedPosition {
  issuedAtMs: number;
  feedId: string;
}

interface FeedQuery {
  /** Null: from now on. */
  after: FeedCursor | null;
  kinds: readonly LifecycleKind[] | null;
}

/** Kinds and cursor of a query. @throws Problem `invalid_query` */
export function checkFeedQuery({ query }: { query: QueryOf<typeof endpoint> }): FeedQuery {
  const named = query.kinds?.split(',') ?? null;
  const kinds = named === null ? null : LIFECYCLE_KINDS.filter((kind) => named.includes(kind));
  if (named?.some((word) => !LIFECYCLE_KINDS.some((kind) => kind === word)))
    throw invalidQuery('kinds', 'must be a comma-separated list of kinds of this feed');
  return { after: query.after === undefined ? null : cursorOf(query.after), kinds };
}

/** `GET /v1/lifecycle` (docs/contract/server-additions.md S22). */
export async function listLifecycle(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, FeedQuery>,
): Promise<{ lifecycle: LifecycleRecord[]; next_cursor: string }> {
  const { access, query, caller, clientAddress, connection } = request;
  const waitMs = (query.wait_seconds ?? 0) * 1000;
  if (waitMs === 0 || request.checked.after === null) return await readFeed(runtime, request);
  const releaseSlot = PLACES.take({ person: caller.userId, address: clientKey(clientAddress) });
  if (releaseSlot === null) throw new Problem('rate_limited', { retryAfterSeconds: PLACES_RETRY_SECONDS });
  const gone = new AbortController();
  connection.onClosed(() => gone.abort());
  const ends = AbortSignal.any([gone.signal, runtime.ledger.closing]);
  const news = followProjects(runtime.ledger, new Set(access.projectIds));
  const deadlineMs = performance.now() + waitMs;
  try {
    for (;;) {
      const answer = await readFeed(runtime, request);
      const leftMs = deadlineMs - performance.now();
      if (answer.lifecycle.length > 0 || leftMs <= 0 || ends.aborted) return answer;
      // While no work is done for it, the request holds no place.
      connection.rest();
      await news.wait(answer.hasLater ? Math.min(leftMs, BEHIND_OPEN_MS) : leftMs, ends);
      if (!connection.resume()) return answer;
    }
  } finally {
    news.stop();
    releaseSlot();
  }
}

async function readFeed(
  { database, appUrl }: Runtime,
  { access, query, checked }: ApiRequest<typeof endpoint, FeedQuery>,
): Promise<{ lifecycle: LifecycleRecord[]; next_cursor: string; hasLater: boolean }> {
  const { projectIds } = access;
  const { limit = LIMIT_DEFAULT } = query;
  const edge = await findFeedEdge(database, projectIds);
  const { after } = checked;
  if (after !== null) {
    const isOld = after.issuedAtMs < edge.nowMs - LIFECYCLE_CURSOR_DAYS * DAY_MS;
    if (isOld || after.feedId !== edge.feedId) throw invalidCursor('after');
  }
  const rows =
    after === null
      ? []
      : await findFeedRows(database, {
          projectIds,
          after,
          before: edge.openTransactionId,
          kinds: checked.kinds,
          limit,
        });
  const last = rows.at(-1);
  // If it is not a whole page, these are all rows before the edge, and other rows need not be read again.
  const place =
    rows.length === limit && last !== undefined
      ? last
      : { transactionId: edge.openTransactionId, lifecycleId: 0 };
  const hasBodies = query.webhooks === 1;
  return {
    lifecycle: rows.flatMap((row) => recordOf(row, hasBodies ? appUrl : null) ?? []),
    next_cursor: encodeCursor([
      formatTimestamp(edge.nowMs),
      edge.feedId,
      place.transactionId,
      String(place.lifecycleId),
    ]),
    hasLater: edge.hasLater,
  };
}

/** Returns null if the incident or the improvement was deleted, and with it the content of the entry. */
function recordOf(row: FeedRow, appUrl: string | null): LifecycleRecord | null {
  const { subject, kind } = row;
  if (subject === null) return null;
  const { subjectId } = subject;
  const isOfBundle = kind.includes('bundle.');
  return {
    lifecycle_id: String(row.lifecycleId),
    kind,
    recorded_at: formatTimestamp(row.occurredAtMs),
    project_id: prefixedId('proj', row.projectId),
    incident_id: row.isOfIncident ? prefixedId('inc', subjectId) : null,
    improvement_id: row.isOfIncident ? null : subjectId,
    bundle_id: isOfBundle ? prefixedId('bun', subjectId) : null,
    title: subject.title,
    severity: subject.severity,
    status: subject.status,
    environment: subject.environment,
    service_name: subject.serviceName,
    occurrence_count: subject.occurrenceCount,
    webhook: appUrl === null ? null : webhookOf(row, subject, appUrl),
  };
}

function webhookOf(
  row: FeedRow,
  subject: NonNullable<FeedRow['subject']>,
  appUrl: string,
): LifecycleRecord['webhook'] {
  const kind = NOTIFIABLE_KINDS.find((notifiable) => notifiable === row.kind);
  if (kind === undefined) return null;
  const facts = {
    ...row,
    kind,
    ...subject,
    service: subject.serviceName,
    bundleType: row.isOfIncident ? ('failure' as const) : ('improvement' as const),
  };
  return { event: eventOf(kind), body: lifecycleBody(facts, appUrl) };
}

function cursorOf(text: string): FeedCursor {
  const [issuedAt = '', feedId = '', transactionId = '', lifecycleId = ''] =
    decodeCursor(text, CURSOR_PARTS) ?? [];
  const issuedAtMs = parseTimestamp(issuedAt);
  const isWhole = /^\d{1,19}$/.test(transactionId) && /^\d{1,15}$/.test(lifecycleId);
  if (issuedAtMs === null || !isWhole) throw invalidCursor('after');
  return { issuedAtMs, feedId, transactionId, lifecycleId: Number(lifecycleId) };
}

/** Remembers whether something was written about the projects since the last wait. */
function followProjects(ledger: LedgerWatch, projectIds: ReadonlySet<string>) {
  let crossesThreshold = false;
  let wake: (() => void) | null = null;
  const stop = ledger.follow((change) => {
    if (change !== null && (change.hasRejections || !projectIds.has(change.projectId))) return;
    crossesThreshold = true;
    wake?.();
  });
  return {
    stop,
    async wait(timeoutMs: number, ends: AbortSignal): Promise<void> {
      if (!crossesThreshold && !ends.aborted) {
        const waking = new AbortController();
        wake = () => waking.abort();
        await wait(timeoutMs, undefined, { signal: AbortSignal.any([waking.signal, ends]) }).catch(() => {});
        wake = null;
      }
      crossesThreshold = false;
    },
  };
}
