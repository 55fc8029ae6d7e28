import type { Incident } from '@culprit/contract/incidents/incidents';

/** The listed incident of a reference of docs/contract/command-line.md 2.7. */
type FoundIncident = { incident: Incident } | { incident: null; why: 'none' | 'several' };

/** The least number of characters of an id's end that can identify it. */
const END_CHARS_MIN = 6;

/**
 * An id (of the incident or its bundle, with or without prefix), the end of one, `latest`, or the row of the list.
 * @param incidents in the order of the list
 */
export function findIncident(reference: string, incidents: readonly Incident[]): FoundIncident {
  const text = reference.startsWith('local:') ? reference.slice('local:'.length) : reference;
  if (text === 'latest' || text === '@latest') {
    return found(incidents.filter(({ status }) => status !== 'resolved').slice(0, 1));
  }
  const [, row] = /^@(\d{1,3})$/.exec(text) ?? [];
  if (row !== undefined) return found(incidents.slice(Number(row) - 1, Number(row)));
  const uuid = text.replace(/^(?:inc|bun)_/, '').toLowerCase();
  const exact = incidents.filter((each) => each.incident_id === `inc_${uuid}`);
  if (exact.length > 0 || uuid.length < END_CHARS_MIN) return found(exact);
  return found(incidents.filter((each) => each.incident_id.endsWith(uuid)));
}

function found(matches: readonly Incident[]): FoundIncident {
  const [first, second] = matches;
  if (first === undefined) return { incident: null, why: 'none' };
  return second === undefined ? { incident: first } : { incident: null, why: 'several' };
}
