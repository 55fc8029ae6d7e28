import type { AvailabilityCheck, CheckLimits } from '@culprit/contract/monitor/availability-checks';
import type { CheckDays } from '@culprit/contract/monitor/check-history';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { checkDaysQuery, checksQuery } from '../api/checks.ts';
import { visibleLine } from '../format/event-text.ts';
import { duration, plural, precisePercent } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { CheckState } from '../shell/parts/check-state.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { DayBars } from '../ui/plots/day-bars.tsx';
import { pausedWords, requestWords, statusWords } from './check-words.ts';
import styles from './checks-page.module.css';
import { barsOf, daysWords } from './days.ts';

/** More than anybody has: the plan sets no limit. */
const NO_LIMIT = 2_147_483_647;

/** The screen of uptime: the state of each check, since when it fails, and its latency. */
export function ChecksPage() {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const add = () => void navigate({ to: pathTo('newCheck', { pid }) });
  useShortcuts('Uptime', [{ keys: 'n', label: 'New check', run: add }]);
  return (
    <ProjectScreen
      title="Uptime"
      intro="A check requests a URL at an interval and opens an incident when it fails."
      actions={(project) => (
        <Button kind="primary" keys="N" refusal={refusalFor('admin', project)} onClick={add}>
          New check
        </Button>
      )}
    >
      {(project) => <Checks project={project} />}
    </ProjectScreen>
  );
}

function Checks({ project: { project_id: pid } }: { project: Project }) {
  const { data, error, refetch } = useQuery(checksQuery(pid));
  const days = useQuery(checkDaysQuery(pid));
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={5} />;
  if (data.checks.length === 0) return <Notice title="No checks yet." />;
  return (
    <>
      <ul className={styles.checks} aria-label="Uptime">
        {data.checks.map((check) => (
          <Row key={check.check_id} pid={pid} check={check} days={days.data?.get(check.check_id)} />
        ))}
      </ul>
      <p className={styles.limits}>{limitWords(data.checks.length, data.limits)}</p>
    </>
  );
}

function Row({ pid, check, days }: { pid: string; check: AvailabilityCheck; days: CheckDays | undefined }) {
  return (
    <li className={styles.check}>
      <CheckState status={check.status} />
      <span className={styles.words}>
        <Link className={styles.name} to={pathTo('check', { pid, checkId: check.check_id })}>
          {visibleLine(check.name)}
        </Link>
        <span className={styles.facts}>{factsOf(check)}</span>
      </span>
      <span className={styles.days}>
        {days !== undefined && <DayBars days={barsOf(days.days)} />}
        {days !== undefined && <span className="visually-hidden">{daysWords(days.days)}</span>}
      </span>
      <span className={styles.figure}>
        {precisePercent(days?.uptime ?? null)}
        <span className={styles.unit}> 30 d</span>
      </span>
      <span className={styles.figure}>
        {duration(check.status === 'passing' ? check.last_result_duration_ms : null)}
      </span>
      <span className={styles.seen}>
        {check.status === 'failing' && check.linked_incident_id !== null ? (
          <Link className={styles.incident} to={pathTo('incident', { id: check.linked_incident_id })}>
            Incident
          </Link>
        ) : check.last_checked_at === null ? (
          'no run yet'
        ) : (
          <Time iso={check.last_checked_at} />
        )}
      </span>
    </li>
  );
}

function factsOf(check: AvailabilityCheck): string {
  if (check.status === 'paused') return pausedWords(check.paused_reason);
  const last = check.last_result_status;
  return check.status === 'failing' && last !== null && last !== 'success'
    ? `${statusWords(last)}, ${plural(check.consecutive_failures, 'failure')} in a row`
    : requestWords(check);
}

/** "2 of 8 checks, at least 30 s apart." */
function limitWords(count: number, limits: CheckLimits | null): string {
  if (limits === null) return plural(count, 'check');
  const { max_checks_per_project: most, min_interval_seconds: seconds } = limits;
  const share = most >= NO_LIMIT ? plural(count, 'check') : `${count} of ${plural(most, 'check')}`;
  return `${share}, the shortest interval is ${duration(seconds * 1000)}`;
}
