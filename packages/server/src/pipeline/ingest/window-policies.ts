import { type ResolvedCapturePolicy, resolveCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { planOfCapture } from '../../capture/plan-of-capture.ts';
import { type PlanSettings, planOverride } from '../../workspace/billing/plan.ts';
import type { Admission } from './ingest.queries.ts';

const POLICIES_MAX = 1000;

/** The facts of an admission that decide about its policy. */
type PolicyFacts = Pick<Admission, 'plan' | 'capturePreset' | 'captureOverrides'>;

/** The capture policy that an admission names. Equal ones are resolved once, whichever projects have them. */
export function createPolicies(plans: PlanSettings): (admission: PolicyFacts) => ResolvedCapturePolicy {
  const policies = new Map<string, ResolvedCapturePolicy>();
  return (admission) => {
    const key = `${admission.plan} ${admission.capturePreset} ${admission.captureOverrides}`;
    let policy = policies.get(key);
    if (policy === undefined) {
      policy = resolveCapturePolicy({
        preset: admission.capturePreset,
        overrides: JSON.parse(admission.captureOverrides),
        plan: planOfCapture(plans, admission.plan),
      });
      if (policies.size >= POLICIES_MAX) policies.clear();
      policies.set(key, policy);
    }
    return policy;
  };
}

/** The same for keys, whose plan may be one of the configuration. */
export function createKeyPolicies(plans: PlanSettings): (key: PolicyFacts) => ResolvedCapturePolicy {
  const policyOf = createPolicies(plans);
  return (key) => policyOf({ ...key, plan: planOverride(plans) ?? key.plan });
}
