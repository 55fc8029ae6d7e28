import { EXPORTED_KINDS } from '@culprit/contract/workspace/account';
import type { Queryable, Statement } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { ExportKey, ExportScope, Table, TableExport } from '../../table.ts';

/** The rows of one kind of record, in the order of an ascending key, page by page. */
export interface ExportSource {
  kind: string;
  scope: ExportScope;
  /** Takes the scope's id, the key after which the page begins, the size of the page. */
  statement: Statement;
  /** Precedes every key. */
  firstKey: string;
}

/** An exported row; the form of times and ids is set later. */
export type ExportRow = Record<string, unknown>;

/** A page of a kind and the key after which the next one begins; null at the end. */
interface ExportPage {
  rows: ExportRow[];
  nextKey: string | null;
}

/** The lowest key of each type. */
const FIRST_KEY = { uuid: '00000000-0000-0000-0000-000000000000', bigint: '0', text: '' } as const;

/**
 * Everything an export contains, in the order of the contract (docs/contract/account.md 5). What is read of events and
 * bundles has the retention of telemetry and is not part of an account.
 * @throws for a kind that no table exports
 */
export function exportSources(tables: readonly Table[]): ExportSource[] {
  const parts = tables.flatMap(({ exported }) => (typeof exported === 'string' ? [] : exported));
  return EXPORTED_KINDS.map((kind) => {
    const part = parts.find((each) => each.kind === kind);
    if (part === undefined) throw new Error(`no table exports ${kind}`);
    return sourceOf(part);
  });
}

function sourceOf({ kind, scope, key, columns, from }: TableExport): ExportSource {
  const { text, first, isAfter, order } = keyParts(key);
  return {
    kind,
    scope,
    firstKey: first,
    statement: sql(
      `account-export-${kind}`,
    )`select ${text} as export_key, ${columns} from ${from} and ${isAfter} order by ${order} limit $3`,
  };
}

function keyParts(key: ExportKey): Exclude<ExportKey, string | { expression: string }> {
  if (typeof key === 'object' && 'text' in key) return key;
  const { expression, type } = typeof key === 'string' ? { expression: key, type: 'uuid' as const } : key;
  return {
    text: `(${expression})::text`,
    first: FIRST_KEY[type],
    isAfter: `${expression} > $2::${type}`,
    order: expression,
  };
}

/** Reads a page behind a key. `scopeId` is a bare UUID. */
export async function readExportPage(
  database: Queryable,
  { statement }: ExportSource,
  scopeId: string,
  afterKey: string,
  limit: number,
): Promise<ExportPage> {
  const rows = await database.query<{ export_key: string } & ExportRow>(statement, [
    scopeId,
    afterKey,
    limit,
  ]);
  return {
    rows: rows.map(({ export_key: _, ...row }) => row),
    nextKey: rows.length < limit ? null : (rows.at(-1)?.export_key ?? null),
  };
}

/** The moment by the database clock, in milliseconds since the epoch. */
export async function readExportTime(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now: number }>(
    sql('account-export-time')`select culprit_now() as now`,
  );
  if (row === undefined) throw new Error('the clock gave no time');
  return row.now;
}
