import alertIcon from 'virtual:icon/alert';
import chatIcon from 'virtual:icon/comment-discussion';
import slackIcon from 'virtual:icon/hash';
import ticketIcon from 'virtual:icon/issue-tracks';
import mailIcon from 'virtual:icon/mail';
import webhookIcon from 'virtual:icon/webhook';
import { type Alert, updateAlert } from '@culprit/contract/alerts/alerts';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { alertsQuery } from '../api/alerts.ts';
import { servicesQuery } from '../api/projects.ts';
import { serverQuery } from '../api/server.ts';
import { slackDestinationsQuery } from '../api/slack.ts';
import { trackersQuery } from '../api/trackers.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { DeliveryMark } from '../shell/parts/delivery.tsx';
import { LiveSwitch } from '../shell/parts/live-switch.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { Button } from '../ui/button.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { useSeen } from '../ui/lists/use-seen.ts';
import { Notice } from '../ui/notice.tsx';
import { SentenceLine, sentenceText } from '../ui/sentence.tsx';
import { alertSentence } from './alert-sentence.ts';
import { spokenRuleOf, valuesOf, wayOf } from './alert-values.ts';
import { WAY_WORDS } from './alert-words.ts';
import { keepAlert, lastAlertQuery } from './alerts-query.ts';

const CHANNEL_ICONS: Readonly<Record<Alert['channel'], string>> = {
  email: mailIcon,
  slack: slackIcon,
  discord: chatIcon,
  teams: chatIcon,
  mattermost: chatIcon,
  telegram: chatIcon,
  ntfy: chatIcon,
  pagerduty: alertIcon,
  webhook: webhookIcon,
  template: webhookIcon,
  tracker: ticketIcon,
};

/** The screen of the alert rules of a project. */
export function AlertsPage() {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const make = () => void navigate({ to: pathTo('newAlert', { pid }) });
  useShortcuts('Alerts', [{ keys: 'n', label: 'New alert rule', run: make }]);
  return (
    <ProjectScreen
      title="Alerts"
      intro="Alert rules send a message when an incident appears, returns or spikes. Rules with the same target share one message."
      actions={() => (
        <Button kind="primary" keys="N" onClick={make}>
          New rule
        </Button>
      )}
    >
      {(project) => <Alerts project={project} onMake={make} />}
    </ProjectScreen>
  );
}

function Alerts({ project, onMake }: { project: Project; onMake: () => void }) {
  const { data, error, refetch } = useQuery(alertsQuery(project.project_id));
  const { data: server } = useQuery(serverQuery);
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={4} height="64px" />;
  if (data.length === 0) {
    return (
      <Notice title="No alerts yet." action={<Button onClick={onMake}>New rule</Button>}>
        A rule sends a mail or a message to a channel when an incident appears, comes back or spikes.
      </Notice>
    );
  }
  const hasMailRules = data.some(({ channel }) => channel === 'email');
  return (
    <>
      {hasMailRules && server?.auth.email === 'off' && (
        <Notice title="This server sends no mail.">
          E-mail rules send nothing until its operator sets up a mail server.
        </Notice>
      )}
      <RecordList label="Alert rules">
        {data.map((alert) => (
          <AlertLine key={alert.alert_id} alert={alert} />
        ))}
      </RecordList>
    </>
  );
}

function AlertLine({ alert }: { alert: Alert }) {
  const pid = alert.project_id;
  const { data: services = [] } = useQuery(servicesQuery(pid));
  const { data: destinations = [] } = useQuery(slackDestinationsQuery(pid));
  const { data: trackers = [] } = useQuery({
    ...trackersQuery(pid),
    enabled: alert.channel === 'tracker',
  });
  const rule = spokenRuleOf(valuesOf(alert), alert, { services, destinations, trackers });
  // The switch beside it says whether the rule is on.
  const sentence = alertSentence({ ...rule, isEnabled: true });
  return (
    <RecordLine
      icon={CHANNEL_ICONS[alert.channel]}
      isDim={!alert.is_enabled}
      title={
        <Link to={pathTo('alert', { pid, alertId: alert.alert_id })}>
          {alert.name === null ? <SentenceLine sentence={sentence} /> : <b>{visibleLine(alert.name)}</b>}
        </Link>
      }
      sentence={alert.name === null ? undefined : <SentenceLine sentence={sentence} />}
      facts={
        <>
          <span>{WAY_WORDS[wayOf(alert)]}</span>
          <LastSent alertId={alert.alert_id} />
        </>
      }
      controls={<AlertSwitch alert={alert} name={sentenceText(sentence)} />}
    />
  );
}

function LastSent({ alertId }: { alertId: string }) {
  const [line, isSeen] = useSeen<HTMLSpanElement>();
  const { data: last } = useQuery({ ...lastAlertQuery(alertId), enabled: isSeen });
  return (
    <span ref={line}>
      {last === null && 'nothing sent in 30 days'}
      {last !== undefined && last !== null && (
        <>
          {last.status === 'delivered' ? 'last sent ' : <DeliveryMark status={last.status} />}{' '}
          <Time iso={last.created_at} />
        </>
      )}
    </span>
  );
}

function AlertSwitch({ alert, name }: { alert: Alert; name: string }) {
  return (
    <LiveSwitch
      label={`Enabled: ${name}`}
      noun="rule"
      item={alert}
      turned={{ ...alert, is_enabled: !alert.is_enabled }}
      isOn={alert.is_enabled}
      keep={keepAlert}
      send={async (isOn) => {
        const input = { params: { id: alert.alert_id }, body: { is_enabled: isOn } };
        return (await call(updateAlert, input)).alert;
      }}
    />
  );
}
