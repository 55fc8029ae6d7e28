import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { type BundleReading, readBundle } from './read-bundle.ts';
import { type SuggestedRule, suggestedRules } from './suggested-rules.ts';
import { readSuggestionEvidence, type SuggestionIncident } from './suggestion-evidence.ts';
import { findSuggestionIncident } from './suggestions.queries.ts';

/**
 * The incident of a path, if the member has a place at it.
 * @throws Problem `incident_not_found`
 */
export async function requireSuggestionIncident(
  { database }: BundleReading,
  member: Member,
  id: string,
): Promise<SuggestionIncident> {
  const incidentId = parseId(['inc', 'bun'], id);
  const incident =
    incidentId === null ? null : await findSuggestionIncident(database, member.userId, incidentId);
  if (incident === null) throw new Problem('incident_not_found');
  return incident;
}

/** What fits the stored bundle, or why there is none. */
export async function readSuggestions(
  reading: BundleReading,
  incident: SuggestionIncident,
): Promise<SuggestedRule[] | { status: 'pending' | 'failed'; reason: string | null }> {
  const bundle = await readBundle(reading, parseId(['inc'], incident.incidentId) ?? '');
  if (bundle.kind === 'pending') return { status: 'pending', reason: null };
  if (bundle.kind === 'failed') return { status: 'failed', reason: bundle.reason };
  const evidence = readSuggestionEvidence(bundle.bytes, incident);
  return evidence === null ? { status: 'failed', reason: 'artifact_unreadable' } : suggestedRules(evidence);
}
