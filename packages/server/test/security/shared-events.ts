import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { DEP, EX, EXR, FRONTEND, LOG, named, type SentEvent } from '../conformance/incidents-fixtures.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/**
 * A batch of events whose ids, groupings, traces, users and services are the same for whoever sends it: what could bring
 * two tenants together. Only the mark tells them apart, and it stands wherever an application can write.
 */
export function sharedEvents(random: SeededRandom, mark: string): JsonObject[] {
  return Array.from({ length: random.integer(1, 4) }, () => toJson(marked(random, mark)));
}

function marked(random: SeededRandom, mark: string): SentEvent {
  const number = random.integer(1, 6);
  const correlation = {
    trace_id: `trace-${number}`,
    request_id: `request-${number}`,
    session_id: `session-${number}`,
    user_id_hash: `user-${number}`,
  };
  const change = {
    correlation,
    context: { mark },
    ...(random.chance(0.5) ? { event_id: `evt_shared_${random.integer(1, 200)}` } : {}),
  };
  return random.pick<() => SentEvent>([
    () => EX({ ...change, payload: { breadcrumbs: [{ type: 'log', message: mark }] } }),
    () => EXR(change, { body: { note: mark }, query: { q: mark } }, { body: { answer: mark } }),
    () => named(`Shared${number}`, change),
    () => FRONTEND({ ...change, payload: { route: `/${mark}` } }),
    () => LOG(random.pick(['info', 'warning', 'error']), `${mark} wrote this`, change),
    () => DEP({ payload: { branch: mark } }),
  ])();
}

function toJson(event: SentEvent): JsonObject {
  return JSON.parse(JSON.stringify(event));
}
