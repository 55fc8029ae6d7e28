import { useState } from 'react';
import { PartError } from '../shell/parts/part-error.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { type DayBar, DayBars } from '../ui/plots/day-bars.tsx';
import { Section } from '../ui/section.tsx';
import styles from './check-page.module.css';

/** The days as their query has them. */
interface Days<Day> {
  data: readonly Day[] | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
}

/** The reliability of a check or of a scheduled job: a bar a day, and the figures of each day as a table. */
export function DaysPart<Day extends { day: string }>({
  title,
  days: { data, error, refetch },
  barsOf,
  wordsOf,
  columns,
}: {
  title: string;
  days: Days<Day>;
  barsOf: (days: readonly Day[]) => DayBar[];
  wordsOf: (days: readonly Day[]) => string;
  columns: readonly Column<Day>[];
}) {
  const [isTable, setTable] = useState(false);
  const bars = barsOf(data ?? []);
  return (
    <Section id="days" title={title} note="Days in UTC">
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonRows rows={2} />}
      {data !== undefined && (
        <figure className={styles.days}>
          <figcaption className={styles.sum}>
            <span>{wordsOf(data)}</span>
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
            <DataTable label="Days" rows={data} keyOf={({ day }) => day} columns={columns} />
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
