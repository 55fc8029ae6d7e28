import { TRACKER_TARGETS_MAX, type TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { listTrackerTargets as endpoint, TrackerTargets } from '@culprit/contract/alerts/trackers';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import { Secret } from '../../platform/secrets/secret.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { requireApp, requireBaseUrl } from './change-trackers.ts';
import { isAppKey } from './github-app.ts';
import { openTracker } from './open-trackers.queries.ts';
import { problemOf } from './test-tracker.ts';
import type { Connection } from './tracker-api.ts';
import { callsOf, TRACKER_APIS } from './tracker-apis.ts';
import { TrackerFailure } from './tracker-call.ts';

/**
 * The tracker to list: a connection that is not stored, or a stored tracker, whose token is only sent to its own
 * address.
 */
type Asked = { kind: TrackerKind; connection: Connection } | { trackerId: string };

/** @throws Problem `invalid_payload`, `blocked_target` */
export function checkTargetsBody(
  { outbound }: Pick<Runtime, 'outbound'>,
  { body }: { body: BodyOf<typeof endpoint> },
): Asked {
  const { tracker_id: trackerId, kind, base_url: url, token, user } = body;
  if (trackerId !== undefined) {
    const isAlone = [kind, url, token, user].every((each) => each === undefined);
    if (!isAlone) throw invalidPayload('/tracker_id', 'cannot be combined with another connection');
    return { trackerId };
  }
  if (kind === undefined) throw invalidPayload('/kind', 'or "tracker_id" must be given');
  if (token === undefined) throw invalidPayload('/token', 'is missing');
  if (isAppKey(token)) requireApp(kind, token, user ?? null);
  const connection = {
    baseUrl: requireBaseUrl(outbound, kind, url),
    token: new Secret(token),
    user: user ?? null,
    ...{ target: '', issueType: null, extraFields: [], callbackUrl: null },
  };
  return { kind, connection };
}

/**
 * Lists where tickets can be created, so that people choose in place of typing (docs/contract/team-workflow.md 7.1).
 * @throws Problem `tracker_not_found`, `tracker_refused`, `tracker_unreachable`
 */
export async function listTrackerTargets(
  { database, keys, outbound }: Pick<Runtime, 'database' | 'keys' | 'outbound'>,
  { access, body, checked: asked }: ApiRequest<typeof endpoint, Asked>,
): Promise<TrackerTargets> {
  const trackerId = 'trackerId' in asked ? parseId([], asked.trackerId) : null;
  const found = trackerId === null ? null : await openTracker(database, keys, trackerId);
  if ('trackerId' in asked && found?.projectId !== access.projectId) throw new Problem('tracker_not_found');
  const opened = found ?? ('kind' in asked ? asked : null);
  if (opened === null) throw new Problem('tracker_not_found');
  const { target = '', q = '' } = body;
  const { listTargets, listIssueTypes, target: form } = TRACKER_APIS[opened.kind];
  if (target !== '' && !form.test(target)) throw invalidPayload('/target', 'has not the form of this kind');
  const connection = { ...opened.connection, target };
  const call = callsOf(outbound, { kind: opened.kind, connection: opened.connection });
  const text = q.trim().toLowerCase();
  try {
    const targets = (await listTargets?.(connection, call, text)) ?? [];
    const types = target === '' ? [] : ((await listIssueTypes?.(connection, call)) ?? []);
    return {
      targets: targets
        .filter(
          (each) => form.test(each.target) && `${each.target} ${each.name}`.toLowerCase().includes(text),
        )
        .slice(0, TRACKER_TARGETS_MAX),
      issue_types: [...new Set(types)].filter((name) => name !== '').slice(0, TRACKER_TARGETS_MAX),
    };
  } catch (error) {
    if (error instanceof TrackerFailure) throw problemOf(error);
    throw error;
  }
}
