import { expect } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { consumeAllowance } from '../../src/workspace/billing/take-allowance.ts';
import { HOSTED, type TestCulprit, type TestProject } from '../support/culprit.ts';
import type { Answer } from '../support/send-events.ts';
import { activationIn } from './probe-client.ts';

/** What answers tell of activations, and what a month holds of them. */

export interface Timed {
  activation: { created_at: string; trigger_expires_at: string };
}

export function timed(answer: Answer): Timed {
  const { created_at, trigger_expires_at } = activationIn(answer);
  return { activation: { created_at: String(created_at), trigger_expires_at: String(trigger_expires_at) } };
}

export function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export function pageOf({ body }: Answer): { ids: string[]; nextCursor: string | null } {
  const { probes, next_cursor } = Object(body);
  return {
    ids: probes.map((probe: { activation_id: string }) => probe.activation_id),
    nextCursor: next_cursor,
  };
}

async function organizationOf(culprit: TestCulprit, project: TestProject): Promise<string> {
  const [row] = await culprit.database.query<{ organization_id: string }>(
    { name: 'test-organization', text: 'select organization_id from projects where project_id = $1' },
    [parseId(['proj'], project.projectId) ?? ''],
  );
  return row?.organization_id ?? '';
}

export async function takeActivations(
  culprit: TestCulprit,
  project: TestProject,
  count: number,
): Promise<void> {
  const organizationId = await organizationOf(culprit, project);
  const taken = await culprit.database.transaction((transaction) =>
    consumeAllowance(transaction, HOSTED, organizationId, 'monthly_remote_activations', count),
  );
  expect(taken).toEqual({ granted: true });
}

export async function activationsTaken(culprit: TestCulprit, project: TestProject): Promise<number> {
  const rows = await culprit.database.query<{ used: number }>(
    {
      name: 'test-activations-taken',
      text: `select used from usage_counters
        where organization_id = $1 and meter = 'monthly_remote_activations'`,
    },
    [await organizationOf(culprit, project)],
  );
  return rows.reduce((sum, row) => sum + row.used, 0);
}
