import type { CaptureRule } from '@culprit/contract/capture/capture';
import type { createSuggestedCaptureRule as endpoint } from '@culprit/contract/capture/capture-rules';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { newRuleSettings, readExpiry } from '@culprit/evidence/capture/capture-rule';
import { findSuggestedRules } from '../../../capture/capture.queries.ts';
import { addRule, requireFutureExpiry } from '../../../capture/create-capture-rule.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { getSuggestionIncident, readSuggestions } from './read-suggestions.ts';

/** Judges when the rule would end. @throws Problem `invalid_payload` */
export async function checkSuggestedRule(
  { database }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): Promise<void> {
  await requireFutureExpiry(database, readExpiry(body.expires_at ?? null));
}

/**
 * Creates the rule of a suggestion; each suggestion of an incident makes at most one at a time.
 * @throws Problem `bundle_not_ready`, `suggestion_not_found`, `capture_rule_exists`, `capture_rule_limit_reached`
 */
export async function createSuggestedRule(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, void>,
): Promise<CaptureRule> {
  const { access, body, caller } = request;
  const { suggestion_id: suggestionId } = body;
  const incident = await getSuggestionIncident(runtime, access);
  const { incidentId } = incident;
  const fitting = await readSuggestions(runtime, incident);
  if (!Array.isArray(fitting)) throw new Problem('bundle_not_ready');
  const suggestion = fitting.find((each) => each.suggestion_id === suggestionId);
  if (suggestion === undefined) throw new Problem('suggestion_not_found');
  const { suggestion_id: _id, ...overrides } = body;
  return await addRule(
    { database: runtime.database, member: caller, access, request },
    {
      ...newRuleSettings({ ...suggestion.rule, ...overrides }),
      createdFromIncidentId: incidentId,
      createdFromEventId: suggestion.rule.created_from_event_id ?? null,
      suggestionId,
    },
    async (transaction) => {
      const made = await findSuggestedRules(transaction, access.projectId, incidentId);
      if (made.some((each) => each.suggestion_id === suggestionId)) throw new Problem('capture_rule_exists');
    },
  );
}
