import type { BrowserReport } from '@culprit/evidence/foreign/reports/describe-report';
import { mapReports, type ReportSource } from '@culprit/evidence/foreign/reports/map-reports';
import type { KeyFacts } from '../foreign-keys.queries.ts';
import type { KindOutcome } from '../kind-counts.ts';
import type { MappedBatch } from '../mapped-batch.ts';
import { createEqualReports, type EqualReport } from './equal-reports.ts';

/** Requests of a key in a minute whose reports are looked at (docs/contract/foreign-protocols.md 3.8). */
const REQUESTS_MAX = 60;
const WINDOW_MS = 60_000;
/** The number of keys that are counted. */
const KEYS_MAX = 10_000;

/** Reports have a budget of their own: a broken policy in a page must not use up the room of errors. */
interface ReportBudget {
  /** Returns true if one more request of a key is processed. */
  take(tokenId: string, nowMs: number): boolean;
}

function createReportBudget(): ReportBudget {
  const windows = new Map<string, { endMs: number; requests: number }>();
  return {
    take(tokenId, nowMs) {
      let window = windows.get(tokenId);
      if (window === undefined || window.endMs <= nowMs) {
        // The oldest one is that of the key that began first.
        windows.delete(tokenId);
        const [oldest] = windows.keys();
        if (windows.size >= KEYS_MAX && oldest !== undefined) windows.delete(oldest);
        window = { endMs: nowMs + WINDOW_MS, requests: 0 };
        windows.set(tokenId, window);
      }
      window.requests += 1;
      return window.requests <= REQUESTS_MAX;
    },
  };
}

/** The collection of a process's reports, from any source: one budget for each key, and equal ones once. */
export interface ReportDesk {
  /** Returns true if one more request of a key, or one more item of an envelope, is processed. */
  takes(key: KeyFacts, nowMs: number): boolean;
  /** Adds the reports of a body to the batch; `stored` wants to hear of them when they are. */
  add(sent: readonly BrowserReport[], to: ReportPlace): TakenReports;
  stored(reports: readonly EqualReport[], nowMs: number): void;
}

interface ReportPlace {
  key: KeyFacts;
  batch: MappedBatch;
  source: ReportSource;
  count: (kind: string, outcome: KindOutcome, parts: number) => void;
  /** The item of an envelope; absent if each report is a separate part. */
  item?: { index: number; type: string };
}

interface TakenReports {
  /** Those that became events. */
  events: EqualReport[];
  /** The origin of the first report's page. */
  origin: string | null;
}

export function createReportDesk(): ReportDesk {
  const budget = createReportBudget();
  const equal = createEqualReports();
  return {
    takes: ({ tokenId }, nowMs) => budget.take(tokenId, nowMs),
    add(sent, { key, batch, source, count, item }) {
      const { reports, notTaken, overLimit, origin } = mapReports(sent, source);
      for (const [kind, parts] of notTaken) count(kind, 'not_taken', parts);
      count('report', 'over_limit', overLimit);
      const events: EqualReport[] = [];
      for (const [index, report] of reports.entries()) {
        count(report.kind, 'taken', report.count);
        const one = { tokenId: key.tokenId, key: report.key, count: report.count };
        const total = equal.countOf(one, source.receivedAtMs);
        if (total === null) continue;
        const place =
          item === undefined ? { item: index, type: report.kind } : { item: item.index, type: item.type };
        batch.add(report.event(total), place);
        events.push(one);
      }
      return { events, origin };
    },
    stored(reports, nowMs) {
      for (const report of reports) equal.stored(report, nowMs);
    },
  };
}
