import type { listProbes as endpoint, ProbeActivation } from '@culprit/contract/capture/probes';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { pageOf, readPage, type TimePage } from '../platform/http/binding/time-page.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { probeActivationOf } from './probe-activation.ts';
import { listActivations } from './probes.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkProbesPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of the project's active probes, newest first, on every plan (docs/contract/ingestion.md 6.2). */
export async function listProbes(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ probes: ProbeActivation[]; next_cursor: string | null }> {
  const rows = await listActivations(database, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [
    formatTimestamp(row.created_at),
    row.activation_id,
  ]);
  return { probes: shown.map(probeActivationOf), next_cursor: nextCursor };
}
