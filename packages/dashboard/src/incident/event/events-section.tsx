import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { incidentLogsQuery } from '../../api/incidents.ts';
import { visibleLine } from '../../format/event-text.ts';
import { typeWords } from '../../format/event-words.ts';
import { plural } from '../../format/numbers.ts';
import { Time } from '../../format/time.tsx';
import { ReleaseLink } from '../../shell/parts/fact-links.tsx';
import { NextPageButton } from '../../shell/parts/next-page-button.tsx';
import { PartError } from '../../shell/parts/part-error.tsx';
import { Button } from '../../ui/button.tsx';
import { FoldedSection } from '../../ui/folded-section.tsx';
import { DataTable } from '../../ui/lists/data-table.tsx';
import { isAfter, isWithin, rangeNamed, spanWords } from '../ranges.ts';
import styles from './events-section.module.css';

const ROLE_WORDS: Readonly<Record<string, string>> = {
  first: 'first',
  latest: 'latest',
  after_deploy: 'first after a deploy',
  highest_severity: 'most severe',
  richest: 'most detailed',
};

const ROWS_AT_FIRST = 10;
/** Events that are read for a range. */
const READ_MAX = 2000;
const ID_SHOWN = 16;
const ID_END = 8;

/** Shows the event in the switcher. */
function EventLink({ id }: { id: string }) {
  return (
    <Link to="." search={{ event: id }} hash="event" replace className={styles.event} translate="no">
      <code title={visibleLine(id)}>{visibleLine(shortId(id))}</code>
    </Link>
  );
}

/** The end of a long id: what it begins with is the same in all rows. */
function shortId(id: string): string {
  return id.length <= ID_SHOWN ? id : `…${id.slice(-ID_END)}`;
}

/** Every event that belongs to the incident, newest first, and what is special about those kept in full. */
export function EventsSection({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const events = useInfiniteQuery(incidentLogsQuery(incident.incident_id));
  const [isAll, setAll] = useState(false);
  const range = rangeNamed(useSearch({ strict: false }).range);
  const read = (events.data?.pages ?? []).flatMap(({ logs }) => logs);
  const all = range === null ? read : read.filter(({ occurred_at: at }) => isWithin(range, at));
  const rows = isAll ? all : all.slice(0, ROWS_AT_FIRST);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = events;
  // The newest come first: they are read down to the beginning of the range.
  const isCut = range !== null && hasNextPage && isAfter(read.at(-1)?.occurred_at, range);
  const isShort = isCut && read.length < READ_MAX && !events.isError;
  useEffect(() => {
    if (isShort && !isFetchingNextPage) void fetchNextPage();
  }, [isShort, isFetchingNextPage, fetchNextPage]);
  const kept = new Map((bundle?.context.occurrences?.items ?? []).map((item) => [item.event_id, item]));
  return (
    <FoldedSection
      id="events"
      title="All events"
      summary={
        range === null
          ? plural(incident.occurrence_count, 'event')
          : `${isCut ? 'at least ' : ''}${plural(all.length, 'event')} from ${spanWords(range)}`
      }
    >
      {events.isError ? (
        <PartError error={events.error} retry={() => void events.refetch()} />
      ) : (
        <DataTable
          label="Events"
          rows={rows}
          keyOf={({ event_id: id }) => id}
          isDim={({ is_sampled: isSampled }) => !isSampled}
          columns={[
            { title: 'Time', cell: ({ occurred_at: at }) => <Time iso={at} form="exact" /> },
            { title: 'Type', cell: ({ event_type: type }) => visibleLine(typeWords(type)) },
            { title: 'Level', cell: ({ level }) => level ?? '' },
            {
              title: 'Release',
              cell: ({ event_id: id }) => {
                const version = kept.get(id)?.deploy_version ?? null;
                return version === null ? '' : <ReleaseLink pid={incident.project_id} version={version} />;
              },
            },
            {
              title: 'Stored',
              cell: ({ event_id: id, is_sampled: isSampled }) =>
                keptWords(kept.get(id)) ?? (isSampled ? 'full' : 'counted only'),
            },
            { title: 'Event', cell: ({ event_id: id }) => <EventLink id={id} /> },
          ]}
        />
      )}
      {rows.length < all.length && (
        <Button onClick={() => setAll(true)}>Show {all.length - rows.length} more</Button>
      )}
      {isAll && <NextPageButton list={events} label="Show older events" />}
    </FoldedSection>
  );
}

type KeptEvent = NonNullable<DebugBundle['context']['occurrences']>['items'][number];

function keptWords(item: KeptEvent | undefined): string | null {
  if (item === undefined) return null;
  const roles = item.roles.map((role) => ROLE_WORDS[role] ?? role).join(', ');
  const clock = item.sender_time === undefined ? '' : `; the sender's clock read ${item.sender_time}`;
  return `full: ${roles}${clock}`;
}
