import type { CheckLatency } from '@culprit/contract/monitor/check-history';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { duration } from '../format/numbers.ts';
import { shortTime } from '../format/times.ts';
import { PartError } from '../shell/parts/part-error.tsx';
import { Segments } from '../ui/fields/segments.tsx';
import { LinePlot, type LinePoint } from '../ui/plots/line-plot.tsx';
import { Section } from '../ui/section.tsx';
import styles from './check-page.module.css';
import { type CheckIds, latencyQuery } from './checks-queries.ts';

const DAY_MS = 86_400_000;
const SPANS = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS };
type Span = keyof typeof SPANS;
const SPAN_CHOICES: readonly { value: Span; label: string }[] = [
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
  { value: '30d', label: '30 d' },
];
/** Wide enough to be seen and pointed at; buckets of the answer are joined to as many. */
const POINTS_MAX = 150;

/** Shows the latency of a check over time. */
export function CheckLatencyPart({ ids }: { ids: CheckIds }) {
  const [span, setSpan] = useState<Span>('24h');
  const { data, error, refetch } = useQuery(latencyQuery(ids, SPANS[span]));
  const points = data === undefined ? [] : pointsOf(data);
  return (
    <Section
      id="latency"
      title="Latency"
      actions={<Segments label="Span" choices={SPAN_CHOICES} value={span} onChange={setSpan} />}
    >
      <div className={styles.latency}>
        {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
        {data !== undefined && (
          <LinePlot
            caption={findingOf(data)}
            points={points}
            lines={[
              { name: 'median', kind: 'main' },
              { name: '95 %', kind: 'second' },
            ]}
            markName="failed runs"
            unit={duration}
            axis={[shortTime(data.from, { withZone: true }), shortTime(middleOf(data)), 'now']}
          />
        )}
      </div>
    </Section>
  );
}

type Answer = CheckLatency & { from: string; to: string };

function findingOf({ series }: Answer): string {
  const known = series.flatMap(({ p50_ms: ms }) => ms ?? []).toSorted((a, b) => a - b);
  const slow = series.flatMap(({ p95_ms: ms }) => ms ?? []);
  const failed = series.reduce((sum, each) => sum + each.failed, 0);
  if (known.length === 0) return failed === 0 ? 'No run in this time.' : 'No run succeeded in this time.';
  const median = known[Math.floor(known.length / 2)] ?? null;
  return `Typically ${duration(median)}, at most ${duration(Math.max(...slow))}, ${failed === 0 ? 'no run failed' : `${failed} failed`}.`;
}

/** Every part of the span in its place, those without runs too, so that gaps are gaps. */
function pointsOf({ bucket_seconds: seconds, series, from, to }: Answer): LinePoint[] {
  const bucketMs = seconds * 1000;
  const start = Math.floor(Date.parse(from) / bucketMs) * bucketMs;
  const buckets = Math.ceil((Date.parse(to) - start) / bucketMs);
  const joined = Math.max(1, Math.ceil(buckets / POINTS_MAX));
  const points = Array.from({ length: Math.ceil(buckets / joined) }, () => ({
    runs: 0,
    failed: 0,
    p50: [] as number[],
    p95: [] as number[],
  }));
  for (const { at, runs, failed, p50_ms: p50, p95_ms: p95 } of series) {
    const point = points[Math.floor((Date.parse(at) - start) / bucketMs / joined)];
    if (point === undefined) continue;
    point.runs += runs;
    point.failed += failed;
    if (p50 !== null) point.p50.push(p50);
    if (p95 !== null) point.p95.push(p95);
  }
  return points.map(({ failed, p50, p95 }, index) => ({
    label: shortTime(new Date(start + index * joined * bucketMs).toISOString(), { withZone: true }),
    values: [middle(p50), p95.length === 0 ? null : Math.max(...p95)],
    isMarked: failed > 0,
  }));
}

function middle(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

function middleOf({ from, to }: Answer): string {
  return new Date((Date.parse(from) + Date.parse(to)) / 2).toISOString();
}
