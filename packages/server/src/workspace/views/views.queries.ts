import { VIEWS_LISTED_MAX, type View } from '@culprit/contract/search/views';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { prefixedId } from '../../platform/ids.ts';

/** Statements over views. A caller sees their own ones, and the shared ones of projects that they see. */

/** A stored view. Ids are bare. */
export interface StoredView {
  viewId: string;
  projectId: string | null;
  /** Null: it is shared. */
  ownerUserId: string | null;
  createdByUserId: string | null;
  name: string;
  q: string;
  status: View['status'];
  sort: View['sort'];
  position: number;
}

interface ViewRow {
  view_id: string;
  project_id: string | null;
  owner_user_id: string | null;
  created_by_user_id: string | null;
  name: string;
  q: string;
  status: View['status'];
  sort: View['sort'];
  position: number;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `view_id, project_id, owner_user_id, created_by_user_id, name, q, status, sort, position, created_at,
  updated_at`;

/** A person's own views of some projects and of all, and the shared ones of those projects. */
export const listViewRows = statement.many<[userId: string, projectIds: readonly string[]], ViewRow, View>(
  'views-list',
  `select ${COLUMNS} from views
    where (owner_user_id = $1 and (project_id is null or project_id = any ($2::uuid[])))
      or (owner_user_id is null and project_id = any ($2::uuid[]))
    order by position, created_at, view_id limit ${VIEWS_LISTED_MAX}`,
  viewOf,
);

/** A view that is a person's own or shared, held until the transaction ends. */
export const lockView = inTransaction.one<[viewId: string, userId: string], ViewRow, StoredView>(
  'view-lock',
  `select ${COLUMNS} from views
    where view_id = $1 and (owner_user_id = $2 or owner_user_id is null) for update`,
  (row) => ({
    viewId: row.view_id,
    projectId: row.project_id,
    ownerUserId: row.owner_user_id,
    createdByUserId: row.created_by_user_id,
    name: row.name,
    q: row.q,
    status: row.status,
    sort: row.sort,
    position: row.position,
  }),
);

/** The key under which the users of a project are hashed; null where the project is gone. */
export const findUserKey = inTransaction.one<[projectId: string], { user_key: Buffer }, Buffer>(
  'view-user-key',
  'select user_key from projects where project_id = $1',
  (row) => row.user_key,
);

/**
 * The views that count against the limit of a new one: those of its owner, or the shared ones of its project. One
 * transaction at a time counts and adds them.
 */
export async function countSiblings(
  transaction: Transaction,
  { ownerUserId, projectId }: Pick<StoredView, 'ownerUserId' | 'projectId'>,
): Promise<number> {
  await transaction.query(
    sql('views-hold')`select pg_advisory_xact_lock(hashtextextended('culprit.views.' || $1, 0))`,
    [ownerUserId ?? projectId],
  );
  const [row] = await transaction.query<{ count: number }>(
    sql('views-count')`select count(*)::integer as count from views
        where case when $1::uuid is null then owner_user_id is null and project_id = $2 else owner_user_id = $1 end`,
    [ownerUserId, projectId],
  );
  return row?.count ?? 0;
}

/** Writes a view, new or changed. */
export async function saveView(transaction: Transaction, view: StoredView): Promise<View> {
  const [row] = await transaction.query<ViewRow>(
    sql(
      'view-save',
    )`insert into views (view_id, project_id, owner_user_id, created_by_user_id, name, q, status, sort, position)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict (view_id) do update set owner_user_id = excluded.owner_user_id, name = excluded.name,
          q = excluded.q, status = excluded.status, sort = excluded.sort, position = excluded.position,
          updated_at = culprit_now()
        returning ${COLUMNS}`,
    [
      view.viewId,
      view.projectId,
      view.ownerUserId,
      view.createdByUserId,
      view.name,
      view.q,
      view.status,
      view.sort,
      view.position,
    ],
  );
  if (row === undefined) throw new Error('a view was not written');
  return viewOf(row);
}

export async function removeView(transaction: Transaction, viewId: string): Promise<View> {
  const [row] = await transaction.query<ViewRow>(
    sql('view-delete')`delete from views where view_id = $1 returning ${COLUMNS}`,
    [viewId],
  );
  if (row === undefined) throw new Error('a view was gone under its lock');
  return viewOf(row);
}

function viewOf(row: ViewRow): View {
  return {
    view_id: row.view_id,
    project_id: row.project_id === null ? null : prefixedId('proj', row.project_id),
    name: row.name,
    q: row.q,
    status: row.status,
    sort: row.sort,
    is_shared: row.owner_user_id === null,
    created_by_user_id: row.created_by_user_id,
    position: row.position,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
