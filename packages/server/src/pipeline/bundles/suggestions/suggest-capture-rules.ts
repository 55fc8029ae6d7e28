import type { CaptureRuleSuggestion } from '@culprit/contract/capture/capture-rules';
import { findSuggestedRules } from '../../../capture/capture.queries.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { getSuggestionIncident, readSuggestions } from './read-suggestions.ts';

/** The answer of docs/contract/ingestion.md 5.5. */
interface SuggestionAnswer {
  suggestions: CaptureRuleSuggestion[];
  bundle_status: 'ready' | 'pending' | 'failed';
  bundle_reason: string | null;
}

/** Rules that would keep events like those of an incident away. */
export async function suggestCaptureRules(runtime: Runtime, access: RecordAccess): Promise<SuggestionAnswer> {
  const { database } = runtime;
  const incident = await getSuggestionIncident(runtime, access);
  const fitting = await readSuggestions(runtime, incident);
  if (!Array.isArray(fitting)) {
    return { suggestions: [], bundle_status: fitting.status, bundle_reason: fitting.reason };
  }
  const made = await findSuggestedRules(database, access.projectId, incident.incidentId);
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
