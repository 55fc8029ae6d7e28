import { Problem } from '../../../platform/http/binding/problem.ts';
import { parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { readBundle } from '../document/read-bundle.ts';
import { type SuggestedRule, suggestedRules } from './suggested-rules.ts';
import { readSuggestionEvidence, type SuggestionIncident } from './suggestion-evidence.ts';
import { findSuggestionIncident } from './suggestions.queries.ts';

/**
 * Returns the facts of an incident that suggestions need besides its bundle. @throws Problem `incident_not_found` when
 * it was deleted
 */
export async function getSuggestionIncident(
  { database }: Runtime,
  { recordId }: RecordAccess,
): Promise<SuggestionIncident> {
  const incident = await findSuggestionIncident(database, recordId);
  if (incident === null) throw new Problem('incident_not_found');
  return incident;
}

/** Returns the suggestions for the stored bundle, or the reason why there is none. */
export async function readSuggestions(
  runtime: Runtime,
  incident: SuggestionIncident,
): Promise<SuggestedRule[] | { status: 'pending' | 'failed'; reason: string | null }> {
  const bundle = await readBundle(runtime, parseId(['inc'], incident.incidentId) ?? '');
  if (bundle.kind === 'pending') return { status: 'pending', reason: null };
  if (bundle.kind === 'failed') return { status: 'failed', reason: bundle.reason };
  const evidence = readSuggestionEvidence(bundle.bytes, incident);
  return evidence === null ? { status: 'failed', reason: 'artifact_unreadable' } : suggestedRules(evidence);
}
