import type { Migration } from '../../platform/db/migrate.ts';
import type { BackupTable, Manifest } from './manifest.ts';

/**
 * Backups of the commits before the first release: `0001_schema.sql` took the place of 67 migrations, and some names
 * became others. This file serves installations of those commits, and can be deleted with that release.
 */

/** A manifest whose names are those of this program. */
export interface CheckedManifest extends Manifest {
  /** The rows need `REPAIRS`. */
  isBeforeFirstSchema: boolean;
}

/** The last of the 67. A database with it has all others, because they were applied in order. */
const LAST_BEFORE = {
  name: '0360_alert_channels.sql',
  checksum: '370f5461c3f5a7eafcb7ccd6e1430f2dfe8c5f500b83879db769aa9e50d10072',
};

const RENAMED_TABLES: Readonly<Record<string, string>> = { chores: 'maintenance_tasks' };
const RENAMED_COLUMNS: Readonly<Record<string, string>> = {
  'jobs.project_id': 'fairness_key',
  'chores.chore': 'task',
  'webhooks.pace': 'latency_class',
  'alert_receivers.pace': 'latency_class',
};

/** Statements for rows that no other code reads in the form in which those commits wrote them. */
export const REPAIRS: readonly string[] = [
  `update incidents set sources = case when reason_event_type like 'frontend%' then 1 else 2 end where sources = 0`,
  `update capture_rules set matcher = jsonb_set(matcher, '{runtime}', jsonb_build_array(matcher -> 'runtime'))
    where jsonb_typeof(matcher -> 'runtime') = 'string'`,
  `update alert_deliveries set facts = facts || '{"release": null}' where not facts ? 'release'`,
];

/**
 * Returns the manifest of a backup that was made with the last schema before `0001_schema.sql` as one made with that
 * file, and any other unchanged.
 */
export function asOfFirstSchema(manifest: Manifest, migrations: readonly Migration[]): CheckedManifest {
  const [first] = migrations;
  const isBefore = manifest.migrations.some(
    ({ name, checksum }) => name === LAST_BEFORE.name && checksum === LAST_BEFORE.checksum,
  );
  if (first === undefined || !isBefore) return { ...manifest, isBeforeFirstSchema: false };
  const known = new Set(migrations.map(({ name }) => name));
  const later = manifest.migrations.filter(({ name }) => name !== first.name && known.has(name));
  return {
    ...manifest,
    isBeforeFirstSchema: true,
    migrations: [{ name: first.name, checksum: first.checksum }, ...later],
    tables: manifest.tables.map(renamed),
  };
}

function renamed(table: BackupTable): BackupTable {
  return {
    ...table,
    name: RENAMED_TABLES[table.name] ?? table.name,
    columns: table.columns.map((column) => RENAMED_COLUMNS[`${table.name}.${column}`] ?? column),
  };
}
