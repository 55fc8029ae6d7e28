import type { DebugBundle } from '@culprit/contract/bundle';
import type { Incident } from '@culprit/contract/incidents';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { incidentLogsQuery } from '../api/incidents.ts';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { PartError } from '../shell/part-error.tsx';
import { SEVERITY_WORDS } from '../shell/severity.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Section } from '../ui/section.tsx';
import styles from './occurrences-section.module.css';

const ROLE_WORDS: Readonly<Record<string, string>> = {
  first: 'first',
  latest: 'latest',
  after_deploy: 'first after a deploy',
  highest_severity: 'most severe',
  richest: 'most detailed',
};

const ROWS_AT_FIRST = 10;

/** The occurrences that are kept in full, and why. */
export function OccurrencesSection({ bundle }: { bundle: DebugBundle }) {
  const items = bundle.context.occurrences?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Section id="occurrences" title="Occurrences" note="Those that are kept in full">
      <DataTable
        label="Occurrences"
        rows={items}
        keyOf={({ event_id: id }) => id}
        columns={[
          {
            title: 'Time',
            cell: ({ occurred_at: at, sender_time: read }) => (
              <>
                <Time iso={at} form="exact" />
                {read !== undefined && ` received; the sender's clock read ${read}`}
              </>
            ),
          },
          { title: 'Kept as', cell: ({ roles }) => roles.map((role) => ROLE_WORDS[role] ?? role).join(', ') },
          { title: 'Severity', cell: ({ severity }) => SEVERITY_WORDS[severity] ?? severity },
          { title: 'Release', cell: ({ deploy_version: version }) => visibleLine(version ?? '–') },
          { title: 'Event', cell: ({ event_id: id }) => <EventLink id={id} /> },
        ]}
      />
    </Section>
  );
}

/** Shows the event in place of the evidence of all. */
function EventLink({ id }: { id: string }) {
  return (
    <Link to="." search={{ event: id }} replace className={styles.event} translate="no">
      <code>{visibleLine(id)}</code>
    </Link>
  );
}

/** Every event that belongs to the incident, newest first. */
export function EventsSection({ incident }: { incident: Incident }) {
  const events = useInfiniteQuery(incidentLogsQuery(incident.incident_id));
  const [isAll, setAll] = useState(false);
  const all = (events.data?.pages ?? []).flatMap(({ logs }) => logs);
  const rows = isAll ? all : all.slice(0, ROWS_AT_FIRST);
  if (events.isError) {
    return (
      <Section id="events" title="Events">
        <PartError error={events.error} retry={() => void events.refetch()} />
      </Section>
    );
  }
  return (
    <Section id="events" title="Events" note="Everything that is attached, newest first">
      <DataTable
        label="Events"
        rows={rows}
        keyOf={({ event_id: id }) => id}
        isDim={({ is_sampled: isSampled }) => !isSampled}
        columns={[
          { title: 'Time', cell: ({ occurred_at: at }) => <Time iso={at} form="exact" /> },
          { title: 'Type', cell: ({ event_type: type }) => visibleLine(type) },
          { title: 'Level', cell: ({ level }) => level ?? '–' },
          { title: 'Detail', cell: ({ is_sampled: isSampled }) => (isSampled ? 'kept' : 'counted') },
          { title: 'Event', cell: ({ event_id: id }) => <EventLink id={id} /> },
        ]}
      />
      {rows.length < all.length && (
        <Button onClick={() => setAll(true)}>Show {all.length - rows.length} more</Button>
      )}
      {isAll && events.hasNextPage && (
        <Button isBusy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
          Older events
        </Button>
      )}
    </Section>
  );
}
