import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

/** Makes a webhook; its secret is shown before anything else. */
export function NewWebhookPage() {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const [made, setMade] = useState<{ webhookId: string; secret: string } | null>(null);
  return (
    <ProjectScreen title="New webhook" parent={{ to: 'webhooks', label: 'Webhooks' }}>
      {() => (
        <>
          <WebhookForm
            projectId={pid}
            stored={null}
            onMade={({ webhook_id: webhookId }, secret) => setMade({ webhookId, secret })}
            onDone={() => void navigate({ to: pathTo('webhooks', { pid }) })}
          />
          <WebhookSecret
            secret={made?.secret ?? null}
            onStored={() => {
              const webhookId = made?.webhookId ?? '';
              setMade(null);
              void navigate({ to: pathTo('webhook', { pid, webhookId }), replace: true });
            }}
          />
        </>
      )}
    </ProjectScreen>
  );
}
