import type { CapturePolicy } from '@culprit/contract/capture/capture';
import { evaluateCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import type { EventFacts } from '@culprit/evidence/events/normalize/event-facts';

/** The outcome of an event under a policy: it is filtered, or kept as one of the classes. */
export type EventFate = 'filtered' | 'incident' | 'context' | 'operational';

export const FATE_WORDS: Readonly<Record<EventFate, string>> = {
  incident: 'incident',
  context: 'context',
  operational: 'separate',
  filtered: 'filtered',
};

export interface MatrixRow {
  label: string;
  before: EventFate;
  after: EventFate;
}

type Sample = Pick<EventFacts, 'eventType'> & Partial<Pick<EventFacts, 'logRank' | 'isCaptured' | 'request'>>;

/** Returns the outcome of one kind of event, by the very decision of the server (docs/contract/ingestion.md 4.3). */
function fateOf(policy: CapturePolicy, sample: Sample): EventFate {
  const verdict = evaluateCapturePolicy(policy, { ...NOTHING, ...sample });
  if (!verdict.accepted) return 'filtered';
  if (verdict.eventClass === 'incident_signal') return 'incident';
  return verdict.eventClass === 'context_signal' ? 'context' : 'operational';
}

const NOTHING: EventFacts = {
  eventType: 'log_event',
  dialect: 'wire',
  eventId: null,
  serviceName: '',
  environment: '',
  logRank: null,
  isCaptured: false,
  request: null,
  projectToken: null,
};

/** The events of docs/contract/ingestion.md 4.3 that are not distinguished by a status. */
const KINDS: readonly [label: string, sample: Sample][] = [
  ['Exception', { eventType: 'backend_exception' }],
  ['Log error, critical, fatal', { eventType: 'log_event', logRank: 3 }],
  ['Log warning', { eventType: 'log_event', logRank: 2 }],
  ['Log info', { eventType: 'log_event', logRank: 1 }],
  ['Log debug', { eventType: 'log_event', logRank: 0 }],
  ['Reported message, warning', { eventType: 'log_event', logRank: 2, isCaptured: true }],
  ['Reported message, info', { eventType: 'log_event', logRank: 1, isCaptured: true }],
];
const OTHER_KINDS: readonly [label: string, sample: Sample][] = [
  ['Standalone breadcrumb', { eventType: 'frontend_breadcrumb' }],
  ['Standalone probe result', { eventType: 'probe_event' }],
  ['Deploy', { eventType: 'deploy_metadata' }],
  ['Suppressed errors', { eventType: 'error_suppressed' }],
];

/** The placeholder for every 4xx that is not named. */
const OTHER_CLIENT_ERROR = 0;
const STATUS_GROUPS: readonly (readonly number[])[] = [
  [408, 423, 424, 425, 429],
  [409],
  [401, 403, 422],
  [400, 404, OTHER_CLIENT_ERROR],
];
/** A path that no rule names. */
const ANY_PATH = '/\u0000';

/** Returns the outcome of each kind of event, now and after saving. */
export function captureMatrix(before: CapturePolicy, after: CapturePolicy): MatrixRow[] {
  const rowOf = (label: string, sample: Sample): MatrixRow => ({
    label,
    before: fateOf(before, sample),
    after: fateOf(after, sample),
  });
  const request = (label: string, status: number, path = ANY_PATH, method = 'GET') =>
    rowOf(label, { eventType: 'request_event', request: { method, path, status } });
  return [
    ...KINDS.map(([label, sample]) => rowOf(label, sample)),
    request('Request 5xx', 500),
    ...clientErrorRows(before, after, (status) => request('', status)),
    ...pathRules(before, after).map(({ status_code: status, path_pattern: path, methods }) =>
      request(
        `Request ${status} ${methods.length === 0 ? 'to' : methods.join(', ')} ${path}`,
        status,
        path.replace(/\*$/, 'x'),
        methods[0] ?? 'GET',
      ),
    ),
    request('Request below 400', 200),
    ...OTHER_KINDS.map(([label, sample]) => rowOf(label, sample)),
  ];
}

/** The 4xx statuses, those together that end alike. */
function clientErrorRows(
  before: CapturePolicy,
  after: CapturePolicy,
  rowOf: (status: number) => MatrixRow,
): MatrixRow[] {
  const listed = [...before.immediate_client_error_statuses, ...after.immediate_client_error_statuses];
  const known = new Set(STATUS_GROUPS.flat());
  const extra = [...new Set(listed)].filter((status) => !known.has(status)).sort((a, b) => a - b);
  const unlisted = unlistedStatus(new Set([...listed, ...known]));
  const groups = STATUS_GROUPS.map((group) =>
    group.includes(OTHER_CLIENT_ERROR) ? [...extra, ...group] : group,
  );
  return groups.flatMap((group) => {
    const rows = group.map((status) => ({
      name: status === OTHER_CLIENT_ERROR ? 'other 4xx' : String(status),
      ...rowOf(status === OTHER_CLIENT_ERROR ? unlisted : status),
    }));
    const alike = new Map<string, typeof rows>();
    for (const row of rows) {
      const key = `${row.before} ${row.after}`;
      alike.set(key, [...(alike.get(key) ?? []), row]);
    }
    return [...alike.values()].flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const label = `Request ${same.map(({ name }) => name).join(', ')}`;
      return [{ label, before: first.before, after: first.after }];
    });
  });
}

function unlistedStatus(listed: ReadonlySet<number>): number {
  for (let status = 499; status >= 400; status -= 1) if (!listed.has(status)) return status;
  return 499;
}

type PathRule = CapturePolicy['immediate_client_error_path_rules'][number];

function pathRules(before: CapturePolicy, after: CapturePolicy): PathRule[] {
  const all = [...before.immediate_client_error_path_rules, ...after.immediate_client_error_path_rules];
  const seen = new Set<string>();
  return all.filter((rule) => {
    const key = JSON.stringify(rule);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}
