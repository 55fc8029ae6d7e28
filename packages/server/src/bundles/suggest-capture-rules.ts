import type { CaptureRuleSuggestion } from '@culprit/contract/capture-rules';
import { findSuggestedRules } from '../capture/capture.queries.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { BundleReading } from './read-bundle.ts';
import { readSuggestions, requireSuggestionIncident } from './read-suggestions.ts';

/** The answer of ingestion.md 5.5. */
export interface SuggestionAnswer {
  suggestions: CaptureRuleSuggestion[];
  bundle_status: 'ready' | 'pending' | 'failed';
  bundle_reason: string | null;
}

/**
 * Rules that would keep events like those of an incident away.
 * @throws Problem `incident_not_found`, `shared_access_suspended`
 */
export async function suggestCaptureRules(
  reading: BundleReading,
  member: Member,
  id: string,
): Promise<SuggestionAnswer> {
  const { database, plans } = reading;
  const incident = await requireSuggestionIncident(reading, member, id);
  await requireProject(database, plans, member.userId, incident.projectId);
  const fitting = await readSuggestions(reading, incident);
  if (!Array.isArray(fitting)) {
    return { suggestions: [], bundle_status: fitting.status, bundle_reason: fitting.reason };
  }
  const made = await findSuggestedRules(database, incident.projectId, incident.incidentId);
  const suggestions = fitting.map((suggestion): CaptureRuleSuggestion => {
    const rule = made.find((each) => each.suggestion_id === suggestion.suggestion_id);
    const { rule: body, ...described } = suggestion;
    return {
      ...described,
      created_rule_id: rule?.rule_id ?? null,
      created_rule_enabled: rule?.is_enabled ?? null,
      rule: body,
    };
  });
  return { suggestions, bundle_status: 'ready', bundle_reason: null };
}
