import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { checkDaysQuery, checksQuery } from '../api/checks.ts';
import { visibleLine } from '../format/event-text.ts';
import { precisePercent } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { CheckState } from '../shell/parts/check-state.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import styles from './rows.module.css';

const SHOWN = 5;

/** Shows the uptime checks, failing ones first. */
export function ChecksPart({ pid }: { pid: string }) {
  const checks = useQuery(checksQuery(pid));
  const { data: days } = useQuery(checkDaysQuery(pid));
  const all = checks.data?.checks;
  return (
    <Section
      id="checks"
      title="Uptime"
      actions={
        <Link className={styles.all} to={pathTo('checks', { pid })}>
          {all !== undefined && all.length > SHOWN ? `All ${all.length} checks` : 'All checks'}
        </Link>
      }
    >
      {all === undefined && checks.isError && (
        <PartError error={checks.error} retry={() => void checks.refetch()} />
      )}
      {all?.length === 0 && (
        <Notice title="No checks yet.">
          A check requests a URL at an interval and opens an incident when it fails.
        </Notice>
      )}
      {all !== undefined && all.length > 0 && (
        <ul className={styles.rows}>
          {all.slice(0, SHOWN).map(({ check_id: id, name, status }) => (
            <li key={id}>
              <Link className={styles.name} to={pathTo('check', { pid, checkId: id })}>
                {visibleLine(name)}
              </Link>
              <span className={styles.soft}>{precisePercent(days?.get(id)?.uptime ?? null)}</span>
              <span className={styles.state}>
                <CheckState status={status} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
