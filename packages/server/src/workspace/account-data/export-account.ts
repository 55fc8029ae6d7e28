import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { EXPORT_VERSION, type exportAccount as endpoint } from '@culprit/contract/workspace/account';
import type { Queryable } from '../../platform/db/database.ts';
import { type IdPrefix, prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ExportScope } from '../../table.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import {
  type ExportRow,
  type ExportSource,
  exportSources,
  readExportPage,
  readExportTime,
} from './account-export.queries.ts';
import { findOwnedProjects } from './owned-projects.queries.ts';

/** The limit of rows in memory, however large the account is. */
const PAGE_ROWS = 200;

/** Ids that carry a prefix outside (docs/contract/incidents.md 0). */
const PREFIX_OF = new Map<string, IdPrefix>([
  ['project_id', 'proj'],
  ['incident_id', 'inc'],
  ['token_id', 'tok'],
  ['activation_id', 'act'],
  ['alert_id', 'alt'],
  ['webhook_id', 'whk'],
]);

/**
 * Returns everything an account holds, without secrets (docs/contract/account.md 5), as the pieces of one JSON
 * document. Each piece is read when the one before it was sent, so that an export takes the memory of one page; rows
 * that change in the meantime have the state in which their page is read.
 */
export async function exportAccount(
  { database, tables }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<AsyncIterable<Buffer>> {
  const { userId } = request.caller;
  const { organizationId } = request.access;
  const projects = await findOwnedProjects(database, userId);
  const exportedAtMs = await readExportTime(database);
  await recordAudit(database, request, {
    action: 'account.exported',
    actorUserId: userId,
    organizationId,
    subject: `user:${userId}`,
  });
  return documentPieces(database, exportedAtMs, exportSources(tables), {
    user: [userId],
    organization: [organizationId],
    project: projects.map(({ projectId }) => projectId),
  });
}

/** The ids of services are not kept, because there may be too many; they are read again where they are needed. */
type Ids = Readonly<Record<Exclude<ExportScope, 'service'>, readonly string[]>>;

async function* documentPieces(
  database: Queryable,
  exportedAtMs: number,
  sources: readonly ExportSource[],
  ids: Ids,
): AsyncGenerator<Buffer> {
  const head = { export_version: EXPORT_VERSION, exported_at: formatTimestamp(exportedAtMs) };
  yield Buffer.from(JSON.stringify(head).slice(0, -1));
  const services = sources.find(({ kind }) => kind === 'services');
  for (const source of sources) {
    yield Buffer.from(`,${JSON.stringify(source.kind)}:[`);
    let isFirst = true;
    const scopeIds = source.scope === 'service' ? serviceIds(database, services, ids) : ids[source.scope];
    for await (const rows of pagesOf(database, source, scopeIds)) {
      const text = rows.map((row) => JSON.stringify(exportedRow(row))).join(',');
      yield Buffer.from(isFirst ? text : `,${text}`);
      isFirst = false;
    }
    yield Buffer.from(']');
  }
  yield Buffer.from('}');
}

/** Pages with at least one row, of all ids the source is read for. */
async function* pagesOf(
  database: Queryable,
  source: ExportSource,
  scopeIds: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<ExportRow[]> {
  for await (const id of scopeIds) {
    let key: string | null = source.firstKey;
    while (key !== null) {
      const page = await readExportPage(database, source, id, key, PAGE_ROWS);
      if (page.rows.length > 0) yield page.rows;
      key = page.nextKey;
    }
  }
}

async function* serviceIds(
  database: Queryable,
  services: ExportSource | undefined,
  ids: Ids,
): AsyncGenerator<string> {
  if (services === undefined) return;
  for await (const rows of pagesOf(database, services, ids.project)) {
    for (const { service_id: id } of rows) if (typeof id === 'string') yield id;
  }
}

/** Times and ids in the form of all answers. */
function exportedRow(row: ExportRow): ExportRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === 'number' && name.endsWith('_at')) return [name, formatTimestamp(value)];
      const prefix = PREFIX_OF.get(name);
      return [name, prefix !== undefined && typeof value === 'string' ? prefixedId(prefix, value) : value];
    }),
  );
}
