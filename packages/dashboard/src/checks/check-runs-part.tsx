import { useInfiniteQuery } from '@tanstack/react-query';
import { visibleLine } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { PartError } from '../shell/part-error.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import styles from './check-page.module.css';
import { errorWords, statusWords } from './check-words.ts';
import { type CheckIds, runsQuery } from './checks-queries.ts';

/** What each run saw, newest first. */
export function CheckRunsPart({ ids }: { ids: CheckIds }) {
  const runs = useInfiniteQuery(runsQuery(ids));
  const rows = (runs.data?.pages ?? []).flatMap(({ results }) => results);
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
          keyOf={({ result_id: id }) => id}
          columns={[
            { title: 'Started', cell: ({ started_at: at }) => <Time iso={at} form="absolute" /> },
            {
              title: 'Result',
              cell: ({ status }) => (
                <span className={status === 'success' ? styles.success : styles.failure}>
                  {statusWords(status)}
                </span>
              ),
            },
            { title: 'Status', isNumber: true, cell: ({ http_status: code }) => code ?? '–' },
            { title: 'Took', isNumber: true, cell: ({ duration_ms: ms }) => duration(ms) },
            {
              title: 'Answered by',
              cell: ({ final_url: url, redirect_count: redirects }) =>
                redirects === 0 ? '–' : <code>{visibleLine(url)}</code>,
            },
            { title: 'Why', cell: ({ error_kind: kind }) => errorWords(kind) || '–' },
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
