import type { Occurrences } from '@culprit/contract/incidents/occurrences';
import { useQuery } from '@tanstack/react-query';
import { useFeature } from '../api/server.ts';
import { visibleLine } from '../format/event-text.ts';
import { count, plural } from '../format/numbers.ts';
import { usePresent } from '../format/time.tsx';
import { ago, dateOnly, shortTime } from '../format/times.ts';
import { ReleaseLink } from '../shell/parts/fact-links.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { BarPlot, type PlotMark } from '../ui/plots/bar-plot.tsx';
import { Section } from '../ui/section.tsx';
import styles from './occurrences-part.module.css';
import { occurrencesQuery } from './overview-queries.ts';

/** The hours of one bar: few enough to see a day, and bars wide enough to point at. */
const HOURS_PER_BAR = 4;
const MARKS_SHOWN = 4;

/** Shows the trend, and the deploys in it. */
export function OccurrencesPart({ pid }: { pid: string }) {
  const hasHistory = useFeature('occurrence_history');
  const now = usePresent();
  const { data, error, refetch } = useQuery({ ...occurrencesQuery(pid), enabled: hasHistory });
  if (!hasHistory) return null;
  return (
    <Section id="occurrences" title="Occurrences">
      <div className={styles.place}>
        {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
        {data !== undefined && (
          <BarPlot
            caption={findingOf(data)}
            unit="occurrences"
            bars={barsOf(data)}
            marks={marksOf(data, now, pid)}
            axis={[dateOnly(data.from), dateOnly(middleOf(data)), 'now']}
          />
        )}
      </div>
    </Section>
  );
}

function findingOf(occurrences: Occurrences): string {
  const { counts, markers } = occurrences;
  const half = Math.floor(counts.length / 2);
  const [before, after] = [sum(counts.slice(0, half)), sum(counts.slice(half))];
  const middle = middleOf(occurrences);
  const deploys = markers.filter(({ kind, at }) => kind === 'deploy' && at >= middle).length;
  const direction =
    after > before * 1.2 ? 'more than' : before > after * 1.2 ? 'fewer than' : 'about as many as';
  return [
    `${plural(after, 'occurrence')} in 7 days, ${direction} in the 7 before (${count(before)})`,
    ...(deploys > 0 ? [plural(deploys, 'deploy')] : []),
  ].join('; ');
}

/** The hours of the answer, four to a bar, so that the last bar ends now. */
function barsOf({ from, bucket_seconds: seconds, counts }: Occurrences) {
  const first = counts.length % HOURS_PER_BAR;
  const starts = [
    ...(first > 0 ? [0] : []),
    ...Array.from(
      { length: Math.floor(counts.length / HOURS_PER_BAR) },
      (_, bar) => first + bar * HOURS_PER_BAR,
    ),
  ];
  const at = (index: number) => new Date(Date.parse(from) + index * seconds * 1000).toISOString();
  return starts.map((start, bar) => {
    const end = starts[bar + 1] ?? counts.length;
    return {
      value: sum(counts.slice(start, end)),
      label: `${shortTime(at(start))} to ${shortTime(at(end), { withZone: true })}`,
    };
  });
}

/** The last bar ends after the present, so that ages are counted from now. */
function marksOf({ from, to, markers }: Occurrences, now: number, pid: string): PlotMark[] {
  const start = Date.parse(from);
  const end = Date.parse(to);
  return markers
    .filter(({ kind }) => kind === 'deploy')
    .slice(-MARKS_SHOWN)
    .map(({ at, label }) => ({
      at: Math.min(1, Math.max(0, (Date.parse(at) - start) / (end - start))),
      until: null,
      kind: 'line',
      name: visibleLine(label ?? 'deploy'),
      link: label === null ? undefined : <ReleaseLink pid={pid} version={label} />,
      plural: 'deploys',
      label: `${visibleLine(label ?? 'deploy')}, ${ago(at, now)}`,
    }));
}

function middleOf({ from, to }: Occurrences): string {
  return new Date((Date.parse(from) + Date.parse(to)) / 2).toISOString();
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0);
}
