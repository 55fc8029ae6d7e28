import { EXPORT_VERSION } from '@culprit/contract/account';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { findOwnedOrganization } from '../accounts/account-deletion.queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { type IdPrefix, prefixedId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import {
  EXPORT_SOURCES,
  type ExportRow,
  type ExportScope,
  type ExportSource,
  readExportPage,
  readExportTime,
} from './account-export.queries.ts';
import { findOwnedProjects } from './owned-projects.queries.ts';

/** Rows held at once, however large the account is. */
const PAGE_ROWS = 200;

/** Ids that carry a prefix outside (incidents.md 0). */
const PREFIX_OF = new Map<string, IdPrefix>([
  ['project_id', 'proj'],
  ['incident_id', 'inc'],
  ['token_id', 'tok'],
  ['activation_id', 'act'],
  ['alert_id', 'alt'],
  ['webhook_id', 'whk'],
]);

/**
 * Everything an account holds, without secrets (account.md 5), as the pieces of one JSON document. Each piece is read
 * when the one before it was sent, so that an export takes the memory of one page; rows that change meanwhile are in
 * it as they are when their page is read.
 * @throws Problem `forbidden` for somebody without an organization
 */
export async function exportAccount(
  database: Database,
  member: Member,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<AsyncIterable<Buffer>> {
  const { userId } = member;
  const organizationId = await findOwnedOrganization(database, userId);
  if (organizationId === null) throw new Problem('forbidden');
  const projects = await findOwnedProjects(database, userId);
  const exportedAtMs = await readExportTime(database);
  await recordAudit(database, request, {
    action: 'account.exported',
    actorUserId: userId,
    organizationId,
    subject: `user:${userId}`,
  });
  return documentPieces(database, exportedAtMs, {
    user: [userId],
    organization: [organizationId],
    project: projects.map(({ projectId }) => projectId),
  });
}

/** Of services there may be too many to keep their ids; they are read again where they are needed. */
type Ids = Readonly<Record<Exclude<ExportScope, 'service'>, readonly string[]>>;

async function* documentPieces(database: Queryable, exportedAtMs: number, ids: Ids): AsyncGenerator<Buffer> {
  const head = { export_version: EXPORT_VERSION, exported_at: formatTimestamp(exportedAtMs) };
  yield Buffer.from(JSON.stringify(head).slice(0, -1));
  for (const [kind, source] of Object.entries(EXPORT_SOURCES)) {
    yield Buffer.from(`,${JSON.stringify(kind)}:[`);
    let isFirst = true;
    for await (const rows of pagesOf(database, source, ids)) {
      const text = rows.map((row) => JSON.stringify(exportedRow(row))).join(',');
      yield Buffer.from(isFirst ? text : `,${text}`);
      isFirst = false;
    }
    yield Buffer.from(']');
  }
  yield Buffer.from('}');
}

/** Pages that hold at least one row, of all ids the source is read for. */
async function* pagesOf(database: Queryable, source: ExportSource, ids: Ids): AsyncGenerator<ExportRow[]> {
  const { scope } = source;
  for await (const id of scope === 'service' ? serviceIds(database, ids) : ids[scope]) {
    let key: string | null = source.firstKey;
    while (key !== null) {
      const page = await readExportPage(database, source, id, key, PAGE_ROWS);
      if (page.rows.length > 0) yield page.rows;
      key = page.nextKey;
    }
  }
}

async function* serviceIds(database: Queryable, ids: Ids): AsyncGenerator<string> {
  for await (const rows of pagesOf(database, EXPORT_SOURCES.services, ids)) {
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
