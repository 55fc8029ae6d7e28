import { readStackRules, type StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/** The grouping settings of a project (docs/contract/grouping.md 3 and 4). */
export interface GroupingSettings {
  stackRules: readonly StackRule[];
  learnsSlots: boolean;
  /** The number of times that the names of its source maps changed; 0: it never had one. */
  mapsVersion: number;
  /** True if bundles show source lines of source maps. */
  showsSource: boolean;
}

export async function findGroupingSettings(
  database: Queryable,
  projectId: string,
): Promise<GroupingSettings> {
  const [row] = await database.query<{
    stack_rules: string[];
    learns_slots: boolean;
    maps_version: number;
    shows_source: boolean;
  }>(
    sql(
      'grouping-settings',
    )`select stack_rules, learns_slots, maps_version, shows_source from projects where project_id = $1`,
    [projectId],
  );
  return {
    stackRules: readStackRules(row?.stack_rules ?? []),
    learnsSlots: row?.learns_slots ?? false,
    mapsVersion: row?.maps_version ?? 0,
    showsSource: row?.shows_source ?? true,
  };
}
