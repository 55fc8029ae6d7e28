import type { Plan } from '../../src/workspace/billing/plan.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/**
 * What must become of random events, told without the service's code: the outcome matrix of docs/contract/ingestion.md
 * 4.3, the windows of 3.7, the identities of 3.8, the billing of 4.1 and the grouping of events that differ plainly.
 */

export type Preset = 'minimal' | 'balanced' | 'investigative';
type Outcome = 'incident' | 'context' | 'operational' | 'refused';

/** An event with what it must lead to. */
export interface ModelEvent {
  body: unknown;
  /** The client's id; null when the server makes one. */
  eventId: string | null;
  /** Why its shape is refused; null when it is sound. */
  fault: string | null;
  kind: EventKind;
  /** Title of the incident it would belong to; null when it opens none. */
  title: string | null;
}

export interface ModelProject {
  plan: Plan;
  preset: Preset;
  /** Ids of accepted events. */
  seen: Set<string>;
  /** Events that count: each id once. */
  processed: number;
  billed: number;
  occurrences: Map<string, number>;
}

export interface ModelToken {
  project: ModelProject;
  limit: number;
  windowStartMs: number | null;
  requests: number;
  events: number;
  fates: {
    submitted: number;
    invalid: number;
    refused_by_policy: number;
    rate_limited: number;
    accepted: number;
  };
}

type EventKind = keyof typeof OUTCOMES;

/** One line of the matrix of docs/contract/ingestion.md 4.3 each: minimal, balanced, investigative. */
const OUTCOMES = {
  exception: ['incident', 'incident', 'incident'],
  errorLog: ['incident', 'incident', 'incident'],
  warningLog: ['refused', 'context', 'context'],
  infoLog: ['refused', 'refused', 'context'],
  debugLog: ['refused', 'refused', 'refused'],
  failedRequest: ['incident', 'incident', 'incident'],
  limitedRequest: ['refused', 'incident', 'incident'],
  conflictRequest: ['refused', 'refused', 'incident'],
  missingRequest: ['refused', 'refused', 'context'],
  goodRequest: ['refused', 'refused', 'context'],
  breadcrumb: ['refused', 'refused', 'context'],
  probe: ['refused', 'refused', 'operational'],
  deploy: ['context', 'context', 'context'],
  suppressed: ['operational', 'operational', 'operational'],
} as const satisfies Record<string, readonly [Outcome, Outcome, Outcome]>;
const PRESETS: readonly Preset[] = ['minimal', 'balanced', 'investigative'];
const EVENT_KINDS = Object.keys(OUTCOMES) as EventKind[];

const WORDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'] as const;
const WINDOW_MS = 60_000;

export function createModelProject(plan: Plan, preset: Preset): ModelProject {
  return { plan, preset, seen: new Set(), processed: 0, billed: 0, occurrences: new Map() };
}

export function createModelToken(project: ModelProject, limit: number): ModelToken {
  const fates = { submitted: 0, invalid: 0, refused_by_policy: 0, rate_limited: 0, accepted: 0 };
  return { project, limit, windowStartMs: null, requests: 0, events: 0, fates };
}

/** The answer a batch must get, with the model moved on as if it was sent. */
export function expectBatch(
  token: ModelToken,
  batch: readonly ModelEvent[],
  nowMs: number,
): { status: 202; accepted: number; errors: { index: number; reason: string }[] } | { status: 429 } {
  if (token.windowStartMs === null || nowMs >= token.windowStartMs + WINDOW_MS) {
    Object.assign(token, { windowStartMs: nowMs, requests: 0, events: 0 });
  }
  const shapeValid = batch.filter((event) => event.fault === null).length;
  // A batch that a whole window could take is never taken in part.
  const fitsLater = shapeValid <= token.limit && token.events + shapeValid > token.limit;
  if (token.requests >= token.limit || token.events >= token.limit || fitsLater) return { status: 429 };
  token.requests += 1;
  token.fates.submitted += batch.length;
  const errors: { index: number; reason: string }[] = [];
  batch.forEach((event, index) => {
    const reason = refusal(token, event);
    if (reason === null) accept(token, event);
    else errors.push({ index, reason });
  });
  return { status: 202, accepted: batch.length - errors.length, errors };
}

function refusal(token: ModelToken, event: ModelEvent): string | null {
  if (event.fault !== null) {
    token.fates.invalid += 1;
    return event.fault;
  }
  if (token.events >= token.limit) {
    token.fates.rate_limited += 1;
    return 'rate_limited';
  }
  token.events += 1;
  if (outcomeOf(token.project, event) !== 'refused') return null;
  token.fates.refused_by_policy += 1;
  return 'capture_policy_rejected';
}

function accept(token: ModelToken, event: ModelEvent): void {
  const { project } = token;
  token.fates.accepted += 1;
  if (event.eventId !== null) {
    if (project.seen.has(event.eventId)) return;
    project.seen.add(event.eventId);
  }
  project.processed += 1;
  const outcome = outcomeOf(project, event);
  if (outcome === 'incident' || (outcome === 'context' && project.plan !== 'free')) project.billed += 1;
  if (outcome !== 'incident' || event.title === null) return;
  project.occurrences.set(event.title, (project.occurrences.get(event.title) ?? 0) + 1);
}

