import { useInfiniteQuery } from '@tanstack/react-query';
import { visibleText } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import styles from './check-page.module.css';
import { isFailedRun, runWords } from './heartbeat-words.ts';
import { type HeartbeatIds, heartbeatRunsQuery } from './heartbeats-queries.ts';
import { RunsPart } from './runs-part.tsx';

/** Shows the report of each run, newest first. */
export function HeartbeatRunsPart({ ids }: { ids: HeartbeatIds }) {
  const runs = useInfiniteQuery(heartbeatRunsQuery(ids));
  const rows = (runs.data?.pages ?? []).flatMap(({ check_ins }) => check_ins);
  return (
    <RunsPart
      runs={runs}
      rows={rows}
      keyOf={({ check_in_id: id }) => id}
      columns={[
        { title: 'Started', cell: ({ started_at: at }) => <Time iso={at} form="absolute" /> },
        {
          title: 'Result',
          cell: ({ status }) => (
            <span
              className={isFailedRun(status) ? styles.failure : status === 'ok' ? styles.success : undefined}
            >
              {runWords(status)}
            </span>
          ),
        },
        { title: 'Duration', isNumber: true, cell: ({ duration_ms: ms }) => duration(ms) },
        {
          title: 'Output',
          cell: ({ output }) =>
            output === null ? (
              '–'
            ) : (
              <code dir="auto" translate="no" className={styles.address}>
                {visibleText(output)}
              </code>
            ),
        },
      ]}
    />
  );
}
