import type { CaptureRule } from '@culprit/contract/capture/capture';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { expect } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { readNumber } from '../support/count-rows.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import type { Answer } from '../support/send-events.ts';

/** Rules that tests create, what answers hold of them, and what the service wrote down of changes. */

export const DROP = { name: 'r', action: 'drop', matcher: { services: ['api-server'] } };
export const SAMPLE = { ...DROP, action: 'sample', sample_rate: 0.5, sample_event_class: 'preserve' };

export function ruleIn(answer: Answer, status: number): CaptureRule {
  expect(answer).toMatchObject({ status });
  const rule = isJsonObject(answer.body) ? answer.body.rule : null;
  if (!isRecord(rule)) throw new Error('no rule came back');
  return rule;
}

function isRecord(value: unknown): value is CaptureRule {
  return typeof value === 'object' && value !== null && 'id' in value && 'updated_at' in value;
}

export function listed(answer: Answer): CaptureRule[] {
  const { body } = answer;
  if (answer.status !== 200 || !isJsonObject(body) || !Array.isArray(body.capture_rules)) {
    throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return body.capture_rules.filter(isRecord);
}

export async function version(culprit: TestCulprit, project: TestProject): Promise<number> {
  return await readNumber(culprit, 'capture_version', 'projects where project_id = $1', [
    parseId(['proj'], project.projectId),
  ]);
}

export async function audited(
  culprit: TestCulprit,
  project: TestProject,
): Promise<{ action: string; actor_user_id: string; data: JsonObject }[]> {
  return await culprit.database.query(
    {
      name: 'test-capture-audit',
      text: `select action, actor_user_id, data from audit_log
        where project_id = $1 and action like 'capture_%' order by audit_id`,
    },
    [parseId(['proj'], project.projectId)],
  );
}
