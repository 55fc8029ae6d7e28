import { HEARTBEATS_MAX, HEARTBEATS_OF_CHECK_INS_MAX } from '@culprit/contract/monitor/heartbeat-limits';
import { scheduleWords } from '@culprit/contract/monitor/heartbeat-words';
import type { Heartbeat } from '@culprit/contract/monitor/heartbeats';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { duration, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { CheckState } from '../shell/parts/check-state.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './checks-page.module.css';
import { isFailedRun, runWords } from './heartbeat-words.ts';
import { heartbeatsQuery } from './heartbeats-queries.ts';

/** The scheduled jobs of a project: whether they ran, and when they run next. */
export function HeartbeatsPage() {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const add = () => void navigate({ to: pathTo('newHeartbeat', { pid }) });
  useShortcuts('Heartbeats', [{ keys: 'n', label: 'New heartbeat', run: add }]);
  return (
    <ProjectScreen
      title="Heartbeats"
      intro="A scheduled job reports its runs. An incident opens when it fails, does not run or does not end."
      actions={(project) => (
        <Button kind="primary" keys="N" refusal={refusalFor('admin', project)} onClick={add}>
          New heartbeat
        </Button>
      )}
    >
      {(project) => <Heartbeats project={project} />}
    </ProjectScreen>
  );
}

function Heartbeats({ project: { project_id: pid } }: { project: Project }) {
  const { data, error, refetch } = useQuery(heartbeatsQuery(pid));
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={5} />;
  if (data.length === 0) {
    return (
      <Notice title="No heartbeats yet.">
        Create one and request its URL when the job ends. The check-ins of Sentry's libraries create them too.
      </Notice>
    );
  }
  return (
    <>
      <ul className={styles.checks} aria-label="Heartbeats">
        {data.map((heartbeat) => (
          <Row key={heartbeat.heartbeat_id} pid={pid} heartbeat={heartbeat} />
        ))}
      </ul>
      <p className={styles.limits}>
        {data.length} of {plural(HEARTBEATS_MAX, 'heartbeat')}.{' '}
        {data.length >= HEARTBEATS_OF_CHECK_INS_MAX && (
          <>
            Check-ins for more heartbeats can be refused;{' '}
            <Link to={pathTo('intake', { pid })}>Event intake</Link> counts them.
          </>
        )}
      </p>
    </>
  );
}

function Row({ pid, heartbeat }: { pid: string; heartbeat: Heartbeat }) {
  const {
    status,
    last_check_in_at: lastAt,
    linked_incident_id: incident,
    next_expected_at: next,
  } = heartbeat;
  return (
    <li className={styles.check} data-heartbeat>
      <CheckState status={status} />
      <span className={styles.words}>
        <Link className={styles.name} to={pathTo('heartbeat', { pid, heartbeatId: heartbeat.heartbeat_id })}>
          {visibleLine(heartbeat.name)}
        </Link>
        <span className={styles.facts}>{factsOf(heartbeat)}</span>
      </span>
      <span className={styles.facts}>
        {next !== null && (
          <>
            Next run <Time iso={next} form="relative" />
          </>
        )}
      </span>
      <span className={styles.facts} dir="auto">
        {visibleLine(heartbeat.environment)}
      </span>
      <span className={styles.figure}>
        {heartbeat.last_duration_ms !== null && duration(heartbeat.last_duration_ms)}
      </span>
      <span className={styles.seen}>
        {status === 'failing' && incident !== null ? (
          <Link className={styles.incident} to={pathTo('incident', { id: incident })}>
            Incident
          </Link>
        ) : lastAt === null ? (
          'no run yet'
        ) : (
          <Time iso={lastAt} />
        )}
      </span>
    </li>
  );
}

function factsOf(heartbeat: Heartbeat): string {
  const { last_status: last, consecutive_failures: failures } = heartbeat;
  return heartbeat.status === 'failing' && isFailedRun(last) && last !== null
    ? `${runWords(last)}, ${plural(failures, 'failure')} in a row`
    : scheduleWords(heartbeat);
}
