import type { SlackDestination } from '@culprit/contract/alerts/slack';
import {
  deleteWeeklyReportChannel,
  sendWeeklyReport,
  updateWeeklyReportChannel,
  type WeeklyReportChannel,
} from '@culprit/contract/alerts/weekly-reports';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { reportChannelsQuery } from '../api/reports.ts';
import { slackDestinationsQuery, slackName } from '../api/slack.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { shortUrl } from '../format/short-url.ts';
import { usePresent } from '../format/time.tsx';
import { relativeTime } from '../format/times.ts';
import { PATTERNS } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { LiveSwitch } from '../shell/parts/live-switch.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { useWaitAfter } from '../shell/parts/wait-after.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Sentence, SentenceLine, sentenceText } from '../ui/sentence.tsx';
import { ReportForm } from './report-form.tsx';
import type { ReportValues } from './report-values.ts';
import { DAY_WORDS, hourWords, nextReportMs, reportTime } from './schedule.ts';

const route = getRouteApi(`/frame${PATTERNS.reports}`);
const SLACK_MAX = 10;

/** The screen of weekly reports: their receivers and schedules. */
export function ReportsPage() {
  const { edit } = route.useSearch();
  const navigate = useNavigate();
  const open = (id: string | null) =>
    void navigate({ to: '.', search: id === null ? {} : { edit: id }, replace: true });
  useShortcuts('Reports', [{ keys: 'n', label: 'New weekly report', run: () => open('new') }]);
  return (
    <ProjectScreen
      title="Weekly report"
      intro="New, resolved and returning incidents of the week, and up to five that rose the most. If there are none, nothing is sent."
      actions={(project) => (
        <Button kind="primary" keys="N" refusal={refusalFor('admin', project)} onClick={() => open('new')}>
          New report
        </Button>
      )}
    >
      {(project) => <Reports project={project} edited={edit ?? null} onEdit={open} />}
    </ProjectScreen>
  );
}

