import type { DsnKey, listDsnKeys as endpoint } from '@culprit/contract/events/dsn-keys';
import { pageOf, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { dsnKeyOf, listDsnKeyRows } from '../tokens/dsn-keys.queries.ts';

/** A page of a project's DSN keys, live and revoked, newest first (docs/contract/foreign-protocols.md 2.3). */
export async function listDsnKeys(
  { database, baseUrl }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ keys: DsnKey[]; next_cursor: string | null }> {
  const rows = await listDsnKeyRows(database, access.projectId, page);
  const keys = rows.map((row) => dsnKeyOf(row, baseUrl));
  const { shown, nextCursor } = pageOf(keys, page, (row) => [row.created_at, row.token_id]);
  return { keys: shown, next_cursor: nextCursor };
}
