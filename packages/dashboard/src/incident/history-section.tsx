import { getIncidentHistory, type HistoryEntry } from '@culprit/contract/incident-history';
import type { Incident } from '@culprit/contract/incidents';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { useFeature } from '../api/server.ts';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import styles from './history-section.module.css';

const ENTRIES_AT_FIRST = 5;

/** The history of an incident, oldest first. */
export function useHistory(incident: Incident) {
  const hasHistory = useFeature('incident_history');
  return queryOptions({
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
}

/** What happened to the incident, newest first, with who did it. */
export function Activity({ incident }: { incident: Incident }) {
  const { data } = useQuery(useHistory(incident));
  const [isAll, setAll] = useState(false);
  if (data === undefined || data.length === 0) return null;
  const newest = data.toReversed();
  const shown = isAll ? newest : newest.slice(0, ENTRIES_AT_FIRST);
  return (
    <Section id="history" title="Activity">
      <ol className={styles.entries}>
        {shown.map((entry) => (
          <li key={entry.id}>
            <span>{wordsFor(entry)}</span>
            <Time iso={entry.occurred_at} />
          </li>
        ))}
      </ol>
      {shown.length < newest.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show {newest.length - shown.length} more
        </Button>
      )}
    </Section>
  );
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  'incident.opened': 'Opened',
  'incident.regressed': 'Regressed',
  'incident.resolved': 'Resolved',
  'incident.reopened': 'Reopened',
  'incident.spike_detected': 'Spike detected',
  'incident.severity_raised': 'Severity raised',
  'incident.merged': 'Merged',
  'incident.split': 'Split',
  'bundle.created': 'Evidence collected',
  'bundle.updated': 'Evidence updated',
};

function wordsFor({ kind, actor, data }: HistoryEntry): string {
  const words = KIND_WORDS[kind] ?? kind.replaceAll(/[._]/g, ' ');
  const who = actor === null ? '' : ` by ${visibleLine(actor.email)}`;
  const severity =
    data.severity_from === null || data.severity_to === null
      ? ''
      : ` from ${data.severity_from} to ${data.severity_to}`;
  const version = data.generation === null ? '' : `, version ${data.generation}`;
  return `${words}${severity}${who}${version}`;
}
