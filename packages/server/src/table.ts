import type { ExportedKind } from '@culprit/contract/workspace/account';
import type { Statement } from './platform/db/database.ts';

/**
 * One table of the schema, as the feature that owns it describes it in `<feature>.tables.ts`. The deletion of projects,
 * retention, the export of accounts, backup and restore go through the list of all tables (`roles/tables.ts`).
 */
export interface Table {
  readonly name: string;
  readonly purge: TablePurge;
  readonly retention: TableRetention;
  /** Its rows in the export of an account (docs/contract/account.md 5), or why they are not in it. */
  readonly exported: readonly TableExport[] | string;
  /** Its rows of an incident are found by `project_id` and `incident_id`. */
  readonly isKeyedByProject?: true;
  /** The column with the key of an object that a backup copies. */
  readonly objectColumn?: string;
  /**
   * Set for tables that a crash can empty, that triggers derive, or that belong to the database or the object store.
   */
  readonly isLeftOutOfBackups?: true;
}

/** The way in which the rows of a deleted project are removed. */
type TablePurge =
  | readonly PurgeStep[]
  /** In the last transaction: the project's own row, and its jobs. */
  | 'with_the_project'
  /** They stay: the trail of what people did (docs/contract/account.md 13). */
  | 'kept'
  /** Its rows belong to no project. */
  | 'no_project';

/** The way in which rows of a deleted project are found. Each one does a bounded amount of work in a statement. */
export type PurgeStep =
  /** By `project_id`, which leads an index, some thousand rows at a time: for tables in which a project has few. */
  | 'by_project'
  /**
   * By `project_id`, some blocks of the table at a time: where a project has very many rows, and where no index is
   * kept for the rare deletion of one. Each block is read once, whatever else the table holds.
   */
  | 'by_blocks'
  /** By `incident_id`, together with the incident. */
  | 'by_incident'
  | PurgeThrough;

/** By the rows of a parent that belong to the project; before the parent's own rows go. */
export interface PurgeThrough {
  /** The parent's table, which has a `project_id`. */
  readonly through: string;
  /** The column by which both are joined. */
  readonly key: string;
  /** Which rows of the parent have any, where the parent is read some blocks at a time. */
  readonly inBlocksWhere?: string;
}

/** The time at which rows of a live project are deleted. */
type TableRetention =
  /** Never. */
  | 'kept'
  /** Deleted with the record that they belong to. */
  | 'with_its_record'
  | 'with_its_incident'
  /** Expired rows are deleted by statements of the feature when they write or read. */
  | 'by_its_statements'
  /** Deleted by separate steps, in this job or periodic task. */
  | { readonly task: string }
  | {
      /**
       * Deletes rows past the window of incidents, hourly for each project: takes the project, the moment and how many
       * rows it may delete, and selects how many it did as `removed`.
       */
      readonly window?: Statement;
      /**
       * Deletes rows past their time, whosever they are: the condition, which reads the clock once
       * (`(select culprit_now())`) so that an index is used, or a statement that takes how many rows it may delete and
       * selects how many it did as `removed`.
       */
      readonly expired?: string | Statement;
    };

/** The owner of a kind of record: each kind is read for one id of that sort at a time. */
export type ExportScope = 'user' | 'organization' | 'project' | 'service';

/**
 * Rows of one kind of record in an export, read page by page in the order of a unique, ascending key. Columns with a
 * hash, a key, a code or a secret of any kind are never named.
 */
export interface TableExport {
  readonly kind: ExportedKind;
  readonly scope: ExportScope;
  readonly key: ExportKey;
  readonly columns: string;
  /** The table and its condition on the scope's id, `$1`. */
  readonly from: string;
}

export type ExportKey =
  /** A column of type `uuid`. */
  | string
  | { readonly expression: string; readonly type: 'bigint' | 'text' }
  | {
      /** Text of the key, from which the next page continues. */
      readonly text: string;
      /** Precedes every key. */
      readonly first: string;
      /** True for rows after the key `$2`. */
      readonly isAfter: string;
      readonly order: string;
    };
