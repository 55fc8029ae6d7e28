import {
  deleteWebhook,
  rotateWebhookSecret,
  type TestEventName,
  testWebhook,
  updateWebhook,
  type Webhook,
} from '@culprit/contract/alerts/webhooks';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { useFeature } from '../api/server.ts';
import { call, codeOf } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { PATTERNS, pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ConfirmButton } from '../shell/parts/confirmed-action.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/layers/menu.tsx';
import { SentenceLine } from '../ui/sentence.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';
import styles from './webhook-page.module.css';
import { WebhookSecret } from './webhook-secret.tsx';
import { webhookSentence } from './webhook-sentence.ts';
import { keepWebhook, latestDeliveryQuery, webhookQuery, webhooksQuery } from './webhooks-query.ts';

const route = getRouteApi(`/frame${PATTERNS.webhook}`);

/** The screen of one webhook: its events, its deliveries, and the check of its signature. */
export function WebhookPage() {
  const { webhookId = '' } = useParams({ strict: false });
  return (
    <ProjectScreen title="Webhook" parent={{ to: 'webhooks', label: 'Webhooks' }}>
      {(project) => <StoredWebhook key={webhookId} project={project} webhookId={webhookId} />}
    </ProjectScreen>
  );
}

function StoredWebhook({ project, webhookId }: { project: Project; webhookId: string }) {
  const { data: webhook, error, refetch } = useQuery(webhookQuery(webhookId));
  const { edit } = route.useSearch();
  const navigate = useNavigate();
  const showEditor = (isOpen: boolean) =>
    void navigate({ to: '.', search: isOpen ? { edit: '1' } : {}, replace: true });
  if (webhook === undefined) return <LoadingPart error={error} retry={refetch} rows={4} />;
  const isEditing = edit !== undefined;
  return (
    <>
      {!webhook.is_enabled && !isEditing && <Disabled webhook={webhook} />}
      {isEditing ? (
        <WebhookForm projectId={project.project_id} stored={webhook} onDone={() => showEditor(false)} />
      ) : (
        <Summary webhook={webhook} onEdit={() => showEditor(true)} />
      )}
      {!isEditing && <WebhookDeliveries project={project} webhook={webhook} />}
    </>
  );
}

function Summary({ webhook, onEdit }: { webhook: Webhook; onEdit: () => void }) {
  const sentence = webhookSentence({
    url: visibleLine(webhook.url),
    events: webhook.events,
    filters: webhook.filters,
    isEnabled: true,
  });
  return (
    <div className={styles.summary}>
      <p>
        <SentenceLine sentence={sentence} />
      </p>
      <div className={styles.actions}>
        <TestMenu webhook={webhook} />
        <Button onClick={onEdit}>Edit</Button>
        <ReplaceSecret webhook={webhook} />
        <DeleteWebhook webhook={webhook} />
      </div>
    </div>
  );
}

const TEST_WORDS: Readonly<Record<TestEventName, string>> = {
  'verification.passed': 'Send verification.passed',
  'verification.failed': 'Send verification.failed',
};
const TEST_NAMES = ['verification.passed', 'verification.failed'] as const;

function TestMenu({ webhook }: { webhook: Webhook }) {
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: async (event: TestEventName) =>
      call(testWebhook, { params: { id: webhook.webhook_id }, body: { event_type: event } }),
    onSuccess: async () => {
      showToast('Test sent. The result appears below.');
      await queryClient.invalidateQueries({ queryKey: ['listWebhookDeliveries', webhook.webhook_id] });
    },
    onError: (error) => {
      const isUsedUp = codeOf(error) === 'monthly_quota_exceeded';
      showToast(
        isUsedUp ? "This month's deliveries are used up. They continue next month." : problemText(error),
      );
    },
  });
  return (
    <Menu
      label="Send a test"
      trigger="Send a test ▾"
      items={TEST_NAMES.map((event) => ({
        kind: 'action' as const,
        label: TEST_WORDS[event],
        onChoose: () => test.mutate(event),
      }))}
    />
  );
}

/** Says why nothing is sent, and turns it on again. */
function Disabled({ webhook }: { webhook: Webhook }) {
  const { data: held } = useQuery(latestDeliveryQuery(webhook.webhook_id, 'disabled'));
  const isAutomatic = held?.last_error === 'webhook_auto_disabled';
  const enable = useMutation({
    mutationFn: async () => {
      const params = { id: webhook.webhook_id };
      return (await call(updateWebhook, { params, body: { is_enabled: true } })).webhook;
    },
    onSuccess: (saved) => {
      keepWebhook(saved);
      showToast('Enabled');
    },
    onError: (error) => showToast(problemText(error)),
  });
  return (
    <div className={styles.disabled} role="status">
      <div>
        <p className={styles.disabledTitle}>
          {isAutomatic
            ? 'Disabled automatically: 50 attempts failed in a row for more than a day.'
            : 'Disabled: nothing is sent.'}
        </p>
        <p>Enabling it does not send pending deliveries. You can resend each below.</p>
      </div>
      <Button isBusy={enable.isPending} onClick={() => enable.mutate()}>
        Enable
      </Button>
    </div>
  );
}

function ReplaceSecret({ webhook }: { webhook: Webhook }) {
  const hasRotation = useFeature('delivery_detail');
  const [secret, setSecret] = useState<string | null>(null);
  if (!hasRotation) return null;
  return (
    <>
      <ConfirmButton
        label="Replace secret"
        title="Replace the signing secret?"
        verb="Replace the secret"
        run={() => call(rotateWebhookSecret, { params: { id: webhook.webhook_id } })}
        onDone={({ webhook: saved, signing_secret: made }) => {
          keepWebhook(saved);
          setSecret(made);
        }}
      >
        <p>The old secret expires immediately. A receiver that still uses it rejects later deliveries.</p>
      </ConfirmButton>
      <WebhookSecret secret={secret} onStored={() => setSecret(null)} />
    </>
  );
}

function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this webhook?"
      verb="Delete the webhook"
      run={() => call(deleteWebhook, { params: { id: webhook.webhook_id } })}
      done="Deleted the webhook"
      onDone={async () => {
        await navigate({ to: pathTo('webhooks', { pid: webhook.project_id }) });
      }}
      rereads={webhooksQuery(webhook.project_id)}
    >
      <p translate="no">{visibleLine(webhook.url)}</p>
      <p>Its delivery log is deleted, including pending deliveries.</p>
    </ConfirmButton>
  );
}
