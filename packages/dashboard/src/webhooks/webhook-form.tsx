import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import {
  createWebhook,
  updateWebhook,
  WEBHOOK_URL_LENGTH_MAX,
  type Webhook,
} from '@culprit/contract/alerts/webhooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { call, codeOf } from '../api/transport.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { ChangedByOthers, fieldsChanged } from '../shell/parts/changed-by-others.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { EffectPanel } from '../ui/effect-panel.tsx';
import { CheckField, SelectField, TextField } from '../ui/fields/field.tsx';
import { SentenceLine } from '../ui/sentence.tsx';
import styles from './webhook-form.module.css';
import { EVENT_WORDS, webhookSentence } from './webhook-sentence.ts';
import {
  filtersOf,
  NEW_WEBHOOK,
  newWebhookOf,
  patchOf,
  valuesOf,
  type WebhookValues,
} from './webhook-values.ts';
import { keepWebhook, webhookQuery, webhooksQuery } from './webhooks-query.ts';

const FIELD_WORDS = {
  url: 'address',
  events: 'events',
  filters: 'filters',
  is_enabled: 'on or off',
} as const;

/** The editor of a webhook. What is made hands its secret on, which is kept nowhere. */
export function WebhookForm({
  projectId,
  stored,
  onMade,
  onDone,
}: {
  projectId: string;
  stored: Webhook | null;
  onMade?: (webhook: Webhook, secret: string) => void;
  onDone: () => void;
}) {
  const queryClient = useQueryClient();
  const [loaded, setLoaded] = useState(stored);
  const [theirs, setTheirs] = useState<Webhook | null>(null);
  const form = useForm<WebhookValues>({ defaultValues: stored === null ? NEW_WEBHOOK : valuesOf(stored) });
  const { register, watch, formState, handleSubmit } = form;
  const draft = useDraft(form);
  const { isDirty, dirtyFields, errors } = formState;
  const values = watch();

  const save = useMutation({
    mutationFn: async ({ input, isSure }: { input: WebhookValues; isSure: boolean }) => {
      if (loaded === null) {
        const made = await call(createWebhook, { body: newWebhookOf(input, projectId) });
        return { kind: 'made', webhook: made.webhook, secret: made.signing_secret } as const;
      }
      const params = { id: loaded.webhook_id };
      const now = isSure
        ? loaded
        : await queryClient.fetchQuery({ ...webhookQuery(loaded.webhook_id), staleTime: 0 });
      if (now.updated_at !== loaded.updated_at) return { kind: 'conflict', webhook: now } as const;
      const body = patchOf(input, dirtyFields);
      const { webhook } = await call(updateWebhook, { params, body });
      return { kind: 'saved', webhook } as const;
    },
    onSuccess: async (answer) => {
      if (answer.kind === 'conflict') {
        setTheirs(answer.webhook);
        return;
      }
      draft.forget();
      keepWebhook(answer.webhook);
      if (answer.kind === 'made') {
        onMade?.(answer.webhook, answer.secret);
        await queryClient.invalidateQueries(webhooksQuery(projectId));
        return;
      }
      showToast('Saved');
      onDone();
    },
  });
  const isUrlRefused = ['blocked_target', 'invalid_payload'].includes(codeOf(save.error) ?? '');

  return (
    <form
      className={styles.form}
      aria-label="Webhook"
      noValidate
      onSubmit={handleSubmit((input) => {
        if (!save.isPending) save.mutate({ input, isSure: false });
      })}
    >
      <TextField
        {...register('url', {
          validate: (text) =>
            /^https?:\/\/\S+$/.test(text.trim()) || 'Enter an address that begins with https://',
        })}
        label="Address"
        hint="Receives a signed POST with JSON for each event"
        type="url"
        autoComplete="off"
        spellCheck={false}
        maxLength={WEBHOOK_URL_LENGTH_MAX}
        error={errors.url?.message ?? (isUrlRefused ? problemText(save.error) : null)}
      />
      <Group title="Events" error={errors.events?.message}>
        {WEBHOOK_EVENTS.map((event) => (
          <CheckField
            key={event}
            {...register('events', {
              validate: (events) => events.length > 0 || 'Choose at least one event',
            })}
            value={event}
            label={sentenceCase(EVENT_WORDS[event])}
            className={styles.event}
            hint={event}
          />
        ))}
      </Group>
      <Group title="Scope">
        <TextField
          {...register('environments')}
          label="Environments"
          hint="Comma-separated; leave empty for all"
          autoComplete="off"
        />
        <TextField
          {...register('services')}
          label="Services"
          hint="Comma-separated; leave empty for all"
          autoComplete="off"
        />
        <SelectField {...register('severityMin')} label="Minimum severity">
          <option value="">any</option>
          <option value="low">Low</option>
          <option value="medium">Medium</option>
          <option value="high">High</option>
          <option value="critical">Critical</option>
        </SelectField>
        <div className={styles.checks}>
          <CheckField
            {...register('bundleTypes', {
              validate: (types) => types.length > 0 || 'Choose failures, insights or both',
            })}
            value="failure"
            label="Failures"
          />
          <CheckField
            {...register('bundleTypes')}
            value="improvement"
            label="Insights"
            error={errors.bundleTypes?.message}
          />
          <CheckField {...register('withVerification')} label="Verification runs" />
        </div>
      </Group>
      <EffectPanel label="What this webhook does">
        <p>
          <SentenceLine
            sentence={webhookSentence({
              url: values.url.trim(),
              events: values.events,
              filters: filtersOf(values),
              isEnabled: values.isEnabled,
            })}
          />
        </p>
      </EffectPanel>
      {!isUrlRefused && <ActionError error={save.error} />}
      <div className={styles.foot}>
        <Button
          kind="primary"
          type="submit"
          isBusy={save.isPending}
          refusal={loaded === null || isDirty ? null : 'Nothing was changed'}
        >
          {loaded === null ? 'Create webhook' : 'Save webhook'}
        </Button>
        <Button
          onClick={() => {
            draft.discard();
            onDone();
          }}
        >
          Cancel
        </Button>
        <CheckField {...register('isEnabled')} label="Enabled" />
      </div>
      <ChangedByOthers
        fields={theirs === null || loaded === null ? null : fieldsChanged(loaded, theirs, FIELD_WORDS)}
        isBusy={save.isPending}
        onSave={() => save.mutate({ input: form.getValues(), isSure: true })}
        onTakeTheirs={() => {
          if (theirs === null) return;
          setLoaded(theirs);
          setTheirs(null);
          form.reset(valuesOf(theirs));
          draft.forget();
        }}
        onClose={() => setTheirs(null)}
      />
    </form>
  );
}

function Group({
  title,
  error,
  children,
}: {
  title: string;
  error?: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{title}</legend>
      <div className={styles.fields}>{children}</div>
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function sentenceCase(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
