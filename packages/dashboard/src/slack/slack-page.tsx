import {
  deleteSlackDestination,
  getSlackInstallUrl,
  type SlackDestination,
  testSlackDestination,
} from '@culprit/contract/alerts/slack';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { alertsQuery } from '../api/alerts.ts';
import { problemText } from '../api/problem-words.ts';
import { reportChannelsQuery } from '../api/reports.ts';
import { serverQuery } from '../api/server.ts';
import { slackDestinationsQuery, slackName } from '../api/slack.ts';
import { call } from '../api/transport.ts';
import { plural } from '../format/numbers.ts';
import { PATTERNS, pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './slack-page.module.css';

const route = getRouteApi(`/frame${PATTERNS.slack}`);

const RETURN_WORDS: Readonly<Record<string, string>> = {
  success: 'The channel is connected',
  cancelled: 'Connecting was cancelled in Slack',
  error: 'The channel was not connected. Try again.',
};

/** Which channels there are, whether they work, and what uses them. */
export function SlackPage() {
  const { slack_connect: outcome } = route.useSearch();
  const navigate = useNavigate();
  const words = RETURN_WORDS[outcome ?? ''];
  useEffect(() => {
    if (words === undefined) return;
    showToast(words);
    void navigate({ to: '.', search: {}, replace: true });
  }, [words, navigate]);
  const { data: server } = useQuery(serverQuery);
  return (
    <ProjectScreen
      title="Slack"
      intro="Channels that alert rules and weekly reports can post to. They belong to the organization, not to one project."
      actions={(project) => (server?.slack === true ? <Connect project={project} isFirst /> : undefined)}
    >
      {(project) => <Channels project={project} isConfigured={server?.slack === true} />}
    </ProjectScreen>
  );
}

function Connect({ project, isFirst = false }: { project: Project; isFirst?: boolean }) {
  const connect = useMutation({
    mutationFn: async () => {
      const pid = project.project_id;
      const query = { project_id: pid, return_to: pathTo('slack', { pid }) };
      return (await call(getSlackInstallUrl, { query })).install_url;
    },
    onSuccess: (url) => location.assign(url),
    onError: (error) => showToast(problemText(error)),
  });
  return (
    <Button
      kind={isFirst ? 'primary' : 'plain'}
      isBusy={connect.isPending || connect.isSuccess}
      refusal={refusalFor('admin', project)}
      onClick={() => connect.mutate()}
    >
      Connect a channel
    </Button>
  );
}

function Channels({ project, isConfigured }: { project: Project; isConfigured: boolean }) {
  const { data, error, refetch } = useQuery(slackDestinationsQuery(project.project_id));
  const [leaving, setLeaving] = useState<SlackDestination | null>(null);
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={3} height="64px" />;
  if (data.length === 0) {
    return isConfigured ? (
      <Notice title="No channel is connected." action={<Connect project={project} />}>
        You choose the channel in Slack and then return to this page.
      </Notice>
    ) : (
      <Notice title="Slack is not set up on this server.">
        Its operator can connect a Slack app. Without one, an alert rule can still post through an incoming
        webhook.
      </Notice>
    );
  }
  return (
    <>
      <RecordList label="Slack channels">
        {data.map((destination) => (
          <Channel
            key={destination.slack_destination_id}
            project={project}
            destination={destination}
            isConfigured={isConfigured}
            onLeave={() => setLeaving(destination)}
          />
        ))}
      </RecordList>
      <Disconnect project={project} destination={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

function Channel({
  project,
  destination,
  isConfigured,
  onLeave,
}: {
  project: Project;
  destination: SlackDestination;
  isConfigured: boolean;
  onLeave: () => void;
}) {
  const queryClient = useQueryClient();
  const name = slackName(destination);
  const test = useMutation({
    mutationFn: async () => {
      const params = { id: project.project_id, destinationId: destination.slack_destination_id };
      return await call(testSlackDestination, { params });
    },
    // Success makes an inactive channel active, and a refusal the other way round.
    onSettled: () => queryClient.invalidateQueries(slackDestinationsQuery(project.project_id)),
  });
  return (
    <RecordLine
      isDim={!destination.is_active}
      title={<b translate="no">{name}</b>}
      facts={
        <>
          <span className={destination.is_active ? '' : styles.inactive}>
            {destination.is_active ? 'active' : 'Slack refuses it: connect it again'}
          </span>
          <Uses project={project} destinationId={destination.slack_destination_id} />
          <span role="status">
            {test.isSuccess && <span className={styles.fine}>Test sent</span>}
            {test.isError && <span className={styles.inactive}>{problemText(test.error)}</span>}
          </span>
        </>
      }
      controls={
        <>
          {isConfigured && (
            <Button
              isBusy={test.isPending}
              refusal={refusalFor('admin', project)}
              aria-label={`Send a test to ${name}`}
              onClick={() => test.mutate()}
            >
              Send a test
            </Button>
          )}
          <Button
            kind="quiet"
            refusal={refusalFor('admin', project)}
            aria-label={`Disconnect ${name}`}
            onClick={onLeave}
          >
            Disconnect
          </Button>
        </>
      }
    />
  );
}

/** Shows the uses of the channel in this project; other projects of the organization may use it too. */
function Uses({ project, destinationId }: { project: Project; destinationId: string }) {
  const pid = project.project_id;
  const { data: alerts } = useQuery(alertsQuery(pid));
  const { data: reports } = useQuery(reportChannelsQuery(pid));
  if (alerts === undefined || reports === undefined) return null;
  const rules = alerts.filter(({ config }) => config.slack_destination_id === destinationId);
  const weekly = reports.filter(
    ({ config }) => 'slack_destination_id' in config && config.slack_destination_id === destinationId,
  );
  if (rules.length + weekly.length === 0) return <span>not used in this project</span>;
  return (
    <span>
      used by{' '}
      {rules.length > 0 && (
        <Link className={link.link} to={pathTo('alerts', { pid })}>
          {plural(rules.length, 'alert rule')}
        </Link>
      )}
      {rules.length > 0 && weekly.length > 0 && ' and '}
      {weekly.length > 0 && (
        <Link className={link.link} to={pathTo('reports', { pid })}>
          the weekly report
        </Link>
      )}
    </span>
  );
}

function Disconnect({
  project,
  destination,
  onClose,
}: {
  project: Project;
  destination: SlackDestination | null;
  onClose: () => void;
}) {
  return (
    <ConfirmedAction
      item={destination}
      title={`Disconnect ${destination === null ? '' : slackName(destination)}?`}
      verb="Disconnect the channel"
      run={({ slack_destination_id: destinationId }) =>
        call(deleteSlackDestination, { params: { id: project.project_id, destinationId } })
      }
      done="Disconnected"
      rereads={slackDestinationsQuery(project.project_id)}
      onClose={onClose}
    >
      <p>Culprit deletes the channel. First choose another channel for the rules and reports that use it:</p>
      {destination !== null && (
        <p>
          <Uses project={project} destinationId={destination.slack_destination_id} />
        </p>
      )}
    </ConfirmedAction>
  );
}
