import { TRACKER_FACTS } from '@culprit/contract/alerts/tracker-words';
import {
  createTrackerHook,
  deleteTracker,
  type Tracker,
  type TrackerRights,
  testTracker,
} from '@culprit/contract/alerts/trackers';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { trackersQuery } from '../api/trackers.ts';
import { call } from '../api/transport.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { SecretDialog } from '../ui/layers/secret-dialog.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { Notice } from '../ui/notice.tsx';
import { TrackerDialog } from './tracker-dialog.tsx';
import styles from './trackers-page.module.css';
import { isInstallable, WebhookDialog } from './webhook-dialog.tsx';

const route = getRouteApi(`/frame${PATTERNS.trackers}`);

/** Shown once: with the address for a webhook, or null for a custom tracker, which gets it with each call. */
type NewHook = { url: string | null; secret: string };

/** The page of the trackers in which tickets of incidents are created, with the state of each connection. */
export function TrackersPage() {
  const { new: isConnecting } = route.useSearch();
  const navigate = useNavigate();
  const open = (isOpen: boolean) =>
    void navigate({ to: '.', search: isOpen ? { new: '1' } : {}, replace: true });
  return (
    <ProjectScreen
      title="Issue trackers"
      intro="Create tickets from incidents. A resolved incident closes its ticket, and a closed ticket resolves its incident."
      actions={(project) => (
        <Button kind="primary" refusal={refusalFor('admin', project)} onClick={() => open(true)}>
          Connect a tracker
        </Button>
      )}
    >
      {(project) => (
        <Trackers project={project} isConnecting={isConnecting !== undefined} onConnecting={open} />
      )}
    </ProjectScreen>
  );
}

