import type { EventType } from '../../events/normalize/event.ts';
import type { CorrelatedEvidence } from './bundle-evidence.ts';

/** A search for the context of an incident: events of these types around the primary one. */
interface ContextLookup {
  relation: CorrelatedEvidence['relation'];
  beforeMs: number;
  afterMs: number;
  types: readonly EventType[];
  /** Only around the failure of a scheduled job: any other exception of a trace has an incident beside it. */
  isOfJobs?: true;
}

/** Events that one lookup considers, the nearest ones. */
export const CONTEXT_CANDIDATES_MAX = 300;

const DAY_MS = 24 * 3_600_000;
const SERVER_TYPES: readonly EventType[] = ['log_event', 'request_event', 'probe_event'];
const BROWSER_TYPES: readonly EventType[] = ['frontend_breadcrumb', 'frontend_exception'];

/** Windows and types by relation (docs/contract/incidents.md 3.3); an event counts under the first that finds it. */
export const CONTEXT_LOOKUPS: readonly ContextLookup[] = [
  { relation: 'trace', beforeMs: DAY_MS, afterMs: DAY_MS, types: [...SERVER_TYPES, ...BROWSER_TYPES] },
  {
    relation: 'trace',
    beforeMs: DAY_MS,
    afterMs: DAY_MS,
    types: ['backend_exception'],
    isOfJobs: true,
  },
  { relation: 'request', beforeMs: DAY_MS, afterMs: DAY_MS, types: SERVER_TYPES },
  {
    relation: 'session',
    beforeMs: 5 * 60_000,
    afterMs: 30_000,
    types: [...BROWSER_TYPES, 'request_event'],
  },
  // A page reports a failure of its server by its digest, some seconds later.
  { relation: 'joined', beforeMs: 60_000, afterMs: 5 * 60_000, types: ['frontend_exception'] },
  // Only where neither event names a trace or a request.
  { relation: 'time', beforeMs: 30_000, afterMs: 5_000, types: ['log_event', 'probe_event'] },
];

/** Types of events that some document shows, by the id through which they are found. */
export const CONTEXT_TYPES = {
  trace: typesFoundBy('trace'),
  request: typesFoundBy('request'),
  session: typesFoundBy('session'),
};

/** Exceptions of a trace are shown only beside the failure of a scheduled job. */
function typesFoundBy(relation: ContextLookup['relation']): ReadonlySet<EventType> {
  return new Set(
    CONTEXT_LOOKUPS.filter((lookup) => lookup.relation === relation && lookup.isOfJobs !== true).flatMap(
      ({ types }) => types,
    ),
  );
}