function outcomeOf({ plan, preset }: ModelProject, { kind }: ModelEvent): Outcome {
  if (kind === 'probe' && plan === 'free') return 'refused';
  const outcome = OUTCOMES[kind][PRESETS.indexOf(preset)];
  if (outcome === undefined) throw new Error(`no preset ${preset}`);
  return outcome;
}

/** Makes a random event: sound or not, with an id, without one, or the repetition of an earlier one. */
export function randomEvent(random: SeededRandom, earlier: ModelEvent[], newId: () => string): ModelEvent {
  if (earlier.length > 0 && random.chance(0.25)) return random.pick(earlier);
  const sound = soundEvent(random, newId);
  if (!random.chance(0.15)) {
    if (sound.eventId !== null) earlier.push(sound);
    return sound;
  }
  const { fault, body } = random.pick(FAULTS)(sound.body as object);
  return { ...sound, fault, body };
}

const FAULTS: readonly ((event: object) => { fault: string; body: unknown })[] = [
  () => ({ fault: 'invalid_event', body: 7 }),
  () => ({ fault: 'invalid_event', body: null }),
  (event) => ({ fault: 'Invalid event_type: exception', body: { ...event, event_type: 'exception' } }),
  (event) => ({
    fault: 'invalid_event: missing field "service"',
    body: Object.fromEntries(Object.entries(event).filter(([key]) => key !== 'service')),
  }),
  (event) => ({
    fault: 'invalid_event: invalid field "timestamp"',
    body: { ...event, timestamp: 'yesterday' },
  }),
  (event) => ({ fault: 'invalid_event: unknown field "colour"', body: { ...event, colour: 'red' } }),
];

function soundEvent(random: SeededRandom, newId: () => string): ModelEvent {
  // Twice as many signals as the rest, so that incidents fill up.
  const kind = random.chance(0.5)
    ? random.pick(['exception', 'errorLog', 'failedRequest'] as const)
    : random.pick(EVENT_KINDS);
  const eventId = random.chance(0.8) ? newId() : null;
  const { eventType, payload, title, service = 'shop' } = describeKind(kind, random);
  return {
    kind,
    eventId,
    fault: null,
    title,
    body: {
      event_type: eventType,
      timestamp: '2026-03-24T10:30:00Z',
      service: { name: service, environment: 'production' },
      ...(eventId === null ? {} : { event_id: eventId }),
      payload,
    },
  };
}

interface Description {
  eventType: string;
  payload: object;
  title: string | null;
  service?: string;
}

function describeKind(kind: EventKind, random: SeededRandom): Description {
  const word = random.pick(WORDS);
  switch (kind) {
    case 'exception':
      return {
        eventType: 'backend_exception',
        title: `${word}Error: ${word} broke`,
        payload: {
          name: `${word}Error`,
          message: `${word} broke`,
          stack: `${word}Error: ${word} broke\n    at ${word} (/app/src/${word}.js:4:2)`,
        },
      };
    case 'errorLog':
      return log(random.pick(['error', 'critical', 'fatal']), `${word} failed`, `${word} failed`);
    case 'warningLog':
      return log(random.pick(['warn', 'warning']), `${word} is slow`, null);
    case 'infoLog':
      return log('info', `${word} started`, null);
    case 'debugLog':
      return log(random.pick(['debug', 'trace']), `${word} details`, null);
    case 'failedRequest':
      return request(word, random.pick([500, 502, 503]));
    case 'limitedRequest':
      return request(word, random.pick([408, 429]));
    case 'conflictRequest':
      return request(word, 409);
    case 'missingRequest':
      return request(word, random.pick([400, 404, 410]));
    case 'goodRequest':
      return request(word, random.pick([0, 200, 304]));
    case 'breadcrumb':
      return {
        eventType: 'frontend_breadcrumb',
        title: null,
        payload: { breadcrumb_type: 'click', data: { selector: word } },
      };
    case 'probe':
      return { eventType: 'probe_event', title: null, payload: { label: word, data: { active: 1 } } };
    case 'deploy':
      return { eventType: 'deploy_metadata', title: null, payload: { version: `1-${word}` } };
    case 'suppressed':
      // A service of its own without incidents, so that the summary belongs to none.
      return {
        eventType: 'error_suppressed',
        title: null,
        service: 'storm',
        payload: { suppressed_count: random.integer(1, 50) },
      };
  }
}

function log(level: string, message: string, title: string | null): Description {
  return { eventType: 'log_event', title, payload: { level, message } };
}

function request(word: string, status: number): Description {
  return {
    eventType: 'request_event',
    title: `GET /${word} returned ${status}`,
    payload: { method: 'GET', path: `/${word}`, response_status: status },
  };
}
