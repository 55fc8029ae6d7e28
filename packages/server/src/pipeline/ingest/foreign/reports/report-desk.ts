import type { BrowserReport } from '@culprit/evidence/foreign/reports/describe-report';
import { mapReports, type ReportSource } from '@culprit/evidence/foreign/reports/map-reports';
import type { KeyFacts } from '../foreign-keys.queries.ts';
import type { KindOutcome } from '../kind-counts.ts';
import type { MappedBatch } from '../mapped-batch.ts';
import { createEqualReports, type EqualReport } from './equal-reports.ts';
import { createReportBudget } from './report-budget.ts';

/** The collection of a process's reports, from any source: one budget for each key, and equal ones once. */
export interface ReportDesk {
  /** Returns true if one more request of a key, or one more item of an envelope, is processed. */
  takes(key: KeyFacts, nowMs: number): boolean;
  /** Adds the reports of a body to the batch; `stored` wants to hear of them when they are. */
  add(sent: readonly BrowserReport[], to: ReportPlace): TakenReports;
  stored(reports: readonly EqualReport[], nowMs: number): void;
}

export interface ReportPlace {
  key: KeyFacts;
  batch: MappedBatch;
  source: ReportSource;
  count: (kind: string, outcome: KindOutcome, parts: number) => void;
  /** The item of an envelope; absent if each report is a separate part. */
  item?: { index: number; type: string };
}

export interface TakenReports {
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
