import type { GroupingPreview } from '@culprit/contract/incidents/grouping-preview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { visibleLine } from '../format/event-text.ts';
import { duration, fullCount, plural } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { EffectPanel } from '../ui/effect-panel.tsx';
import styles from './grouping.module.css';

const HOUR_MS = 3_600_000;

/** Shows the effect of rules on what was received: which incidents would be merged, and which would be split. */
export function GroupingEffect({ effect, hours }: { effect: GroupingPreview | null; hours: number }) {
  return (
    <EffectPanel label="What these rules would do">
      <p role="status">{effect === null ? 'Regrouping…' : summaryOf(effect, hours)}</p>
      {effect?.is_complete === false && (
        <p className={styles.soft}>There were more events than one preview reads; it read the newest.</p>
      )}
      {effect !== null && effect.merges.length > 0 && (
        <Changes title="Incidents that would merge" shown={effect.merges.length} all={effect.merge_count}>
          {effect.merges.map(({ incidents, events, samples }) => (
            <li key={incidents.map(({ incident_id: id }) => id).join()}>
              <ul className={styles.incidents}>
                {incidents.map((incident) => (
                  <Previewed key={incident.incident_id} incident={incident} />
                ))}
              </ul>
              <Samples words={plural(events, 'event')} samples={samples} />
            </li>
          ))}
        </Changes>
      )}
      {effect !== null && effect.splits.length > 0 && (
        <Changes title="Incidents that would split" shown={effect.splits.length} all={effect.split_count}>
          {effect.splits.map(({ incident, groups, samples }) => (
            <li key={incident.incident_id}>
              <ul className={styles.incidents}>
                <Previewed incident={incident} />
              </ul>
              <Samples words={`into ${groups} groups`} samples={samples} />
            </li>
          ))}
        </Changes>
      )}
    </EffectPanel>
  );
}

/** "In the last 24 h: 120 events of 9 incidents. 2 groups of incidents would become one each, 1 incident would split." */
function summaryOf(effect: GroupingPreview, hours: number): string {
  const { events_seen: events, incidents_seen: incidents, merge_count: merges, split_count: splits } = effect;
  const seen = `In the last ${duration(hours * HOUR_MS)}: ${plural(events, 'event')} of ${plural(incidents, 'incident')}.`;
  if (merges === 0 && splits === 0) return `${seen} The grouping would not change.`;
  const parts = [
    merges === 0
      ? null
      : `${plural(merges, 'group')} of incidents would become one${merges === 1 ? '' : ' each'}`,
    splits === 0 ? null : `${plural(splits, 'incident')} would split`,
  ];
  return `${seen} ${parts.filter((part) => part !== null).join(', ')}.`;
}

function Changes({
  title,
  shown,
  all,
  children,
}: {
  title: string;
  shown: number;
  all: number;
  children: ReactNode;
}) {
  return (
    <section className={styles.changes} aria-label={title}>
      <h3>
        {title}
        {shown < all && (
          <span className={styles.soft}>
            {' '}
            the {fullCount(shown)} with the most events, of {fullCount(all)}
          </span>
        )}
      </h3>
      <ol className={styles.list}>{children}</ol>
    </section>
  );
}

function Previewed({ incident }: { incident: GroupingPreview['splits'][number]['incident'] }) {
  return (
    <li className={styles.incident}>
      <Link to={pathTo('incident', { id: incident.incident_id })} dir="auto" translate="no">
        {visibleLine(incident.title)}
      </Link>
      <span className={styles.figure}>{plural(incident.events, 'event')}</span>
    </li>
  );
}

function Samples({ words, samples }: { words: string; samples: readonly string[] }) {
  return (
    <details className={styles.samples}>
      <summary>Messages of {words}</summary>
      <ul translate="no">
        {samples.map((sample, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their order
          <li key={index}>
            <code dir="auto">{visibleLine(sample)}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
