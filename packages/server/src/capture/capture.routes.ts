import {
  getCapturePolicy as getPolicyEndpoint,
  updateCapturePolicy as updatePolicyEndpoint,
} from '@culprit/contract/capture/capture-policy';
import * as rules from '@culprit/contract/capture/capture-rules';
import type { Binder } from '../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { checkNewRule, createCaptureRule } from './create-capture-rule.ts';
import { deleteCaptureRule } from './delete-capture-rule.ts';
import { getCapturePolicy } from './get-capture-policy.ts';
import { checkRulesPage, listCaptureRules } from './list-capture-rules.ts';
import { updateCapturePolicy } from './update-capture-policy.ts';
import { updateCaptureRule } from './update-capture-rule.ts';

/** Which events a project takes: its capture policy and its rules. */
export function bindCaptureRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(getPolicyEndpoint).answers(({ access }) => getCapturePolicy(runtime, access));
  binder.bind(updatePolicyEndpoint).answers((request) => updateCapturePolicy(runtime, request));
  binder
    .bind(rules.listCaptureRules)
    .checked(checkRulesPage)
    .answers((request) => listCaptureRules(runtime, request));
  binder
    .bind(rules.createCaptureRule)
    .checked((request) => checkNewRule(runtime, request))
    .answers((request) => createCaptureRule(runtime, request));
  binder.bind(rules.updateCaptureRule).answers((request) => updateCaptureRule(runtime, request));
  binder.bind(rules.deleteCaptureRule).to(async (request) => {
    await deleteCaptureRule(runtime, request);
    return { status: 200, body: { success: true } };
  });
}
