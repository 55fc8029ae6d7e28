import { type PersonalSettings, updatePersonalSettings } from '@culprit/contract/alerts/personal-messages';
import type { PersonalReason } from '@culprit/contract/alerts/personal-reasons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { PartError } from '../shell/parts/part-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import { Section } from '../ui/section.tsx';
import styles from './settings-form.module.css';
import { notificationsQuery } from './settings-queries.ts';

const REASONS: readonly (readonly [PersonalReason, string])[] = [
  ['assigned', 'Another person assigns an incident to me or my team'],
  ['mentioned', 'A note mentions me or my team'],
  ['watched', 'A note is added to an incident that is assigned to me or my team, or that I watch'],
  ['own_regressed', 'An incident that is assigned to me or my team, or that I watch, regresses'],
  [
    'own_woke',
    'A snooze ends: one that I set, or of an incident that is assigned to me or my team, or that I watch',
  ],
];

/** The time for which a mail waits for more notices, in minutes. */
const WAITS: readonly (readonly [number, string])[] = [
  [0, 'Immediately'],
  [1, 'After 1 minute'],
  [15, 'Every 15 minutes'],
  [60, 'Every hour'],
  [1440, 'Once a day'],
];

type Ntfy = PersonalSettings['ntfy'];

/** The topic at an ntfy server that gets a person's messages too. */
function NtfyForm({
  stored,
  isBusy,
  onSave,
}: {
  stored: Ntfy;
  isBusy: boolean;
  onSave: (ntfy: Ntfy) => void;
}) {
  const [url, setUrl] = useState(stored?.url ?? '');
  const [token, setToken] = useState('');
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const secret = token.trim() === '' ? {} : { token: token.trim() };
        if (url.trim() !== '') onSave({ url: url.trim(), ...secret });
      }}
    >
      <TextField
        label="ntfy topic"
        hint="A topic that your phone subscribes to, such as https://ntfy.sh/my-topic. The text of notes is not sent there."
        type="url"
        autoComplete="off"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <TextField
        label="Access token of the ntfy server"
        hint={
          stored?.token === undefined
            ? 'Optional'
            : `Optional. Stored: ${stored.token}; saving without a token deletes it.`
        }
        type="password"
        autoComplete="off"
        value={token}
        onChange={({ target }) => setToken(target.value)}
      />
      <Actions>
        <Button
          type="submit"
          isBusy={isBusy}
          refusal={url.trim() === '' ? 'Enter the address of a topic' : null}
        >
          Save topic
        </Button>
        {stored !== null && <Button onClick={() => onSave(null)}>Remove topic</Button>}
      </Actions>
    </form>
  );
}

/** The settings for notifications to the person; each choice takes effect immediately. */
export function Notifications() {
  const { data, error, refetch } = useQuery(notificationsQuery);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async (change: Partial<PersonalSettings>) =>
      (await call(updatePersonalSettings, { body: change })).notifications,
    onSuccess: (saved) => {
      queryClient.setQueryData(notificationsQuery.queryKey, saved);
      showToast('Saved');
    },
    onError: (failure) => showToast(problemText(failure)),
  });
  const shown = data === undefined ? undefined : { ...data, ...(save.isPending ? save.variables : {}) };
  return (
    <Section
      id="notifications"
      title="Notifications"
      note="Mails sent only to you. Your own actions send none"
    >
      {error !== null && data === undefined && <PartError error={error} retry={() => void refetch()} />}
      {shown !== undefined && (
        <div className={styles.form}>
          {REASONS.map(([reason, label]) => (
            <CheckField
              key={reason}
              label={label}
              checked={shown[reason] === 'mail'}
              onChange={({ target }) => save.mutate({ [reason]: target.checked ? 'mail' : 'off' })}
            />
          ))}
          <SelectField
            label="Send"
            value={String(shown.digest_minutes)}
            onChange={({ target }) => save.mutate({ digest_minutes: Number(target.value) })}
            hint="Messages from that time are combined into one mail"
          >
            {WAITS.every(([minutes]) => minutes !== shown.digest_minutes) && (
              <option value={shown.digest_minutes}>Every {shown.digest_minutes} minutes</option>
            )}
            {WAITS.map(([minutes, words]) => (
              <option key={minutes} value={minutes}>
                {words}
              </option>
            ))}
          </SelectField>
          <NtfyForm
            key={shown.ntfy?.url ?? ''}
            stored={shown.ntfy}
            isBusy={save.isPending}
            onSave={(ntfy) => save.mutate({ ntfy })}
          />
        </div>
      )}
    </Section>
  );
}
