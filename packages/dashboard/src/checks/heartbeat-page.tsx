import { scheduleWords } from '@culprit/contract/monitor/heartbeat-words';
import {
  deleteHeartbeat,
  type Heartbeat,
  listHeartbeats,
  rotateHeartbeatKey,
  updateHeartbeat,
} from '@culprit/contract/monitor/heartbeats';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { duration, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { CheckState } from '../shell/parts/check-state.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/layers/dialog.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import styles from './check-page.module.css';
import { HeartbeatDaysPart } from './heartbeat-days-part.tsx';
import { HeartbeatRunsPart } from './heartbeat-runs-part.tsx';
import { HeartbeatSetupPart } from './heartbeat-setup-part.tsx';
import { type HeartbeatIds, heartbeatQuery } from './heartbeats-queries.ts';
import { WatchActions } from './watch-actions.tsx';

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
            setEnabled={(enabled) => bodyOf(client.call(updateHeartbeat, { params: ids, body: { enabled } }))}
            remove={() => bodyOf(client.call(deleteHeartbeat, { params: ids }))}
          />
        )
      }
    >
      {(project) =>
        heartbeat === undefined ? (
          error === null ? (
            <SkeletonRows rows={6} />
          ) : (
            <PartError error={error} retry={() => void refetch()} />
          )
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
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const rotate = useMutation({
    mutationFn: () => bodyOf(client.call(rotateHeartbeatKey, { params: ids })),
    onSuccess: async () => {
      setAsking(false);
      showToast('The heartbeat has a new URL');
      await queryClient.invalidateQueries(heartbeatQuery(ids));
    },
  });
  return (
    <>
      <Button kind="quiet" refusal={refusalFor('admin', project)} onClick={() => setAsking(true)}>
        Replace URL
      </Button>
      <ConfirmDialog
        title="Replace the URL?"
        verb="Replace the URL"
        isOpen={isAsking}
        isBusy={rotate.isPending}
        error={rotate.isError ? problemText(rotate.error) : null}
        onConfirm={() => rotate.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>Jobs that request the old URL get 404 and count as not run.</p>
      </ConfirmDialog>
    </>
  );
}
