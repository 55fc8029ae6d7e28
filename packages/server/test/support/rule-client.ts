import type { CaptureRule } from '@culprit/contract/capture/capture';
import type { CapturePolicyPatch } from '@culprit/contract/capture/capture-policy';
import { updateCapturePolicy } from '@culprit/contract/capture/capture-policy';
import type { CaptureRulePatch, NewCaptureRule } from '@culprit/contract/capture/capture-rules';
import * as rules from '@culprit/contract/capture/capture-rules';
import { createClient } from '@culprit/contract/endpoints/client';
import type { TestProject } from './culprit.ts';
import { eventually } from './eventually.ts';
import { expectOk } from './expect-ok.ts';

/** What the owner of a project does with its rules, over HTTP. Everything throws unless it succeeds. */
export interface RuleClient {
  create(rule: Partial<NewCaptureRule> & Pick<NewCaptureRule, 'matcher'>): Promise<CaptureRule>;
  update(ruleId: string, patch: CaptureRulePatch): Promise<CaptureRule>;
  delete(ruleId: string): Promise<void>;
  list(): Promise<CaptureRule[]>;
  read(ruleId: string): Promise<CaptureRule>;
  /** Waits until that many matches are counted. */
  hits(ruleId: string, count: number): Promise<CaptureRule>;
  patchPolicy(patch: CapturePolicyPatch): Promise<void>;
}

/** A client of the process at an address; rules drop unless told otherwise. */
export function ruleClient(url: string, project: TestProject): RuleClient {
  const api = createClient({ baseUrl: url, token: project.memberToken });
  const id = project.projectId;

  async function list(): Promise<CaptureRule[]> {
    const call = await api.call(rules.listCaptureRules, { params: { id }, query: { limit: 100 } });
    return expectOk(call).capture_rules;
  }

  async function read(ruleId: string): Promise<CaptureRule> {
    const rule = (await list()).find((each) => each.id === ruleId);
    if (rule === undefined) throw new Error('the rule is gone');
    return rule;
  }

  return {
    list,
    read,
    async create(rule) {
      const body = { name: 'rule', action: 'drop' as const, ...rule };
      return expectOk(await api.call(rules.createCaptureRule, { params: { id }, body })).rule;
    },
    async update(ruleId, body) {
      return expectOk(await api.call(rules.updateCaptureRule, { params: { id, ruleId }, body })).rule;
    },
    async delete(ruleId) {
      expectOk(await api.call(rules.deleteCaptureRule, { params: { id, ruleId } }));
    },
    hits: (ruleId, count) =>
      eventually(async () => {
        const rule = await read(ruleId);
        if (rule.hit_count !== count) throw new Error(`${rule.hit_count} matches are counted, not ${count}`);
        return rule;
      }),
    async patchPolicy(body) {
      expectOk(await api.call(updateCapturePolicy, { params: { id }, body }));
    },
  };
}
