import { useInfiniteQuery } from '@tanstack/react-query';
import { visibleLine } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import styles from './check-page.module.css';
import { errorWords, statusWords } from './check-words.ts';
import { type CheckIds, runsQuery } from './checks-queries.ts';
import { RunsPart } from './runs-part.tsx';

/** Shows the result of each run, newest first. */
export function CheckRunsPart({ ids }: { ids: CheckIds }) {
  const runs = useInfiniteQuery(runsQuery(ids));
  const rows = (runs.data?.pages ?? []).flatMap(({ results }) => results);
  return (
    <RunsPart
      runs={runs}
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
        { title: 'Duration', isNumber: true, cell: ({ duration_ms: ms }) => duration(ms) },
        {
          title: 'Answered by',
          cell: ({ final_url: url, redirect_count: redirects }) =>
            redirects === 0 ? '–' : <code>{visibleLine(url)}</code>,
        },
        { title: 'Reason', cell: ({ error_kind: kind }) => errorWords(kind) || '–' },
      ]}
    />
  );
}
