import { lookUpId } from '@culprit/contract/incidents/lookup';
import { readQuery } from '@culprit/contract/search/incident-query';
import { client } from '../api/transport.ts';

/** The incident of an event, trace, request or session; null where there is none, or where the word is a filter. */
export async function incidentOfId(id: string): Promise<string | null> {
  if (readQuery(id).terms[0]?.kind !== 'text') return null;
  const result = await client.call(lookUpId, { query: { id } });
  const match = result.ok ? result.body.matches.find(({ incident_id: incident }) => incident !== null) : null;
  return match?.incident_id ?? null;
}
