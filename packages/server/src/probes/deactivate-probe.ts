import type { deactivateProbe as endpoint } from '@culprit/contract/capture/probes';
import { formatSecondTimestamp } from '@culprit/contract/schemas/timestamps';
import { Problem } from '../platform/http/binding/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { renderActivationId } from './active-probe.ts';
import { endActivation } from './probes.queries.ts';

/**
 * Switches a remote probe off, on every plan (docs/contract/ingestion.md 6.2). Trigger tokens that were handed out
 * stay valid.
 * @throws Problem `activation_not_found`
 */
export async function deactivateProbe(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<{ activation_id: string; deactivated_at: string }> {
  const { access, caller, body } = request;
  // With or without its prefix.
  const id = parseId(['act'], body.activation_id);
  const endedAtMs = id === null ? null : await endActivation(database, access.projectId, id);
  if (id === null || endedAtMs === null) throw new Problem('activation_not_found');
  const rendered = renderActivationId(id, false);
  await recordAudit(database, request, {
    ...access,
    action: 'probe.deactivated',
    actorUserId: caller.userId,
    subject: `probe:${rendered}`,
  });
  return { activation_id: rendered, deactivated_at: formatSecondTimestamp(endedAtMs) };
}
