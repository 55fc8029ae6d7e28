import type { EventFates } from '@culprit/contract/events/event-fates';
import { fullCount } from '../format/numbers.ts';
import { absoluteTime, dateOnly, shortTime } from '../format/times.ts';
import { StackedPlot, type StackTone } from '../ui/plots/stacked-plot.tsx';
import { type FateGroup, sumOf } from './fates.ts';

const SERIES: readonly { group: FateGroup; label: string; tone: StackTone }[] = [
  { group: 'kept', label: 'full', tone: 'main' },
  { group: 'left-out', label: 'filtered', tone: 'hatched' },
  { group: 'lost', label: 'rejected or failed', tone: 'alarm' },
  { group: 'waiting', label: 'waiting', tone: 'outline' },
];

/** Shows the time of the events, so that a change is visible. */
export function FatePlot({ fates }: { fates: EventFates }) {
  const labelOf = fates.bucket === 'day' ? dayInUtc : (at: string) => absoluteTime(at);
  return (
    <StackedPlot
      caption={`${fullCount(fates.totals.submitted)} events by ${fates.bucket}`}
      series={SERIES}
      axis={
        fates.bucket === 'day'
          ? [dayInUtc(fates.from), dayInUtc(fates.to)]
          : [shortTime(fates.from, { withZone: true }), shortTime(fates.to)]
      }
      bars={fates.series.map(({ at, ...counts }) => ({
        label: labelOf(at),
        values: SERIES.map(({ group }) => sumOf(counts, group)),
      }))}
    />
  );
}

/** Days are counted in UTC, whatever zone the page shows. */
function dayInUtc(at: string): string {
  return `${dateOnly(at, 'UTC')} UTC`;
}
