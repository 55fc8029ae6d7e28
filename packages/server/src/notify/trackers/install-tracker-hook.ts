import type { installTrackerHook as endpoint, Tracker } from '@culprit/contract/alerts/trackers';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { generateSecret, tokenHash } from '../../workspace/tokens/token.ts';
import { findHook, putBackHook, swapHook } from './asked-trackers.queries.ts';
import { APP_HOOKS } from './github-app.ts';
import { type HookCalls, hookCallsOf } from './hook-calls.ts';
import { hookUrl, newTrackerHook } from './new-tracker-hook.ts';
import { type OpenTracker, openTracker } from './open-trackers.queries.ts';
import { problemOf } from './test-tracker.ts';
import { callsOf } from './tracker-apis.ts';
import { TrackerFailure } from './tracker-call.ts';
import { openTrackerSecret, sealTrackerSecret } from './tracker-secrets.ts';
import { findTracker } from './trackers.queries.ts';

/** The last part of the address of a webhook of ours. */
const OUR_ADDRESS = /\/v1\/tracker-hooks\/([A-Za-z0-9]{43})$/;

/**
 * Creates the webhook at the tracker, once (docs/contract/team-workflow.md 7.1): one that is there gets our address and
 * secret again. That the webhook has an address is committed before the call, so that one whose creation was not answered
 * is found by the next request.
 * @throws Problem `tracker_not_found`, `hook_by_hand`, `tracker_refused`, `tracker_unreachable`
 */
export async function installTrackerHook(
  runtime: Pick<Runtime, 'database' | 'keys' | 'outbound' | 'baseUrl'>,
  request: ApiRequest<typeof endpoint>,
): Promise<Tracker> {
  const { database, keys } = runtime;
  const { access, caller } = request;
  const { projectId, recordId: trackerId } = access;
  const opened = await openTracker(database, keys, trackerId);
  if (opened === null) throw new Problem('tracker_not_found');
  const hooks = hookCallsOf(opened.kind, opened.connection);
  if (hooks === null) throw new Problem('hook_by_hand');
  const failure = await install(runtime, opened, hooks).catch((error: unknown) => {
    if (error instanceof TrackerFailure) return error;
    throw error;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'tracker.hook_installed',
    actorUserId: caller.userId,
    subject: `tracker:${trackerId}`,
    data: { outcome: failure?.word ?? 'answered' },
  });
  if (failure !== null) throw problemOf(failure);
  const tracker = await findTracker(database, projectId, trackerId);
  if (tracker === null) throw new Problem('tracker_not_found');
  return tracker;
}

/** @throws TrackerFailure */
async function install(
  { database, keys, outbound, baseUrl }: Pick<Runtime, 'database' | 'keys' | 'outbound' | 'baseUrl'>,
  tracker: OpenTracker,
  hooks: HookCalls,
): Promise<null> {
  const { trackerId, connection } = tracker;
  const call = callsOf(outbound, tracker, undefined, APP_HOOKS);
  const before = await findHook(database, trackerId);
  const remote = await hooks.list(connection, call);
  for (const { id, url } of remote) {
    const [, token] = OUR_ADDRESS.exec(url) ?? [];
    if (token === undefined || before === null || !before.tokenHash.equals(tokenHash(token))) continue;
    const secret = openTrackerSecret(keys, before.sealedSecret, trackerId);
    if (secret === null) break;
    // Its secret can be another one by now, and our address too.
    await hooks.update(connection, call, id, { url: hookUrl(baseUrl, token), secret });
    return null;
  }
  const made = newTrackerHook({ keys, baseUrl }, trackerId);
  const secret = generateSecret();
  const sealedSecret = sealTrackerSecret(keys, secret, trackerId);
  const hook = { tokenHash: made.tokenHash, sealedSecret };
  // Another request creates it at this moment.
  if (!(await swapHook(database, trackerId, before?.tokenHash ?? null, hook))) return null;
  try {
    await hooks.create(connection, call, { url: made.url, secret });
  } catch (error) {
    const isRefused = error instanceof TrackerFailure && error.kind !== 'unavailable';
    // A webhook that people created by hand keeps its address.
    if (isRefused) await putBackHook(database, trackerId, made.tokenHash, before);
    throw error;
  }
  return null;
}
