import { suppressesOnlyExceptions } from '@culprit/evidence/events/fingerprint/client-fingerprint';
import { eventIdKey } from '@culprit/evidence/events/redact/event-id-key';
import {
  chooseReportKeys,
  countedPayload,
  type ReportKey,
  reportKeyText,
} from '@culprit/evidence/incidents/suppressed-report';
import {
  countedSpan,
  type SuppressedSpan,
  suppressedSearches,
} from '@culprit/evidence/incidents/suppressed-span';
import type { Transaction } from '../../../platform/db/database.ts';
import { eventTypeCode, libraryCode } from '../../stored-events/event-codes.ts';
import type { CountedEvent } from './counted-event.ts';
import type { ServiceEvent } from './hold-groups.ts';
import type { ReportKeyMemory } from './report-key-memory.ts';
import {
  findIncidentsByKey,
  findIncidentsBySpan,
  findIncidentsOfEvents,
  keepSuppressionKeys,
  type SampleEvent,
  type SpanSearch,
} from './suppression.queries.ts';

/** A report of suppressed repeats that belongs to an incident. */
export interface AttributedReport {
  report: ServiceEvent;
  incidentId: string;
  count: number;
  /** The span in which its repeats are counted. */
  span: SuppressedSpan;
}

/** The time for which the keys of a signal are known. */
export const KNOWN_MS = 7 * 24 * 3_600_000;
/** Different spans that are searched in one transaction; reports beyond are not attributed. */
const SEARCHES_MAX = 256;

/** The keys of a claim's signals that have to be written. */
interface NewReportKeys {
  /** The one that the row of an event takes. */
  inRows: ReadonlyMap<ServiceEvent, bigint>;
  /** Those beyond: an event has one for each release of its library. */
  others: readonly ReportKey[];
  all: readonly ReportKey[];
}

/** Returns the keys under which libraries may report repeats of these signals, and pages what they see of them. */
export function newReportKeys(
  incidentOf: ReadonlyMap<ServiceEvent, string>,
  memory: ReportKeyMemory,
  nowMs: number,
): NewReportKeys {
  const signals = [...incidentOf].map(([signal, incidentId]) => {
    const { serviceId, clientKeys, digest, event } = signal;
    return {
      signal,
      serviceId,
      clientKeys:
        digest === null || event.eventType !== 'backend_exception' ? clientKeys : [digest, ...clientKeys],
      incidentId,
    };
  });
  const all = memory.unknown(chooseReportKeys(signals), nowMs);
  const inRows = new Map<ServiceEvent, bigint>();
  const others: ReportKey[] = [];
  for (const key of all) {
    const { signal } = key.signal;
    if (inRows.has(signal)) others.push(key);
    else inRows.set(signal, key.clientKey);
  }
  return { inRows, others, all };
}

/**
 * Finds the incidents of reports in four statements: by the event that a report names as the last one that was sent, else
 * by the key that it names, else by type, service, library and time where exactly one incident qualifies
 * (docs/contract/incidents.md 5.10).
 */
export async function attributeReports(
  transaction: Transaction,
  projectId: string,
  events: readonly ServiceEvent[],
): Promise<AttributedReport[]> {
  const reports = events.flatMap((report) => {
    const { kept } = report.event;
    const payload = kept === null ? null : countedPayload(kept);
    return kept === null || payload === null
      ? []
      : { report, payload, searches: suppressedSearches(payload, kept) };
  });
  if (reports.length === 0) return [];

  const samples = new Map(
    reports.flatMap(({ report }) => {
      const sample = sampleOf(report);
      return sample === null ? [] : [[reportKeyText(sample.serviceId, sample.idHash), sample]];
    }),
  );
  const receivedFromMs = Math.min(...reports.map(({ report }) => report.event.receivedAtMs)) - KNOWN_MS;
  const incidentOfSample = await findIncidentsOfEvents(
    transaction,
    projectId,
    [...samples.values()],
    receivedFromMs,
  );
  /** Null: the event is known, and no incident counted it; undefined: the report names none that is known. */
  const bySample = (report: ServiceEvent): string | null | undefined => {
    const sample = sampleOf(report);
    return sample === null ? undefined : incidentOfSample.get(reportKeyText(sample.serviceId, sample.idHash));
  };

  const named = new Map(
    reports.flatMap(({ report: { serviceId, clientKeys } }) =>
      clientKeys.map((clientKey) => [reportKeyText(serviceId, clientKey), { serviceId, clientKey }]),
    ),
  );
  const incidentOfKey = await findIncidentsByKey(transaction, projectId, [...named.values()], receivedFromMs);
  // A key whose events are all suppressed is kept alive by its reports.
  for (const { report } of reports) {
    const incidentId = bySample(report);
    if (typeof incidentId !== 'string') continue;
    for (const key of report.clientKeys) {
      incidentOfKey.set(reportKeyText(report.serviceId, key), incidentId);
    }
  }
  const alive = [...named].flatMap(([text, key]) => {
    const incidentId = incidentOfKey.get(text);
    return incidentId === undefined ? [] : { ...key, incidentId };
  });
  keepSuppressionKeys(transaction, projectId, alive);

  const byKey = (report: ServiceEvent): string | undefined =>
    report.clientKeys
      .map((clientKey) => incidentOfKey.get(reportKeyText(report.serviceId, clientKey)))
      .find((incidentId) => incidentId !== undefined);
  const spans = new Map<string, SpanSearch>();
  for (const { report, searches } of reports) {
    if (bySample(report) !== undefined || byKey(report) !== undefined) continue;
    for (const search of searches) {
      const text = searchText(report, search);
      if (spans.size < SEARCHES_MAX) spans.set(text, spanSearch(report, search));
    }
  }
  const found = await findIncidentsBySpan(transaction, projectId, [...spans.values()]);
  const incidentsIn = new Map([...spans.keys()].map((text, n) => [text, found[n] ?? []]));

  return reports.flatMap(({ report, payload, searches }) => {
    const count = payload.suppressedCount;
    const sampled = bySample(report);
    if (sampled === null) return [];
    const known = sampled ?? byKey(report);
    if (known !== undefined) return { report, count, incidentId: known, span: countedSpan(searches) };
    for (const search of searches) {
      const [first, second] = incidentsIn.get(searchText(report, search)) ?? [];
      if (first === undefined) continue;
      return second === undefined ? { report, count, incidentId: first, span: search.counted } : [];
    }
    return [];
  });
}

/** The event that a report names as the last one that was sent. */
function sampleOf({ serviceId, event: { kept } }: ServiceEvent): SampleEvent | null {
  const payload = kept?.payload;
  return payload?.kind !== 'suppressed' || payload.sampleEventId === null
    ? null
    : { serviceId, idHash: eventIdKey(payload.sampleEventId) };
}

function repeatedTypeCode({ kept }: CountedEvent): number | null {
  const payload = kept?.payload;
  return payload?.kind !== 'suppressed' || payload.repeatedType === null
    ? null
    : eventTypeCode(payload.repeatedType);
}

function spanSearch({ serviceId, event }: ServiceEvent, { fromMs, toMs }: SuppressedSpan): SpanSearch {
  return {
    serviceId,
    library: libraryCode(event.sdk.name),
    onlyExceptions: suppressesOnlyExceptions(event.sdk.name),
    eventType: repeatedTypeCode(event),
    fromMs,
    toMs,
  };
}

function searchText({ serviceId, event }: ServiceEvent, { fromMs, toMs }: SuppressedSpan): string {
  return `${serviceId} ${libraryCode(event.sdk.name)} ${repeatedTypeCode(event)} ${fromMs} ${toMs}`;
}
