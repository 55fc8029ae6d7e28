import type { Queryable } from '../../src/platform/db/database.ts';

/**
 * Removes the alert rule with which a project begins (docs/contract/notifications.md 1.25), so that a test meets the
 * rules that it creates and no others.
 * @param projectId bare UUID
 */
export async function removeFirstAlert(database: Queryable, projectId: string): Promise<void> {
  await database.query(
    { name: 'test-no-first-alert', text: 'delete from alert_rules where project_id = $1' },
    [projectId],
  );
}
