/** FNV-1a, 32 bit. */
const OFFSET_BASIS = 2_166_136_261;
const PRIME = 16_777_619;
const RANGE = 4_294_967_296;

/**
 * The sampling number of docs/contract/ingestion.md 5.3 for events of one project under one rule: the same event id
 * gives the same number here, in every process and in every client library. Between 0 and 1, 1 excluded.
 * @param projectId as in the API, `proj_` and a UUID
 */
export function samplingNumbers(projectId: string, ruleId: string): (eventId: string) => number {
  const start = hashOn(OFFSET_BASIS, `${projectId}:${ruleId}:`);
  return (eventId) => (hashOn(start, eventId) >>> 0) / RANGE;
}

/** Continues a hash over the UTF-16 code units of a text; it can be negative, as a signed number of 32 bits. */
function hashOn(start: number, text: string): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  }
  return hash;
}
