import {
  type AvailabilityCheck,
  deleteAvailabilityCheck,
  listAvailabilityChecks,
  updateAvailabilityCheck,
} from '@culprit/contract/monitor/availability-checks';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { duration, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { CheckState } from '../shell/parts/check-state.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { CheckDaysPart } from './check-days-part.tsx';
import { CheckLatencyPart } from './check-latency-part.tsx';
import styles from './check-page.module.css';
import { CheckRunsPart } from './check-runs-part.tsx';
import { errorWords, pausedWords, requestWords } from './check-words.ts';
import { checkQuery } from './checks-queries.ts';
import { WatchActions } from './watch-actions.tsx';

const LIST = { to: 'checks', label: 'Uptime' } as const;

/** One check: whether it is up, since when not, how slow it gets. */
export function CheckPage() {
  const { pid = '', checkId = '' } = useParams({ strict: false });
  const ids = { id: pid, checkId };
  const { data, error, refetch } = useQuery(checkQuery(ids));
  const check = data?.check;
  return (
    <ProjectScreen
      title={check === undefined ? 'Check' : visibleLine(check.name)}
      parent={LIST}
      actions={(project) =>
        check !== undefined && (
          <WatchActions
            project={project}
            noun="check"
            name={check.name}
            isEnabled={check.enabled}
            consequence="Deletes 30 days of results. Its incident stays."
            paths={{ list: pathTo('checks', { pid }), edit: pathTo('editCheck', { pid, checkId }) }}
            keys={{ record: checkQuery(ids).queryKey, list: [listAvailabilityChecks.id] }}
            setEnabled={(enabled) => call(updateAvailabilityCheck, { params: ids, body: { enabled } })}
            remove={() => call(deleteAvailabilityCheck, { params: ids })}
          />
        )
      }
    >
      {() =>
        check === undefined ? (
          <LoadingPart error={error} retry={refetch} rows={6} />
        ) : (
          <>
            <Standing check={check} />
            <Sections>
              <CheckDaysPart ids={ids} />
              <CheckLatencyPart ids={ids} />
              <CheckRunsPart ids={ids} />
            </Sections>
          </>
        )
      }
    </ProjectScreen>
  );
}

function Standing({ check }: { check: AvailabilityCheck }) {
  const {
    last_checked_at: lastAt,
    linked_incident_id: incident,
    linked_incident_status: incidentStatus,
  } = check;
  return (
    <div className={styles.standing}>
      <p className={styles.line}>
        <CheckState status={check.status} />
        {check.status === 'paused' && <span>{pausedWords(check.paused_reason)}</span>}
        {check.status === 'failing' && <span>{errorWords(check.last_result_error_kind)}</span>}
        {lastAt !== null && (
          <span>
            last run <Time iso={lastAt} />
            {check.last_result_duration_ms !== null && ` in ${duration(check.last_result_duration_ms)}`}
          </span>
        )}
        {incident !== null && (
          <Link className={styles.link} to={pathTo('incident', { id: incident })}>
            {incidentStatus === 'resolved' ? 'Its last incident' : 'Its open incident'}
          </Link>
        )}
      </p>
      <p className={styles.address} translate="no">
        <code>{visibleLine(check.url)}</code>
      </p>
      <p className={styles.line}>
        <span>{requestWords(check)}</span>
        <span>fails after {plural(check.failure_threshold, 'failure')}</span>
        <span>recovers after {plural(check.recovery_threshold, 'success', 'successes')}</span>
        <span>timeout {duration(check.timeout_ms)}</span>
        <span>
          {visibleLine([check.service_name, check.environment].filter((each) => each !== null).join(' · '))}
        </span>
      </p>
    </div>
  );
}
