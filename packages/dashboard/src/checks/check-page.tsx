import {
  type AvailabilityCheck,
  deleteAvailabilityCheck,
  listAvailabilityChecks,
  updateAvailabilityCheck,
} from '@culprit/contract/availability-checks';
import type { Project } from '@culprit/contract/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { duration, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { CheckState } from '../shell/check-state.tsx';
import { Sections } from '../shell/page.tsx';
import { PartError } from '../shell/part-error.tsx';
import { ProjectScreen } from '../shell/project-screen.tsx';
import { refusalFor } from '../shell/roles.ts';
import { useShortcuts } from '../shell/shortcuts.tsx';
import { showToast } from '../shell/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { CheckDaysPart } from './check-days-part.tsx';
import { CheckLatencyPart } from './check-latency-part.tsx';
import styles from './check-page.module.css';
import { CheckRunsPart } from './check-runs-part.tsx';
import { errorWords, pausedWords, requestWords } from './check-words.ts';
import { type CheckIds, checkQuery } from './checks-queries.ts';

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
      actions={(project) => check !== undefined && <CheckActions project={project} check={check} ids={ids} />}
    >
      {() =>
        check === undefined ? (
          error === null ? (
            <SkeletonRows rows={6} />
          ) : (
            <PartError error={error} retry={() => void refetch()} />
          )
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

function CheckActions({
  project,
  check,
  ids,
}: {
  project: Project;
  check: AvailabilityCheck;
  ids: CheckIds;
}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const refusal = refusalFor('admin', project);
  const edit = () => void navigate({ to: pathTo('editCheck', { pid: ids.id, checkId: ids.checkId }) });
  const change = useMutation({
    mutationFn: async (enabled: boolean) =>
      await bodyOf(client.call(updateAvailabilityCheck, { params: ids, body: { enabled } })),
    onSuccess: async ({ check: { enabled } }) => {
      showToast(enabled ? 'The check runs again' : 'The check is paused');
      await Promise.all([
        queryClient.invalidateQueries(checkQuery(ids)),
        queryClient.invalidateQueries({ queryKey: [listAvailabilityChecks.id] }),
      ]);
    },
    onError: (error) => showToast(problemText(error), { lastsMs: null }),
  });
  const remove = useMutation({
    mutationFn: () => bodyOf(client.call(deleteAvailabilityCheck, { params: ids })),
    onSuccess: async () => {
      showToast(`Deleted ${visibleLine(check.name)}`);
      await navigate({ to: pathTo('checks', { pid: ids.id }) });
      queryClient.removeQueries(checkQuery(ids));
      await queryClient.invalidateQueries({ queryKey: [listAvailabilityChecks.id] });
    },
  });
  useShortcuts('Check', [{ keys: 'e', label: 'Edit the check', run: () => refusal === null && edit() }]);
  return (
    <>
      <Button refusal={refusal} isBusy={change.isPending} onClick={() => change.mutate(!check.enabled)}>
        {check.enabled ? 'Pause' : 'Run again'}
      </Button>
      <Button refusal={refusal} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <Button kind="primary" keys="E" refusal={refusal} onClick={edit}>
        Edit
      </Button>
      <ConfirmDialog
        title={`Delete ${visibleLine(check.name)}?`}
        verb="Delete the check"
        isOpen={isDeleting}
        isBusy={remove.isPending}
        error={remove.isError ? problemText(remove.error) : null}
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      >
        <p>Deletes 30 days of results. Its incident stays.</p>
      </ConfirmDialog>
    </>
  );
}
