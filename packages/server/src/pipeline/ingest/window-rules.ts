import type { ResolvedCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { createRuleCache, type ProjectRules } from '../../capture/rule-cache.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { createLoopYield } from '../../platform/loop-yield.ts';
import { decideByRules, type RuleDecisions } from './decide-by-rules.ts';
import {
  areSameStackRules,
  type FingerprintDemand,
  type FingerprintsNeeded,
  senderOf,
  type WindowRequest,
} from './fingerprint-join.ts';
import type { Admission } from './ingest.queries.ts';

/** The filters of the projects of one window; mostly none has any. */
export interface WindowRules {
  /**
   * Returns the decisions of the rules about the events of an admitted request; null if there are none, and then
   * immediately.
   */
  decide(
    request: WindowRequest,
    admission: Admission,
  ): null | Promise<RuleDecisions | FingerprintsNeeded | null>;
}

/** Reads the rules that the admissions of a window name, from memory where their version is there. */
export function createWindowRules(options: {
  database: Queryable;
  policyOf: (admission: Admission) => ResolvedCapturePolicy;
  demand: FingerprintDemand;
}): { load(admissions: readonly Admission[]): Promise<WindowRules> } {
  const { database, policyOf, demand } = options;
  const cache = createRuleCache(database);

  async function decide(
    request: WindowRequest,
    admission: Admission,
    { capture: rules, stack }: ProjectRules,
  ): Promise<RuleDecisions | FingerprintsNeeded | null> {
    const { content, fingerprints } = request;
    if ('problem' in content || content.shapeValidCount === 0) return null;
    const { receivedAtMs: nowMs, eventsTaken } = admission;
    if (!rules.needsFingerprints(nowMs)) demand.delete(senderOf(request));
    else if (fingerprints === null || !areSameStackRules(fingerprints.stackRules, stack)) {
      return { needsFingerprints: admission, stackRules: stack };
    }
    const policy = policyOf(admission);
    return await decideByRules(
      content,
      { policy, rules, nowMs, fingerprints: fingerprints?.values ?? null, eventsTaken },
      createLoopYield(),
    );
  }

  return {
    async load(admissions) {
      const versions = versionsIn(admissions);
      const loaded = versions.size === 0 ? null : await cache.load(versions);
      return {
        decide(request, admission) {
          if (admission.verdict !== 'admitted') return null;
          const rules = loaded?.get(admission.projectId);
          if (rules !== undefined) return decide(request, admission, rules);
          if (demand.size > 0) demand.delete(senderOf(request));
          return null;
        },
      };
    },
  };
}

function versionsIn(admissions: readonly Admission[]): Map<string, number> {
  const versions = new Map<string, number>();
  for (const { verdict, projectId, captureVersion } of admissions) {
    if (verdict === 'admitted' && captureVersion > 0) versions.set(projectId, captureVersion);
  }
  return versions;
}
