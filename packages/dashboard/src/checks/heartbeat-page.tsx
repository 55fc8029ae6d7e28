import { scheduleWords } from '@culprit/contract/monitor/heartbeat-words';
import {
  deleteHeartbeat,
  type Heartbeat,
  type HeartbeatDay,
  listHeartbeats,
  rotateHeartbeatKey,
  updateHeartbeat,
} from '@culprit/contract/monitor/heartbeats';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { call, serverNow } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { duration, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { CheckState } from '../shell/parts/check-state.tsx';
import { ConfirmButton } from '../shell/parts/confirmed-action.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import type { Column } from '../ui/lists/data-table.tsx';
import styles from './check-page.module.css';
import { DaysPart } from './days-part.tsx';
import { heartbeatBars, heartbeatDaysWords } from './heartbeat-days.ts';
import { HeartbeatRunsPart } from './heartbeat-runs-part.tsx';
import { HeartbeatSetupPart } from './heartbeat-setup-part.tsx';
import { type HeartbeatIds, heartbeatDaysQuery, heartbeatQuery } from './heartbeats-queries.ts';
import { WatchActions } from './watch-actions.tsx';

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
function HeartbeatDaysPart({ ids }: { ids: HeartbeatIds }) {
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

const LIST = { to: 'heartbeats', label: 'Heartbeats' } as const;

/** One scheduled job: whether it ran, when it runs next, and how it reports. */
export function HeartbeatPage() {
  const { pid = '', heartbeatId = '' } = useParams({ strict: false });
  const ids = { id: pid, heartbeatId };
  const { data, error, refetch } = useQuery(heartbeatQuery(ids));
  const heartbeat = data?.heartbeat;
  return (
    <ProjectScreen
      title={heartbeat === undefined ? 'Heartbeat' : visibleLine(heartbeat.name)}
      parent={LIST}
      actions={(project) =>
        heartbeat !== undefined && (
          <WatchActions
            project={project}
            noun="heartbeat"
            name={heartbeat.name}
            isEnabled={heartbeat.enabled}
            consequence="Deletes its runs and their days. Its incident stays."
            paths={{
              list: pathTo('heartbeats', { pid }),
              edit: pathTo('editHeartbeat', { pid, heartbeatId }),
            }}
            keys={{ record: heartbeatQuery(ids).queryKey, list: [listHeartbeats.id] }}
            setEnabled={(enabled) => call(updateHeartbeat, { params: ids, body: { enabled } })}
            remove={() => call(deleteHeartbeat, { params: ids })}
          />
        )
      }
    >
      {(project) =>
        heartbeat === undefined ? (
          <LoadingPart error={error} retry={refetch} rows={6} />
        ) : (
          <>
            <Standing heartbeat={heartbeat} />
            <Sections>
              <HeartbeatSetupPart
                heartbeat={heartbeat}
                actions={<NewAddress project={project} ids={ids} />}
              />
              <HeartbeatDaysPart ids={ids} />
              <HeartbeatRunsPart ids={ids} />
            </Sections>
          </>
        )
      }
    </ProjectScreen>
  );
}

function Standing({ heartbeat }: { heartbeat: Heartbeat }) {
  const { last_check_in_at: lastAt, next_expected_at: next, linked_incident_id: incident } = heartbeat;
  return (
    <div className={styles.standing}>
      <p className={styles.line}>
        <CheckState status={heartbeat.status} />
        {lastAt !== null && (
          <span>
            last check-in <Time iso={lastAt} />
          </span>
        )}
        {next !== null && (
          <span>
            next run <Time iso={next} form="relative" />
          </span>
        )}
        {incident !== null && (
          <Link className={styles.link} to={pathTo('incident', { id: incident })}>
            {heartbeat.linked_incident_status === 'resolved' ? 'Its last incident' : 'Its open incident'}
          </Link>
        )}
      </p>
      <p className={styles.line}>
        <span>{scheduleWords(heartbeat)}</span>
        <span>late after {duration(heartbeat.margin_minutes * 60_000)}</span>
        <span>runs at most {duration(heartbeat.max_runtime_minutes * 60_000)}</span>
        <span>fails after {plural(heartbeat.failure_threshold, 'failure')}</span>
        <span dir="auto">
          {visibleLine(
            [heartbeat.slug, heartbeat.service_name, heartbeat.environment]
              .filter((each) => each !== null)
              .join(' · '),
          )}
        </span>
      </p>
    </div>
  );
}

/** The address that the job requests may have become known. */
function NewAddress({ project, ids }: { project: Project; ids: HeartbeatIds }) {
  return (
    <ConfirmButton
      label="Replace URL"
      refusal={refusalFor('admin', project)}
      title="Replace the URL?"
      verb="Replace the URL"
      run={() => call(rotateHeartbeatKey, { params: ids })}
      done="The heartbeat has a new URL"
      rereads={heartbeatQuery(ids)}
    >
      <p>Jobs that request the old URL get 404 and count as not run.</p>
    </ConfirmButton>
  );
}
