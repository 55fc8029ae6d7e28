import type { FateCounts } from '@culprit/contract/events/event-fates';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count, fullCount } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { PartError } from '../shell/parts/part-error.tsx';
import { Section } from '../ui/section.tsx';
import { dayFatesQuery } from './overview-queries.ts';
import styles from './rows.module.css';

/** Shows lost events in one line. */
export function IntakePart({ pid }: { pid: string }) {
  const { data, error, refetch } = useQuery(dayFatesQuery(pid));
  return (
    <Section
      id="intake"
      title="Event intake"
      note="Last 24 hours"
      actions={
        <Link className={styles.all} to={pathTo('intake', { pid })}>
          Open event intake
        </Link>
      }
    >
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <p className={styles.line}>
          {sharesOf(data.totals).map(({ name, value, isLoss }, index) => (
            <span key={name} className={isLoss && value > 0 ? styles.lost : ''} title={fullCount(value)}>
              {index > 0 && ' · '}
              {count(value)} {name}
            </span>
          ))}
        </p>
      )}
    </Section>
  );
}

interface Share {
  name: string;
  value: number;
  isLoss: boolean;
}

/** The outcomes in as few words as answer the question; those after the first add up to it. */
function sharesOf(totals: FateCounts): Share[] {
  const share = (name: string, value: number, isLoss = false): Share => ({ name, value, isLoss });
  const filtered = totals.dropped + totals.sampled_out + totals.refused_by_policy;
  const lost = totals.rate_limited + totals.invalid + totals.dead_letter;
  return [
    share('events sent', totals.submitted),
    share('accepted', totals.processed + totals.demoted + totals.duplicate),
    ...(filtered > 0 ? [share('filtered', filtered)] : []),
    ...(totals.waiting > 0 ? [share('waiting', totals.waiting)] : []),
    share('rejected or failed', lost, true),
  ];
}
