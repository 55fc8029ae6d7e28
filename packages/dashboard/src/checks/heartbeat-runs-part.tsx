import { useInfiniteQuery } from '@tanstack/react-query';
import { visibleText } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { PartError } from '../shell/part-error.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import styles from './check-page.module.css';
import { isFailedRun, runWords } from './heartbeat-words.ts';
import { type HeartbeatIds, heartbeatRunsQuery } from './heartbeats-queries.ts';

/** What each run reported, newest first. */
export function HeartbeatRunsPart({ ids }: { ids: HeartbeatIds }) {
  const runs = useInfiniteQuery(heartbeatRunsQuery(ids));
  const rows = (runs.data?.pages ?? []).flatMap(({ check_ins }) => check_ins);
  return (
    <Section id="runs" title="Runs" note="The last 30 days">
      {runs.isPending && <SkeletonRows rows={5} />}
      {runs.isError && rows.length === 0 && (
        <PartError error={runs.error} retry={() => void runs.refetch()} />
      )}
      {runs.isSuccess && rows.length === 0 && (
        <SectionText>
          <p>It has not run yet.</p>
        </SectionText>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Runs"
          rows={rows}
          keyOf={({ check_in_id: id }) => id}
          columns={[
            { title: 'Started', cell: ({ started_at: at }) => <Time iso={at} form="absolute" /> },
            {
              title: 'Result',
              cell: ({ status }) => (
                <span
                  className={
                    isFailedRun(status) ? styles.failure : status === 'ok' ? styles.success : undefined
                  }
                >
                  {runWords(status)}
                </span>
              ),
            },
            { title: 'Took', isNumber: true, cell: ({ duration_ms: ms }) => duration(ms) },
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
      )}
      {runs.hasNextPage && (
        <Button kind="quiet" isBusy={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
          Show older runs
        </Button>
      )}
    </Section>
  );
}
