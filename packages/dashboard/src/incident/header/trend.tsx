import type { Incident } from '@culprit/contract/incidents/incidents';
import type { Occurrences } from '@culprit/contract/incidents/occurrences';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { visibleLine } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { absoluteTime, shortTime } from '../../format/times.ts';
import { ReleaseLink } from '../../shell/parts/fact-links.tsx';
import link from '../../shell/parts/link.module.css';
import { Segments } from '../../ui/fields/segments.tsx';
import { BarPlot, type PlotMark } from '../../ui/plots/bar-plot.tsx';
import { useOccurrences } from '../event/occurrences.ts';
import { fittingSpan, SPAN_NAMES, SPANS, type Span, spanNamed } from '../event/spans.ts';
import { placesOf, rangeName, rangeNamed, rangeWords, type TimeRange, timesOf } from '../ranges.ts';
import styles from './trend.module.css';

const MARKS_SHOWN = 12;
const PLURALS: Readonly<Record<Occurrences['markers'][number]['kind'], string>> = {
  deploy: 'deploys',
  spike: 'spikes',
  resolved: 'times resolved',
  reopened: 'times reopened',
  regressed: 'regressions',
};

/** Since when, how often, and tied to what. */
export function Trend({ incident }: { incident: Incident }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const week = useOccurrences(incident, { lastMs: SPANS['7 d'] });
  const chosen = spanNamed(search.span);
  // The fitting span is chosen once: a span that changes automatically would move the plot while it is read.
  const [fitting, setFitting] = useState<Span | null>(null);
  if (fitting === null && week !== undefined) setFitting(fittingSpan(week, incident.occurrence_count));
  const span = chosen ?? fitting;
  const other = useOccurrences(incident, span === null || span === '7 d' ? null : { lastMs: SPANS[span] });
  const data = span === '7 d' ? week : other;
  const range = rangeNamed(search.range);
  const setRange = (picked: TimeRange | null) =>
    void navigate({
      to: '.',
      search: ({ range: _before, ...rest }: { range?: string }) =>
        picked === null ? rest : { ...rest, range: rangeName(picked) },
      replace: true,
      hash: true,
      resetScroll: false,
    });
  return (
    <section id="trend" className={styles.trend} aria-labelledby="trend-title">
      <h2 id="trend-title" className="visually-hidden" tabIndex={-1}>
        Trend
      </h2>
      {data !== undefined && span !== null && (
        <BarPlot
          isLow
          caption={findingOf(data, span)}
          unit="events"
          bars={barsOf(data)}
          marks={marksOf(data, incident.project_id)}
          axis={[shortTime(data.from, { withZone: true }), shortTime(data.to)]}
          range={{
            picked: range === null ? null : placesOf(data, range),
            wordsOf: (places) => rangeWords(data, timesOf(data, places)),
            onPick: (places) => setRange(places === null ? null : timesOf(data, places)),
          }}
          controls={
            <Segments
              label="Span"
              isSmall
              choices={SPAN_NAMES.map((name) => ({ value: name, label: name }))}
              value={span}
              onChange={(name) =>
                void navigate({
                  to: '.',
                  search: (before: object) => ({ ...before, span: name.replace(' ', '') }),
                  replace: true,
                  hash: true,
                })
              }
            />
          }
        />
      )}
      {data !== undefined && range !== null && (
        <p className={styles.range}>
          <span>{rangeWords(data, range)}</span>
          <a className={link.link} href="#events">
            Show events
          </a>
          <button type="button" className={link.link} onClick={() => setRange(null)}>
            Clear range
          </button>
        </p>
      )}
    </section>
  );
}

function findingOf({ counts, markers, suppressed }: Occurrences, span: Span): string {
  const total = counts.reduce((sum, each) => sum + each, 0);
  const deploys = markers.filter(({ kind }) => kind === 'deploy').length;
  const hidden = suppressed.reduce((sum, each) => sum + each, 0);
  return [
    `${plural(total, 'event')} in ${span}`,
    ...(deploys > 0 ? [plural(deploys, 'deploy')] : []),
    ...(hidden > 0 ? [`${hidden} of them counted by the library and not sent`] : []),
  ].join(', ');
}

function barsOf({ from, bucket_seconds: seconds, counts, suppressed }: Occurrences) {
  const start = Date.parse(from);
  return counts.map((value, index) => ({
    value,
    part: suppressed[index] ?? 0,
    label: absoluteTime(new Date(start + index * seconds * 1000).toISOString()),
  }));
}

function marksOf({ from, to, markers }: Occurrences, pid: string): PlotMark[] {
  const start = Date.parse(from);
  const length = Date.parse(to) - start;
  const share = (at: string) => Math.min(1, Math.max(0, (Date.parse(at) - start) / length));
  return markers.slice(-MARKS_SHOWN).map(({ at, kind, until, label }) => ({
    at: share(at),
    until: kind === 'spike' ? share(until ?? to) : null,
    kind: kind === 'spike' ? 'band' : 'line',
    name: kind === 'deploy' ? visibleLine(label ?? 'deploy') : kind,
    link: kind === 'deploy' && label !== null ? <ReleaseLink pid={pid} version={label} /> : undefined,
    plural: PLURALS[kind],
    label: [kind, label === null ? null : visibleLine(label), shortTime(at)]
      .filter((each) => each !== null)
      .join(' '),
  }));
}
