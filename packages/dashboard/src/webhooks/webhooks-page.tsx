import { updateWebhook, type Webhook } from '@culprit/contract/alerts/webhooks';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
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
import { sentenceText } from '../ui/sentence.tsx';
import { eventParts, filterParts } from './webhook-sentence.ts';
import styles from './webhooks-page.module.css';
import { keepWebhook, latestDeliveryQuery, webhooksQuery } from './webhooks-query.ts';

/** The screen of the webhooks of a project. */
export function WebhooksPage() {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const make = () => void navigate({ to: pathTo('newWebhook', { pid }) });
  useShortcuts('Webhooks', [{ keys: 'n', label: 'New webhook', run: make }]);
  return (
    <ProjectScreen
      title="Webhooks"
      intro="A webhook sends a signed request to another system when something happens, and retries until it succeeds."
      actions={() => (
        <Button kind="primary" keys="N" onClick={make}>
          New webhook
        </Button>
      )}
    >
      {(project) => <Webhooks project={project} onMake={make} />}
    </ProjectScreen>
  );
}

function Webhooks({ project, onMake }: { project: Project; onMake: () => void }) {
  const { data, error, refetch } = useQuery(webhooksQuery(project.project_id));
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={4} height="64px" />;
  if (data.length === 0) {
    return (
      <Notice title="No webhooks yet." action={<Button onClick={onMake}>New webhook</Button>}>
        A webhook starts a build, opens a ticket or wakes an agent when an incident appears.
      </Notice>
    );
  }
  return (
    <RecordList label="Webhooks">
      {data.map((webhook) => (
        <WebhookLine key={webhook.webhook_id} webhook={webhook} />
      ))}
    </RecordList>
  );
}

function WebhookLine({ webhook }: { webhook: Webhook }) {
  const { webhook_id: webhookId, project_id: pid, url, events, filters } = webhook;
  const filterText = sentenceText(filterParts(filters)).replace(/^, /, '');
  return (
    <RecordLine
      isDim={!webhook.is_enabled}
      title={
        <Link to={pathTo('webhook', { pid, webhookId })}>
          <WebhookAddress url={url} />
        </Link>
      }
      facts={
        <>
          <span>{sentenceText(eventParts(events))}</span>
          {filterText !== '' && <span translate="no">{visibleLine(filterText)}</span>}
          <LatestDelivery webhookId={webhookId} />
        </>
      }
      controls={<WebhookSwitch webhook={webhook} />}
    />
  );
}

function LatestDelivery({ webhookId }: { webhookId: string }) {
  const [line, isSeen] = useSeen<HTMLSpanElement>();
  const { data: latest } = useQuery({ ...latestDeliveryQuery(webhookId, null), enabled: isSeen });
  return (
    <span ref={line}>
      {latest === null && 'nothing sent in 30 days'}
      {latest !== undefined && latest !== null && (
        <>
          <DeliveryMark status={latest.status} /> <Time iso={latest.created_at} />
        </>
      )}
    </span>
  );
}

/** An address with its host made plain, where it is written as browsers write it. */
function WebhookAddress({ url }: { url: string }) {
  const { protocol, host, origin } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', host: '', origin: '' };
  const isPlain = host !== '' && url.startsWith(origin);
  return (
    <code className={styles.address} translate="no">
      {isPlain && `${protocol}//`}
      {isPlain && <b>{host}</b>}
      {visibleLine(isPlain ? url.slice(origin.length) : url)}
    </code>
  );
}

function WebhookSwitch({ webhook }: { webhook: Webhook }) {
  return (
    <LiveSwitch
      label={`Enabled: ${webhook.url}`}
      noun="webhook"
      item={webhook}
      turned={{ ...webhook, is_enabled: !webhook.is_enabled }}
      isOn={webhook.is_enabled}
      keep={keepWebhook}
      send={async (isOn) => {
        const input = { params: { id: webhook.webhook_id }, body: { is_enabled: isOn } };
        return (await call(updateWebhook, input)).webhook;
      }}
    />
  );
}
