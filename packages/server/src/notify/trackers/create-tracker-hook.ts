import type { createTrackerHook as createEndpoint } from '@culprit/contract/alerts/trackers';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { generateSecret } from '../../workspace/tokens/token.ts';
import { replaceHook } from './asked-trackers.queries.ts';
import { newTrackerHook } from './new-tracker-hook.ts';
import { sealTrackerSecret } from './tracker-secrets.ts';

/** Gives a tracker an address for its webhook, with the secret that signs. @throws Problem `tracker_not_found` */
export async function createTrackerHook(
  { database, keys, baseUrl }: Pick<Runtime, 'database' | 'keys' | 'baseUrl'>,
  request: ApiRequest<typeof createEndpoint>,
): Promise<{ url: string; secret: string }> {
  const { access, caller, body } = request;
  const { projectId, recordId: trackerId } = access;
  const hook = newTrackerHook({ keys, baseUrl }, trackerId);
  const secret = body.secret ?? generateSecret();
  const isReplaced = await replaceHook(
    database,
    { projectId, trackerId },
    { ...hook, sealedSecret: sealTrackerSecret(keys, secret, trackerId) },
  );
  if (!isReplaced) throw new Problem('tracker_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'tracker.hook_created',
    actorUserId: caller.userId,
    subject: `tracker:${trackerId}`,
  });
  return { url: hook.url, secret };
}
