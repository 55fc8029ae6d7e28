import { getIncidentHistory, type HistoryEntry } from '@culprit/contract/incident-history';
import type { Incident } from '@culprit/contract/incidents';
import { useQuery } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { useFeature } from '../api/server.ts';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { Section } from '../ui/section.tsx';
import styles from './history-section.module.css';

/** What happened to the incident, oldest first, with who did it. */
export function HistorySection({ incident }: { incident: Incident }) {
  const hasHistory = useFeature('incident_history');
  const { data } = useQuery({
    queryKey: [getIncidentHistory.id, incident.incident_id, incident.status],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) =>
          bodyOf(client.call(getIncidentHistory, { params: { id: incident.incident_id }, query, signal })),
        ({ history }) => history,
      ),
    enabled: hasHistory,
    ...freshness('incident'),
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <Section id="history" title="History">
      <ol className={styles.entries}>
        {data.map((entry) => (
          <li key={entry.id}>
            <Time iso={entry.occurred_at} form="absolute" />
            <span>{wordsFor(entry)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function wordsFor({ kind, actor, data }: HistoryEntry): string {
  const words = kind.replace(/^incident[._]/, '').replaceAll(/[._]/g, ' ');
  const who = actor === null ? '' : ` by ${visibleLine(actor.email)}`;
  const severity =
    data.severity_from === null || data.severity_to === null
      ? ''
      : ` from ${data.severity_from} to ${data.severity_to}`;
  const generation = data.generation === null ? '' : `, generation ${data.generation}`;
  return `${words}${severity}${who}${generation}`;
}