function Trackers({
  project,
  isConnecting,
  onConnecting,
}: {
  project: Project;
  isConnecting: boolean;
  onConnecting: (isOpen: boolean) => void;
}) {
  const { data, error, refetch } = useQuery(trackersQuery(project.project_id));
  const [editing, setEditing] = useState<Tracker | null>(null);
  const [leaving, setLeaving] = useState<Tracker | null>(null);
  const [hook, setHook] = useState<NewHook | null>(null);
  return (
    <>
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={2} height="64px" />}
      {data?.length === 0 && (
        <Notice title="No issue tracker is connected.">
          Culprit supports GitHub Issues, Jira, GitLab and Linear. Connect any other tracker through a small
          service of your own.
        </Notice>
      )}
      {data !== undefined && data.length > 0 && (
        <RecordList label="Issue trackers">
          {data.map((tracker) => (
            <TrackerLine
              key={tracker.tracker_id}
              project={project}
              tracker={tracker}
              onEdit={() => setEditing(tracker)}
              onLeave={() => setLeaving(tracker)}
              onHook={setHook}
            />
          ))}
        </RecordList>
      )}
      <TrackerDialog
        key={editing?.tracker_id ?? 'new'}
        projectId={project.project_id}
        stored={editing}
        isOpen={isConnecting || editing !== null}
        onClose={() => {
          setEditing(null);
          if (isConnecting) onConnecting(false);
        }}
        onSecret={(secret) => setHook({ url: null, secret })}
      />
      <SecretDialog title="Webhook secret" secret={hook?.secret ?? null} onStored={() => setHook(null)}>
        {hook?.url != null && <CodeBlock code={hook.url} label="address" copyLabel="Copy the address" />}
        <p>
          {hook?.url == null
            ? 'Give this secret to your service. It signs the requests of Culprit and the reports of the service. Then test the connection.'
            : 'Create a webhook for issues in the tracker with this address and secret. Until the first notification, the tracker is read every minute.'}
        </p>
      </SecretDialog>
      <Disconnect project={project} tracker={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

function TrackerLine({
  project,
  tracker,
  onEdit,
  onLeave,
  onHook,
}: {
  project: Project;
  tracker: Tracker;
  onEdit: () => void;
  onLeave: () => void;
  onHook: (hook: NewHook) => void;
}) {
  const queryClient = useQueryClient();
  const params = { id: project.project_id, trackerId: tracker.tracker_id };
  const { name, target, account, hook, last_error: problem } = tracker;
  const reread = () => queryClient.invalidateQueries(trackersQuery(project.project_id));
  const test = useMutation({
    mutationFn: () => call(testTracker, { params }),
    onSettled: reread,
  });
  const create = useMutation({
    mutationFn: () => call(createTrackerHook, { params, body: {} }),
    onSuccess: async ({ url, secret }) => {
      setSettingUp(false);
      onHook({ url: tracker.kind === 'generic' ? null : url, secret });
      await reread();
    },
    onError: (error) => showToast(problemText(error)),
  });
  const refusal = refusalFor('admin', project);
  const [isSettingUp, setSettingUp] = useState(false);
  return (
    <RecordLine
      isDim={tracker.is_stopped}
      title={
        <b translate="no">
          {name}: {target}
        </b>
      }
      facts={
        <>
          <span>{TRACKER_FACTS[tracker.kind].name}</span>
          {account !== null && <span>as {account}</span>}
          {hook.last_received_at === null ? (
            <span>{hook.state === 'none' ? 'no webhook' : 'waiting for its webhook'}</span>
          ) : (
            <span>
              last notification <Time iso={hook.last_received_at} />
            </span>
          )}
          {problem !== null && (
            <span className={styles.problem}>
              {tracker.is_stopped ? 'stopped: the token is refused' : `the tracker answered ${problem}`}
            </span>
          )}
          <span role="status">
            {test.isSuccess && <span className={styles.fine}>{testWords(test.data.rights)}</span>}
            {test.isError && <span className={styles.problem}>{problemText(test.error)}</span>}
          </span>
        </>
      }
      controls={
        <>
          <Button
            isBusy={test.isPending}
            refusal={refusal}
            aria-label={`Test ${name}`}
            onClick={() => test.mutate()}
          >
            Test
          </Button>
          <Button
            kind="quiet"
            isBusy={create.isPending}
            refusal={refusal}
            aria-label={`${tracker.kind === 'generic' ? 'Replace secret' : 'Set up webhook'} of ${name}`}
            onClick={() => (isInstallable(tracker) ? setSettingUp(true) : create.mutate())}
          >
            {tracker.kind === 'generic' ? 'Replace secret' : 'Set up webhook'}
          </Button>
          {isSettingUp && (
            <WebhookDialog
              tracker={tracker}
              projectId={project.project_id}
              isCreating={create.isPending}
              // Linear makes the secret of a webhook that people create itself; the command line takes one.
              onByHand={tracker.kind === 'linear' ? null : () => create.mutate()}
              onClose={() => setSettingUp(false)}
            />
          )}
          <Button kind="quiet" refusal={refusal} aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <Button kind="quiet" refusal={refusal} aria-label={`Disconnect ${name}`} onClick={onLeave}>
            Disconnect
          </Button>
        </>
      }
    />
  );
}

const RIGHT_WORDS: Readonly<Record<keyof TrackerRights, string>> = {
  create: 'create tickets',
  comment: 'comment on them',
  transition: 'close them',
  hook: 'create webhooks',
};

/** That the connection works, and what the tracker says that its token may not do. */
function testWords(rights: TrackerRights): string {
  const missing = Object.entries(RIGHT_WORDS).flatMap(([right, words]) =>
    Object.entries(rights).some(([name, may]) => name === right && may === false) ? [words] : [],
  );
  return missing.length === 0
    ? 'The connection works'
    : `The connection works. Its token cannot ${missing.join(', ')}`;
}

function Disconnect({
  project,
  tracker,
  onClose,
}: {
  project: Project;
  tracker: Tracker | null;
  onClose: () => void;
}) {
  return (
    <ConfirmedAction
      item={tracker}
      title={`Disconnect ${tracker?.name ?? ''}?`}
      verb="Disconnect the tracker"
      run={({ tracker_id: trackerId }) =>
        call(deleteTracker, {
          params: { id: project.project_id, trackerId },
          query: { unlink: '1' },
        })
      }
      done="Disconnected"
      rereads={trackersQuery(project.project_id)}
      onClose={onClose}
    >
      <p>Culprit deletes the token. Tickets stay linked but are no longer synchronized.</p>
    </ConfirmedAction>
  );
}
