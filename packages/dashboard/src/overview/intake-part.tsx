import type { FateCounts } from '@culprit/contract/event-fates';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count, fullCount } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { PartError } from '../shell/part-error.tsx';
import { Section } from '../ui/section.tsx';
import { dayFatesQuery } from './overview-queries.ts';
import styles from './rows.module.css';

/** Whether events are lost. */
export function IntakePart({ pid }: { pid: string }) {
  const { data, error, refetch } = useQuery(dayFatesQuery(pid));
  return (
    <Section
      id="intake"
      title="Intake"
      note="Last 24 hours"
      actions={
        <Link className={styles.all} to={pathTo('intake', { pid })}>
          Where they went
        </Link>
      }
    >
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <ul className={styles.rows}>
          {sharesOf(data.totals).map(({ name, value, isLoss }) => (
            <li key={name}>
              <span>{name}</span>
              <span
                className={`${styles.number} ${isLoss && value > 0 ? styles.lost : ''}`}
                title={fullCount(value)}
              >
                {count(value)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface Share {
  name: string;
  value: number;
  isLoss: boolean;
}

/** The fates in as few lines as answer the question; those below the first add up to it. */
function sharesOf(totals: FateCounts): Share[] {
  const share = (name: string, value: number, isLoss = false): Share => ({ name, value, isLoss });
  const keptOut = totals.dropped + totals.sampled_out + totals.refused_by_policy;
  const lost = totals.rate_limited + totals.invalid + totals.dead_letter;
  return [
    share('Events sent', totals.submitted),
    share('Taken in', totals.processed + totals.demoted + totals.duplicate),
    ...(keptOut > 0 ? [share('Kept out by policy and rules', keptOut)] : []),
    ...(totals.waiting > 0 ? [share('Waiting', totals.waiting)] : []),
    share('Lost', lost, true),
  ];
}
