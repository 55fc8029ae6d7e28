import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { Plan } from '../../src/workspace/billing/plan.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { type ManagementClient, managementClient } from './management-client.ts';

/** A check as a client writes it that cares for nothing. */
export const HOME = { name: 'Home', url: 'https://status.example.com/health', interval_seconds: 300 };

/** Somebody who manages the checks of a project of their own, by plain requests. */
interface CheckManager extends ManagementClient {
  project: TestProject;
  /** Path of the project's checks. */
  base: string;
}

export async function manageChecks(culprit: TestCulprit, plan: Plan = 'free'): Promise<CheckManager> {
  const project = await culprit.createProject({ plan });
  const base = `/v1/projects/${project.projectId}/availability-checks`;
  return { ...managementClient(culprit, project.memberToken), project, base };
}

/** Makes a check like `HOME`; throws for every other answer than the success. */
export async function createCheck(
  { post, base }: CheckManager,
  body: object = {},
): Promise<JsonObject & { check_id: string }> {
  const answer = await post(base, { ...HOME, ...body });
  const check = isJsonObject(answer.body) ? answer.body.check : undefined;
  if (!isJsonObject(check) || typeof check.check_id !== 'string') {
    throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return { ...check, check_id: check.check_id };
}
