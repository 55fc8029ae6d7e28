import type { HeartbeatDay } from '@culprit/contract/monitor/heartbeats';
import { useQuery } from '@tanstack/react-query';
import { serverNow } from '../api/transport.ts';
import { duration } from '../format/numbers.ts';
import type { Column } from '../ui/lists/data-table.tsx';
import { DaysPart } from './days-part.tsx';
import { heartbeatBars, heartbeatDaysWords } from './heartbeat-days.ts';
import { type HeartbeatIds, heartbeatDaysQuery } from './heartbeats-queries.ts';

const COLUMNS: readonly Column<HeartbeatDay>[] = [
  { title: 'Day', cell: ({ day }) => day },
  { title: 'Runs', isNumber: true, cell: ({ total_runs: runs }) => runs },
  { title: 'Succeeded', isNumber: true, cell: ({ ok }) => ok },
  { title: 'Failed', isNumber: true, cell: ({ error }) => error },
  { title: 'Did not run', isNumber: true, cell: ({ missed }) => missed },
  { title: 'Did not end in time', isNumber: true, cell: ({ timeout }) => timeout },
  { title: 'Not known', isNumber: true, cell: ({ unknown }) => unknown },
  { title: 'Mean', isNumber: true, cell: ({ avg_duration_ms: ms }) => duration(ms) },
];

/** Shows how the runs of a job ended by day, for longer than its runs are kept. */
export function HeartbeatDaysPart({ ids }: { ids: HeartbeatIds }) {
  const days = useQuery(heartbeatDaysQuery(ids));
  return (
    <DaysPart
      title="90 days"
      days={days}
      barsOf={(found) => heartbeatBars(found, serverNow())}
      wordsOf={heartbeatDaysWords}
      columns={COLUMNS}
    />
  );
}
