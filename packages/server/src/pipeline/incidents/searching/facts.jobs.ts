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

/**
 * Facts as a job holds them. The database reads and writes each element of JSON by itself, so a text is there once, and the
 * tags of an incident are one text: for each its key and its value as places in `texts`, its count, the milliseconds from
 * `fromMs` to the first time, and those from there to the last.
 */
export function storedFacts(incidents: readonly IncidentFacts[]): Record<string, unknown> {
  const places = new Map<string, number>();
  const placeOf = (text: string) => {
    let place = places.get(text);
    if (place === undefined) {
      place = places.size;
      places.set(text, place);
    }
    return place;
  };
  let fromMs = Number.MAX_SAFE_INTEGER;
  for (const { tags } of incidents) for (const [, , , firstMs] of tags) fromMs = Math.min(fromMs, firstMs);
  const stored = incidents.map(({ incidentId, messages, tags }) => ({
    incidentId,
    messages,
    tags: tags
      .map(
        ([key, value, count, firstMs, lastMs]) =>
          `${placeOf(key)} ${placeOf(value)} ${count} ${firstMs - fromMs} ${lastMs - firstMs}`,
      )
      .join(' '),
  }));
  return { texts: [...places.keys()], fromMs, incidents: stored };
}

/** The facts a job holds; a row that was not written by this program is an error. */
export function readFacts(payload: Record<string, unknown>): IncidentFacts[] {
  const { texts, fromMs, incidents } = payload;
  if (!Array.isArray(texts) || typeof fromMs !== 'number' || !Array.isArray(incidents)) {
    throw new Error('unreadable facts of incidents');
  }
  return incidents.map(({ incidentId, messages, tags: stored }) => {
    const numbers = String(stored).split(' ').map(Number);
    const tags: TagCount[] = [];
    for (let n = 0; n + 4 < numbers.length; n += 5) {
      const firstMs = fromMs + (numbers[n + 3] ?? 0);
      const lastMs = firstMs + (numbers[n + 4] ?? 0);
      tags.push([texts[numbers[n] ?? 0], texts[numbers[n + 1] ?? 0], numbers[n + 2] ?? 0, firstMs, lastMs]);
    }
    return { incidentId, messages, tags };
  });
}
