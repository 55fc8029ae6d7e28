import type { QueryOf } from '@culprit/contract/endpoint';
import type { listProbes as endpoint, ProbeActivation } from '@culprit/contract/probes';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { probeActivationOf } from './probe-activation.ts';
import { listActivations } from './probes.queries.ts';
import type { ProbesRoom } from './probes.routes.ts';

/**
 * A page of the project's active probes, newest first, on every plan (ingestion.md 6.2).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended`
 */
export async function listProbes(
  { database, plans }: ProbesRoom,
  member: Member,
  projectId: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ probes: ProbeActivation[]; next_cursor: string | null }> {
  const page = readPage([], query);
  const access = await requireProject(database, plans, member.userId, projectId);
  const rows = await listActivations(database, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [
    formatTimestamp(row.created_at),
    row.activation_id,
  ]);
  return { probes: shown.map(probeActivationOf), next_cursor: nextCursor };
}
