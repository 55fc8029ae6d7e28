import type { QueryOf } from '@culprit/contract/endpoint';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import type { listProbes as endpoint, ProbeActivation } from '@culprit/contract/probes';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
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
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const access = await requireProject(database, plans, member.userId, projectId);
  const rows = await listActivations(database, access.projectId, { after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    probes: shown.map(probeActivationOf),
    next_cursor:
      rows.length <= limit || last === undefined
        ? null
        : encodeCursor([formatTimestamp(last.created_at), last.activation_id]),
  };
}

function readCursor(text: string): { createdAtMs: number; activationId: string } {
  const cursor = decodeTimeCursor(text);
  const activationId = cursor === null ? null : parseId([], cursor.key);
  if (cursor === null || activationId === null) throw new Problem('invalid_query');
  return { createdAtMs: cursor.timeMs, activationId };
}
