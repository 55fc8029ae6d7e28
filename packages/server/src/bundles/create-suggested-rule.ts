import type { CaptureRule } from '@culprit/contract/capture';
import type { createSuggestedCaptureRule as endpoint } from '@culprit/contract/capture-rules';
import type { BodyOf } from '@culprit/contract/endpoint';
import { findSuggestedRules } from '../capture/capture.queries.ts';
import { newRuleSettings, readExpiry } from '../capture/capture-rule.ts';
import { addRule, requireFutureExpiry } from '../capture/create-capture-rule.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { BundleReading } from './read-bundle.ts';
import { readSuggestions, requireSuggestionIncident } from './read-suggestions.ts';

/**
 * Creates the rule of a suggestion; each suggestion of an incident makes at most one at a time.
 * @throws Problem `invalid_payload`, `incident_not_found`, `forbidden`, `shared_access_suspended`, `bundle_not_ready`,
 * `suggestion_not_found`, `capture_rule_exists`, `capture_rule_limit_reached`
 */
export async function createSuggestedRule(
  reading: BundleReading,
  member: Member,
  id: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<CaptureRule> {
  const { database, plans } = reading;
  const { suggestion_id: suggestionId } = body;
  await requireFutureExpiry(database, readExpiry(body.expires_at ?? null));
  const incident = await requireSuggestionIncident(reading, member, id);
  const { projectId, incidentId } = incident;
  const access = await requireProject(database, plans, member.userId, projectId, 'admin');
  const fitting = await readSuggestions(reading, incident);
  if (!Array.isArray(fitting)) throw new Problem('bundle_not_ready');
  const suggestion = fitting.find((each) => each.suggestion_id === suggestionId);
  if (suggestion === undefined) throw new Problem('suggestion_not_found');
  const { suggestion_id: _id, ...overrides } = body;
  return await addRule(
    { database, member, access, request },
    {
      ...newRuleSettings({ ...suggestion.rule, ...overrides }),
      createdFromIncidentId: incidentId,
      createdFromEventId: suggestion.rule.created_from_event_id ?? null,
      suggestionId,
    },
    async (transaction) => {
      const made = await findSuggestedRules(transaction, projectId, incidentId);
      if (made.some((each) => each.suggestion_id === suggestionId)) throw new Problem('capture_rule_exists');
    },
  );
}
