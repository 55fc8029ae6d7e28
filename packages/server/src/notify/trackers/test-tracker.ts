import type { testTracker as endpoint, Tracker, TrackerRights } from '@culprit/contract/alerts/trackers';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { noteTest } from './asked-trackers.queries.ts';
import { APP_HOOKS } from './github-app.ts';
import { type OpenTracker, openTracker } from './open-trackers.queries.ts';
import { readRights } from './token-rights.ts';
import { callsOf, TRACKER_APIS } from './tracker-apis.ts';
import { TrackerFailure } from './tracker-call.ts';
import { findTracker } from './trackers.queries.ts';

/** Returns the answer for a call that failed during a request. */
export function problemOf(failure: TrackerFailure): Problem {
  const code =
    failure.kind === 'unavailable' || failure.kind === 'limited' ? 'tracker_unreachable' : 'tracker_refused';
  return new Problem(code, { reason: failure.word });
}

/** Reads the account of an open tracker, and notes what came of it. @returns what kept it from that */
export async function tryTracker(
  { database, outbound }: Pick<Runtime, 'database' | 'outbound'>,
  tracker: OpenTracker,
): Promise<TrackerFailure | null> {
  const { trackerId, connection, kind } = tracker;
  try {
    const account = await TRACKER_APIS[kind].readAccount(connection, callsOf(outbound, tracker));
    await noteTest(database, trackerId, { account });
    return null;
  } catch (error) {
    if (!(error instanceof TrackerFailure)) throw error;
    await noteTest(database, trackerId, { error: error.word });
    return error;
  }
}

/**
 * Reads the account of the token, its rights and the target (docs/contract/team-workflow.md 7.1).
 * @throws Problem `tracker_not_found`, `tracker_refused`, `tracker_unreachable`
 */
export async function testTracker(
  { database, keys, outbound }: Pick<Runtime, 'database' | 'keys' | 'outbound'>,
  request: ApiRequest<typeof endpoint>,
): Promise<{ tracker: Tracker; rights: TrackerRights }> {
  const { access, caller } = request;
  const { projectId, recordId: trackerId } = access;
  const opened = await openTracker(database, keys, trackerId);
  if (opened === null) throw new Problem('tracker_not_found');
  const failure = await tryTracker({ database, outbound }, opened);
  await recordAudit(database, request, {
    ...access,
    action: 'tracker.tested',
    actorUserId: caller.userId,
    subject: `tracker:${trackerId}`,
    data: { outcome: failure === null ? 'answered' : failure.word },
  });
  if (failure !== null) throw problemOf(failure);
  const tracker = await findTracker(database, projectId, trackerId);
  if (tracker === null) throw new Problem('tracker_not_found');
  const { kind, connection } = opened;
  const hookCall = callsOf(outbound, opened, undefined, APP_HOOKS);
  const rights = await readRights(kind, connection, callsOf(outbound, opened), hookCall);
  return { tracker, rights };
}
