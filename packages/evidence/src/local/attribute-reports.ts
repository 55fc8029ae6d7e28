import { suppressesOnlyExceptions } from '../events/fingerprint/client-fingerprint.ts';
import type { NormalizedEvent } from '../events/normalize/event.ts';
import { eventIdKey } from '../events/redact/event-id-key.ts';
import type { JudgedEvent } from '../incidents/judge-event.ts';
import { chooseReportKeys, countedPayload, reportKeyText } from '../incidents/suppressed-report.ts';
import { countedSpan, type SuppressedSpan, suppressedSearches } from '../incidents/suppressed-span.ts';
import { type CountedSignal, groupingKey, type LocalIncident } from './local-incident.ts';

/** A report of suppressed repeats that belongs to an incident. */
export interface LocalReport {
  event: NormalizedEvent;
  incident: LocalIncident;
  count: number;
  span: SuppressedSpan;
}

/** The signals that are remembered so that reports find their incident (docs/contract/incidents.md 5.10). */
export interface ReportIndex {
  /** Remembers what the events of a file were counted as; incidents are null where none counts the event. */
  addSignals(
    events: readonly { judged: JudgedEvent; serviceId: string; incident: LocalIncident | null }[],
  ): void;
  /**
   * The incidents of the reports among some events; those that belong to none are missing.
   * @param incidents by `groupingKey`
   */
  attribute(
    events: readonly { judged: JudgedEvent; serviceId: string }[],
    incidents: ReadonlyMap<string, LocalIncident>,
  ): LocalReport[];
}

/** Different spans that are searched for one file; reports beyond are not attributed. */
const SEARCHES_MAX = 256;
/** If more incidents were active, the intended one cannot be determined. */
const CONSIDERED_MAX = 1000;
const EARLY_MAX_MS = 10 * 60_000;

export function createReportIndex(): ReportIndex {
  /** By hash of the event's own id: the fingerprint under which it was counted, null where it was not. */
  const fingerprintOfId = new Map<bigint, string | null>();
  const incidentOfKey = new Map<string, LocalIncident>();

  /** Null: the event is known, and no incident counted it; undefined: the report names none that is known. */
  function bySample(
    { event: { payload } }: JudgedEvent,
    serviceId: string,
    incidents: ReadonlyMap<string, LocalIncident>,
  ): LocalIncident | null | undefined {
    if (payload.kind !== 'suppressed' || payload.sampleEventId === null) return undefined;
    const fingerprint = fingerprintOfId.get(eventIdKey(payload.sampleEventId));
    if (fingerprint === undefined || fingerprint === null) return fingerprint;
    return incidents.get(groupingKey(serviceId, fingerprint));
  }

  return {
    addSignals(events) {
      for (const { judged, incident } of events) {
        if (judged.idHash !== null) {
          fingerprintOfId.set(judged.idHash, incident === null ? null : incident.fingerprint.value);
        }
      }
      const counted = new Map(
        events.flatMap(({ incident }) => (incident === null ? [] : [[incident.uuid, incident]])),
      );
      const signals = events.flatMap(({ judged: { clientKeys }, serviceId, incident }) =>
        incident === null ? [] : [{ serviceId, clientKeys, incidentId: incident.uuid }],
      );
      for (const { serviceId, clientKey, incidentId } of chooseReportKeys(signals)) {
        const incident = counted.get(incidentId);
        if (incident !== undefined) incidentOfKey.set(reportKeyText(serviceId, clientKey), incident);
      }
    },

    attribute(events, incidents) {
      const reports = events.flatMap(({ judged, serviceId }) => {
        const payload = countedPayload(judged.event);
        if (payload === null) return [];
        const searches = suppressedSearches(payload, judged.event);
        return { judged, serviceId, payload, searches, sampled: bySample(judged, serviceId, incidents) };
      });
      for (const { judged, serviceId, sampled } of reports) {
        if (sampled === null || sampled === undefined) continue;
        for (const key of judged.clientKeys) incidentOfKey.set(reportKeyText(serviceId, key), sampled);
      }
      const found = new Map<string, LocalIncident[]>();
      return reports.flatMap(({ judged, serviceId, payload, searches, sampled }): LocalReport[] => {
        const { event } = judged;
        if (sampled === null) return [];
        const named = judged.clientKeys
          .map((key) => incidentOfKey.get(reportKeyText(serviceId, key)))
          .find((incident) => incident !== undefined);
        const known = sampled ?? named;
        const count = payload.suppressedCount;
        if (known !== undefined) return [{ event, incident: known, count, span: countedSpan(searches) }];
        for (const search of searches) {
          const text = JSON.stringify([
            serviceId,
            event.sdk.name,
            payload.repeatedType,
            search.fromMs,
            search.toMs,
          ]);
          let matches = found.get(text);
          if (matches === undefined && found.size < SEARCHES_MAX) {
            matches = incidentsIn(incidents, serviceId, search, (signal) =>
              isRepeated(signal, event.sdk.name, payload.repeatedType),
            );
            found.set(text, matches);
          }
          const [first, second] = matches ?? [];
          if (first === undefined) continue;
          return second === undefined ? [{ event, incident: first, count, span: search.counted }] : [];
        }
        return [];
      });
    },
  };
}

/** Incidents of a service with a signal in a span that a report may be about; none where too many were active. */
function incidentsIn(
  incidents: ReadonlyMap<string, LocalIncident>,
  serviceId: string,
  { fromMs, toMs }: SuppressedSpan,
  isMeant: (signal: CountedSignal) => boolean,
): LocalIncident[] {
  const active = [...incidents.values()].filter(({ state }) => state.lastSeenAtMs >= fromMs);
  if (active.length > CONSIDERED_MAX) return [];
  return active.filter(
    (incident) =>
      incident.serviceId === serviceId &&
      incident.state.firstSeenAtMs <= toMs &&
      incident.signals.some(
        (signal) =>
          signal.effectiveAtMs >= fromMs &&
          signal.effectiveAtMs <= toMs &&
          signal.receivedAtMs >= fromMs - EARLY_MAX_MS &&
          isMeant(signal),
      ),
  );
}

function isRepeated(
  signal: CountedSignal,
  library: string,
  repeatedType: CountedSignal['eventType'] | null,
): boolean {
  if (signal.library !== library) return false;
  if (repeatedType !== null && signal.eventType !== repeatedType) return false;
  const isException = signal.eventType === 'backend_exception' || signal.eventType === 'frontend_exception';
  return isException || !suppressesOnlyExceptions(library);
}
