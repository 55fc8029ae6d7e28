import * as rules from '@culprit/contract/capture-rules';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createSuggestedRule } from './create-suggested-rule.ts';
import type { BundleReading } from './read-bundle.ts';
import { suggestCaptureRules } from './suggest-capture-rules.ts';

/** Capture rules that a bundle suggests. They need the bundle and the rules, so they live here, downstream of both. */
export function bindSuggestionRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  reading: BundleReading,
): void {
  binder.bind(rules.suggestCaptureRules).to(async ({ caller, params }) => ({
    status: 200,
    body: await suggestCaptureRules(reading, caller, params.id),
  }));
  binder.bind(rules.createSuggestedCaptureRule).to(async (context) => ({
    status: 201,
    body: {
      rule: await createSuggestedRule(reading, context.caller, context.params.id, context.body, context),
    },
  }));
}
