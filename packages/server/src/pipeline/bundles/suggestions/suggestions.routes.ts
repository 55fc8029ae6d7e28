import * as rules from '@culprit/contract/capture/capture-rules';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { checkSuggestedRule, createSuggestedRule } from './create-suggested-rule.ts';
import { suggestCaptureRules } from './suggest-capture-rules.ts';

/**
 * Binds the filters that a bundle suggests. They need the bundle and the rules, so they are here, downstream of both.
 */
export function bindSuggestionRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(rules.suggestCaptureRules).answers(({ access }) => suggestCaptureRules(runtime, access));
  binder
    .bind(rules.createSuggestedCaptureRule)
    .checked((request) => checkSuggestedRule(runtime, request))
    .answers((request) => createSuggestedRule(runtime, request));
}
