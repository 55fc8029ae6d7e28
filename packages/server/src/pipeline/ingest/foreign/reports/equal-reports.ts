import { createHash } from 'node:crypto';

const WINDOW_MS = 60_000;
/** The number of remembered reports; beyond it the oldest ones are forgotten, and count as new. */
const REPORTS_MAX = 20_000;

/** One broken header makes a report for every view of a page: equal ones of a key within a minute are one event. */
interface EqualReports {
  /**
   * The count for an event of so many reports that is stored now, those included that came since the last one; null
   * while one was stored within the minute, and these are added to the next.
   */
  countOf(report: EqualReport, nowMs: number): number | null;
  /** The event was stored. */
  stored(report: EqualReport, nowMs: number): void;
}

export interface EqualReport {
  tokenId: string;
  /** Equal for equal reports. */
  key: string;
  count: number;
}

export function createEqualReports(): EqualReports {
  const known = new Map<string, { endMs: number; waiting: number }>();
  const idOf = ({ tokenId, key }: EqualReport) =>
    createHash('sha256').update(tokenId).update('\0').update(key).digest('base64');
  return {
    countOf(report, nowMs) {
      const last = known.get(idOf(report));
      if (last === undefined) return report.count;
      if (last.endMs <= nowMs) return report.count + last.waiting;
      last.waiting += report.count;
      return null;
    },
    stored(report, nowMs) {
      const id = idOf(report);
      known.delete(id);
      const [oldest] = known.keys();
      if (known.size >= REPORTS_MAX && oldest !== undefined) known.delete(oldest);
      known.set(id, { endMs: nowMs + WINDOW_MS, waiting: 0 });
    },
  };
}
