import type { Incident } from '@culprit/contract/incidents';
import { getIncidentOccurrences, type Occurrences } from '@culprit/contract/occurrences';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { freshness } from '../api/freshness.ts';
import { useFeature } from '../api/server.ts';
import { bodyOf, client, serverNow } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { absoluteTime, shortTime } from '../format/times.ts';
import { BarPlot, type PlotMark } from '../ui/bar-plot.tsx';
import { Section } from '../ui/section.tsx';
import styles from './trend.module.css';

const HOUR_MS = 3_600_000;
const SPANS = {
  '2 h': 2 * HOUR_MS,
  '24 h': 24 * HOUR_MS,
  '7 d': 7 * 24 * HOUR_MS,
  '90 d': 90 * 24 * HOUR_MS,
};
type Span = keyof typeof SPANS;
const MARKS_SHOWN = 12;

/** Since when, how often, and tied to what. */
export function Trend({ incident }: { incident: Incident }) {
  const hasHistory = useFeature('occurrence_history');
  const [span, setSpan] = useState<Span>('24 h');
  const { data } = useQuery({
    queryKey: [getIncidentOccurrences.id, incident.incident_id, span],
    queryFn: async ({ signal }) => {
      const query = span === '24 h' ? {} : { from: new Date(serverNow() - SPANS[span]).toISOString() };
      const params = { id: incident.incident_id };
      return await bodyOf(client.call(getIncidentOccurrences, { params, query, signal }));
    },
    enabled: hasHistory,
    ...freshness('incident'),
  });
  if (!hasHistory) {
    return (
      <Section id="trend" title="Trend">
        <p className={styles.words}>
          {plural(incident.occurrence_count, 'occurrence')}, first <Time iso={incident.first_seen_at} />, last{' '}
          <Time iso={incident.last_seen_at} />
        </p>
      </Section>
    );
  }
  return (
    <Section id="trend" title="Trend">
      <div className={styles.place}>
        {data !== undefined && (
          <BarPlot
            caption={findingOf(data, span)}
            unit="occurrences"
            bars={barsOf(data)}
            marks={marksOf(data)}
            axis={[shortTime(data.from, { withZone: true }), shortTime(data.to)]}
            controls={
              <fieldset className={styles.spans}>
                <legend className="visually-hidden">Span</legend>
                {spanNames().map((name) => (
                  <label key={name}>
                    <input type="radio" name="span" checked={span === name} onChange={() => setSpan(name)} />
                    <span>{name}</span>
                  </label>
                ))}
              </fieldset>
            }
          />
        )}
      </div>
    </Section>
  );
}

function spanNames(): Span[] {
  const names: Span[] = [];
  for (const name in SPANS) if (isSpan(name)) names.push(name);
  return names;
}

function isSpan(name: string): name is Span {
  return Object.hasOwn(SPANS, name);
}

function findingOf({ counts, markers, suppressed }: Occurrences, span: Span): string {
  const total = counts.reduce((sum, each) => sum + each, 0);
  const deploys = markers.filter(({ kind }) => kind === 'deploy').length;
  const hidden = suppressed.reduce((sum, each) => sum + each, 0);
  return [
    `${plural(total, 'occurrence')} in ${span}`,
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

function marksOf({ from, to, markers }: Occurrences): PlotMark[] {
  const start = Date.parse(from);
  const length = Date.parse(to) - start;
  const share = (at: string) => Math.min(1, Math.max(0, (Date.parse(at) - start) / length));
  return markers.slice(-MARKS_SHOWN).map(({ at, kind, until, label }) => ({
    at: share(at),
    until: kind === 'spike' ? share(until ?? to) : null,
    kind: kind === 'spike' ? 'band' : 'line',
    label: [kind, label === null ? null : visibleLine(label), absoluteTime(at)]
      .filter((each) => each !== null)
      .join(' '),
  }));
}
