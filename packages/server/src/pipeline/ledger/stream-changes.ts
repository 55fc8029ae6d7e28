import { setTimeout as wait } from 'node:timers/promises';
import type { streamChanges as endpoint } from '@culprit/contract/endpoints/stream';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { readClock } from '../../platform/db/read-clock.ts';
import { errorFields } from '../../platform/error-fields.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { clientKey } from '../../platform/http/limits/client-key.ts';
import { createWaiterSlots } from '../../platform/http/limits/waiter-slots.ts';
import { EventStream, STREAM_COMMENT, serverSentEvent } from '../../platform/http/server/event-stream.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import { findAccessibleProjects } from '../../workspace/access/access.queries.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { authenticatePerson } from '../../workspace/accounts/authenticate-session.ts';
import { createPendingChanges, type PendingChange } from './pending-changes.ts';

const PLACES = createWaiterSlots({ credential: 6, person: 20, address: 100, process: 1000 });
const PLACES_RETRY_SECONDS = 30;

/** The lifetimes of streams; shorter in tests. */
export interface StreamTimes {
  commentMs: number;
  maxAgeMs: number;
}

const STREAM_TIMES: StreamTimes = { commentMs: 20_000, maxAgeMs: 15 * 60_000 };

/**
 * `GET /v1/stream` (docs/contract/server-additions.md S21). The stream holds no slot of the process and reads the database
 * with each comment only: changes come with the notification that a commit sends.
 * @throws Problem `rate_limited` when the credential, the person, the address or the process has no place left
 */
export async function streamChanges(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
  times: StreamTimes = STREAM_TIMES,
): Promise<EventStream> {
  const { caller, clientAddress, connection } = request;
  const releaseSlot = PLACES.take({
    credential: 'sessionId' in caller ? caller.sessionId : caller.tokenId,
    person: caller.userId,
    address: clientKey(clientAddress),
  });
  if (releaseSlot === null) throw new Problem('rate_limited', { retryAfterSeconds: PLACES_RETRY_SECONDS });
  const gone = new AbortController();
  connection.onClosed(() => {
    gone.abort();
    releaseSlot();
  });
  return new EventStream(eventsOf(runtime, request, times, gone.signal));
}

async function* eventsOf(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
  { commentMs, maxAgeMs }: StreamTimes,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const { ledger, database } = runtime;
  const ends = AbortSignal.any([gone, ledger.closing]);
  const pending = createPendingChanges();
  let visible: ReadonlySet<string> = new Set(request.access.projectIds);
  let waking = new AbortController();
  const stop = ledger.follow((change) => {
    if (change === null) pending.addAll(visible);
    else if (visible.has(change.projectId)) pending.add(change);
    else return;
    waking.abort();
  });
  try {
    const beganMs = performance.now();
    let commentAtMs = beganMs + commentMs;
    yield serverSentEvent('hello', { server_time: formatTimestamp(await readClock(database)) });
    for (;;) {
      if (gone.aborted) return;
      if (ledger.closing.aborted) return yield bye('shutting_down');
      const nowMs = performance.now();
      if (nowMs >= beganMs + maxAgeMs) return yield bye('max_age');
      if (nowMs >= commentAtMs) {
        const seen = await visibleNow(runtime, request, visible);
        if (seen === null) return yield bye('session_ended');
        visible = seen;
        commentAtMs = performance.now() + commentMs;
        yield STREAM_COMMENT;
      }
      for (const change of pending.takeDue(performance.now())) {
        if (visible.has(change.projectId)) yield changed(change);
      }
      const nextMs = Math.min(commentAtMs, beganMs + maxAgeMs, pending.nextDueMs() ?? Infinity);
      waking = new AbortController();
      const signal = AbortSignal.any([ends, waking.signal]);
      await wait(Math.max(0, nextMs - performance.now()), undefined, { signal }).catch(() => {});
    }
  } finally {
    stop();
  }
}

/**
 * Returns the projects that the reader can see now; null when the session ended or none of the requested ones is left.
 * While the database cannot be read nothing can change there, and the earlier result stays.
 */
async function visibleNow(
  { database, plans, oidc, log }: Runtime,
  { headers, caller, query, access, requestId }: ApiRequest<typeof endpoint>,
  before: ReadonlySet<string>,
): Promise<ReadonlySet<string> | null> {
  try {
    const person = await authenticatePerson(database, headers, oidc?.tokenStaleness ?? null);
    if (person?.userId !== caller.userId) return null;
    const projectIds = await findAccessibleProjects(database, plans, caller.userId);
    if (query.project_id === undefined) return new Set(projectIds);
    const named = projectIds.filter((id) => access.projectIds.includes(id));
    return named.length === 0 ? null : new Set(named);
  } catch (error) {
    log.warn({ requestId, ...errorFields(error) }, 'the reader of a stream could not be looked up');
    return before;
  }
}

function changed({ projectId, resources, incidentIds }: PendingChange): string {
  return serverSentEvent('changed', {
    project_id: prefixedId('proj', projectId),
    resources,
    incident_ids: incidentIds?.map((id) => prefixedId('inc', id)) ?? null,
  });
}

function bye(reason: 'session_ended' | 'max_age' | 'shutting_down'): string {
  return serverSentEvent('bye', { reason });
}
