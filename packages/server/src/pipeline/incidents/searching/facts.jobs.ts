/** The lane in which tags are added up and search documents kept. */
export const FACTS_LANE = 'facts';

/** Job kind: the tags and messages of one processing transaction. */
export const TAKE_FACTS = 'incidents.take-facts';

/** Jobs that share a transaction. */
export const FACTS_JOBS_MAX = 32;

/** The number of times that a tag has a value, with the first and last time. */
export type TagCount = [key: string, value: string, count: number, firstMs: number, lastMs: number];

/** The facts that one transaction counted of an incident. */
export interface IncidentFacts {
  incidentId: string;
  /** In lower case, the oldest first. */
  messages: string[];
  tags: TagCount[];
}

/** The facts a job holds; a row that was not written by this program is an error. */
export function readFacts(payload: Record<string, unknown>): IncidentFacts[] {
  const { incidents } = payload;
  if (!Array.isArray(incidents)) throw new Error('unreadable facts of incidents');
  return incidents;
}