function Reports({
  project,
  edited,
  onEdit,
}: {
  project: Project;
  edited: string | null;
  onEdit: (id: string | null) => void;
}) {
  const { data, error, refetch } = useQuery(reportChannelsQuery(project.project_id));
  const { data: destinations = [] } = useQuery(slackDestinationsQuery(project.project_id));
  const [leaving, setLeaving] = useState<WeeklyReportChannel | null>(null);
  const refusal = refusalFor('admin', project);
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={2} height="64px" />;
  const stored = data.find(({ channel_id: id }) => id === edited) ?? null;
  const kinds = kindsLeft(data, destinations);
  return (
    <>
      {data.length === 0 && (
        <Notice
          title="No weekly reports yet."
          action={
            <Button refusal={refusal} onClick={() => onEdit('new')}>
              New report
            </Button>
          }
        />
      )}
      {data.length > 0 && (
        <RecordList label="Weekly reports">
          {data.map((channel) => (
            <ReportLine
              key={channel.channel_id}
              project={project}
              channel={channel}
              sentence={reportSentence(channel, destinations)}
              onEdit={() => onEdit(channel.channel_id)}
              onDelete={() => setLeaving(channel)}
            />
          ))}
        </RecordList>
      )}
      <Dialog
        title={stored === null ? 'New weekly report' : 'Weekly report'}
        isOpen={refusal === null && (stored !== null || edited === 'new')}
        onClose={() => onEdit(null)}
      >
        {kinds.length === 0 && stored === null ? (
          <p>There are {SLACK_MAX} reports to Slack and one by mail already. Delete one first.</p>
        ) : (
          <ReportForm project={project} stored={stored} kinds={kinds} onDone={() => onEdit(null)} />
        )}
      </Dialog>
      <DeleteReport project={project} channel={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

/** One report by mail, ten to Slack. */
function kindsLeft(
  channels: readonly WeeklyReportChannel[],
  destinations: readonly SlackDestination[],
): ReportValues['way'][] {
  const hasMail = channels.some(({ channel }) => channel === 'email');
  const hasRoom = channels.filter(({ channel }) => channel === 'slack').length < SLACK_MAX;
  return [
    ...(hasMail ? [] : (['email'] as const)),
    ...(hasRoom && destinations.length > 0 ? (['slack_destination'] as const) : []),
    ...(hasRoom ? (['slack_url'] as const) : []),
  ];
}

/** "Every Monday at 09:00 Europe/Berlin, a mail to lead@example.com". */
function reportSentence(
  { config, schedule }: WeeklyReportChannel,
  destinations: readonly SlackDestination[],
): Sentence {
  const when = [
    'Every ',
    { chosen: DAY_WORDS[schedule.day_of_week] ?? schedule.day_of_week },
    ' at ',
    { chosen: `${hourWords(schedule.hour_of_day)} ${schedule.timezone}` },
  ];
  if ('to' in config) return [...when, ', a mail to ', { chosen: visibleLine(config.to.join(', ')) }];
  if ('webhook_url' in config) {
    return [
      ...when,
      ', a message to the Slack channel of ',
      { chosen: visibleLine(shortUrl(config.webhook_url)) },
    ];
  }
  const destination = destinations.find((each) => each.slack_destination_id === config.slack_destination_id);
  return [
    ...when,
    ', a message to ',
    { chosen: destination === undefined ? 'a Slack channel' : slackName(destination) },
  ];
}

function ReportLine({
  project,
  channel,
  sentence,
  onEdit,
  onDelete,
}: {
  project: Project;
  channel: WeeklyReportChannel;
  sentence: Sentence;
  onEdit: () => void;
  onDelete: () => void;
}) {
  const now = usePresent();
  const refusal = refusalFor('admin', project);
  const name = sentenceText(sentence);
  const next = nextReportMs(channel.schedule, now);
  return (
    <RecordLine
      isDim={!channel.is_enabled}
      title={<SentenceLine sentence={sentence} />}
      facts={
        channel.is_enabled && next !== null ? (
          <span>
            next: {reportTime(next, channel.schedule.timezone)} {channel.schedule.timezone} (
            {relativeTime(new Date(next).toISOString(), now)})
          </span>
        ) : (
          <span>disabled</span>
        )
      }
      controls={
        <>
          <SendNow channel={channel} name={name} refusal={refusal} />
          <Button kind="quiet" refusal={refusal} aria-label={`Edit: ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <Button kind="quiet" refusal={refusal} aria-label={`Delete: ${name}`} onClick={onDelete}>
            Delete
          </Button>
          <ReportSwitch project={project} channel={channel} name={name} />
        </>
      }
    />
  );
}

/** Sends the last seven days immediately; the next planned report is sent nevertheless. */
function SendNow({
  channel,
  name,
  refusal,
}: {
  channel: WeeklyReportChannel;
  name: string;
  refusal: string | null;
}) {
  const send = useMutation({
    mutationFn: async () => (await call(sendWeeklyReport, { params: { id: channel.channel_id } })).report,
    onSuccess: ({ from, to }) => showToast(`The report of ${from} to ${to} is being sent`),
    onError: (error) => showToast(`The report was not sent. ${problemText(error)}`),
  });
  const waitS = useWaitAfter(send.error);
  return (
    <Button
      kind="quiet"
      refusal={
        refusal ?? (channel.is_enabled ? (waitS > 0 ? `Again in ${waitS} s` : null) : 'It is disabled')
      }
      aria-label={waitS > 0 ? `Again in ${waitS} s, send now: ${name}` : `Send now: ${name}`}
      isBusy={send.isPending}
      onClick={() => send.mutate()}
    >
      {waitS > 0 ? `Again in ${waitS} s` : 'Send now'}
    </Button>
  );
}

function ReportSwitch({
  project,
  channel,
  name,
}: {
  project: Project;
  channel: WeeklyReportChannel;
  name: string;
}) {
  const queryClient = useQueryClient();
  const { queryKey } = reportChannelsQuery(project.project_id);
  return (
    <LiveSwitch
      label={`Enabled: ${name}`}
      noun="report"
      item={channel}
      turned={{ ...channel, is_enabled: !channel.is_enabled }}
      isOn={channel.is_enabled}
      refusal={refusalFor('admin', project)}
      keep={(saved) =>
        queryClient.setQueryData(queryKey, (channels) =>
          channels?.map((each) => (each.channel_id === saved.channel_id ? saved : each)),
        )
      }
      send={async (isOn) => {
        const input = { params: { id: channel.channel_id }, body: { is_enabled: isOn } };
        return (await call(updateWeeklyReportChannel, input)).channel;
      }}
    />
  );
}

function DeleteReport({
  project,
  channel,
  onClose,
}: {
  project: Project;
  channel: WeeklyReportChannel | null;
  onClose: () => void;
}) {
  return (
    <ConfirmedAction
      item={channel}
      title="Delete this weekly report?"
      verb="Delete the report"
      run={({ channel_id: id }) => call(deleteWeeklyReportChannel, { params: { id } })}
      done="Deleted the report"
      rereads={reportChannelsQuery(project.project_id)}
      onClose={onClose}
    >
      <p>The report will no longer be sent.</p>
    </ConfirmedAction>
  );
}
