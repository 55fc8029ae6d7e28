import {
  getCapturePolicy,
  updateCapturePolicy as updatePolicyEndpoint,
} from '@culprit/contract/capture-policy';
import * as rules from '@culprit/contract/capture-rules';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createCaptureRule } from './create-capture-rule.ts';
import { deleteCaptureRule } from './delete-capture-rule.ts';
import { listCaptureRules } from './list-capture-rules.ts';
import { readCapturePolicy } from './read-capture-policy.ts';
import { updateCapturePolicy } from './update-capture-policy.ts';
import { updateCaptureRule } from './update-capture-rule.ts';

export interface CaptureRoom {
  database: Database;
  plans: PlanSettings;
}

/** Which events a project takes: its capture policy and its rules. */
export function bindCaptureRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  room: CaptureRoom,
): void {
  binder.bind(getCapturePolicy).to(async ({ caller, params }) => ({
    status: 200,
    body: await readCapturePolicy(room, caller, params.id),
  }));
  binder.bind(updatePolicyEndpoint).to(async (context) => ({
    status: 200,
    body: await updateCapturePolicy(room, context.caller, context.params.id, context.body, context),
  }));
  binder.bind(rules.listCaptureRules).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listCaptureRules(room, caller, params.id, query),
  }));
  binder.bind(rules.createCaptureRule).to(async (context) => ({
    status: 201,
    body: { rule: await createCaptureRule(room, context.caller, context.params.id, context.body, context) },
  }));
  binder.bind(rules.updateCaptureRule).to(async (context) => {
    const { caller, params, body } = context;
    const ids = { projectId: params.id, ruleId: params.ruleId };
    return { status: 200, body: { rule: await updateCaptureRule(room, caller, ids, body, context) } };
  });
  binder.bind(rules.deleteCaptureRule).to(async (context) => {
    const { caller, params } = context;
    await deleteCaptureRule(room, caller, { projectId: params.id, ruleId: params.ruleId }, context);
    return { status: 200, body: { success: true } };
  });
}
