import type { DailyRollup } from '@culprit/contract/monitor/check-history';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { duration } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import link from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DayBars } from '../ui/day-bars.tsx';
import { Section } from '../ui/section.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import styles from './check-page.module.css';
import { type CheckIds, daysQuery } from './checks-queries.ts';
import { barsOf, daysWords, STATE_WORDS } from './days.ts';

/** Shows the reliability of a check: a bar a day, and the figures of each day as a table. */
export function CheckDaysPart({ ids }: { ids: CheckIds }) {
  const { data, error, refetch } = useQuery(daysQuery(ids));
  const [isTable, setTable] = useState(false);
  const bars = barsOf(data ?? []);
  return (
    <Section id="days" title="31 days" note="Days of UTC">
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonRows rows={2} />}
      {data !== undefined && (
        <figure className={styles.days}>
          <figcaption className={styles.sum}>
            <span>{daysWords(data)}</span>
            <button
              type="button"
              className={styles.toggle}
              aria-pressed={isTable}
              onClick={() => setTable(!isTable)}
            >
              {isTable ? 'Show as bars' : 'Show as table'}
            </button>
          </figcaption>
          {isTable ? (
            <DaysTable days={data} />
          ) : (
            <>
              <DayBars days={bars} isLarge />
              <p className={styles.axis} aria-hidden="true">
                <span>{bars[0]?.day}</span>
                <span>{bars.at(-1)?.day}</span>
              </p>
            </>
          )}
        </figure>
      )}
    </Section>
  );
}

function DaysTable({ days }: { days: readonly DailyRollup[] }) {
  return (
    <DataTable
      label="Days"
      rows={days}
      keyOf={({ day }) => day}
      columns={[
        { title: 'Day', cell: ({ day }) => day },
        { title: 'State', cell: ({ state }) => STATE_WORDS[state] ?? state },
        { title: 'Runs', isNumber: true, cell: ({ total_checks: runs }) => runs },
        { title: 'Failed', isNumber: true, cell: ({ failed_checks: failed }) => failed },
        {
          title: 'Without success',
          isNumber: true,
          cell: ({ downtime_seconds: seconds }) => (seconds === 0 ? '–' : duration(seconds * 1000)),
        },
        { title: 'Mean', isNumber: true, cell: ({ avg_duration_ms: ms }) => duration(ms) },
        {
          title: 'Incidents',
          cell: ({ incident_ids: incidents }) =>
            incidents.length === 0
              ? '–'
              : incidents.map((id, index) => (
                  <Link key={id} className={link.link} to={pathTo('incident', { id })}>
                    {index === 0 ? 'Incident' : ` ${index + 1}`}
                  </Link>
                )),
        },
      ]}
    />
  );
}
