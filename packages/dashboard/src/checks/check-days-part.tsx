import type { DailyRollup } from '@culprit/contract/monitor/check-history';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { duration } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import link from '../shell/parts/link.module.css';
import type { Column } from '../ui/lists/data-table.tsx';
import { type CheckIds, daysQuery } from './checks-queries.ts';
import { barsOf, daysWords, STATE_WORDS } from './days.ts';
import { DaysPart } from './days-part.tsx';

const COLUMNS: readonly Column<DailyRollup>[] = [
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
];

/** Shows the reliability of a check by day. */
export function CheckDaysPart({ ids }: { ids: CheckIds }) {
  const days = useQuery(daysQuery(ids));
  return <DaysPart title="31 days" days={days} barsOf={barsOf} wordsOf={daysWords} columns={COLUMNS} />;
}
