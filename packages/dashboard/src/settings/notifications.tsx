import { type PersonalSettings, updatePersonalSettings } from '@culprit/contract/personal-messages';
import type { PersonalReason } from '@culprit/contract/personal-reasons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { problemText } from '../api/problem-words.ts';
import { bodyOf, client } from '../api/transport.ts';
import { PartError } from '../shell/part-error.tsx';
import { showToast } from '../shell/toasts.tsx';
import { CheckField, SelectField } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import styles from './settings-form.module.css';
import { notificationsQuery } from './settings-queries.ts';

const REASONS: readonly (readonly [PersonalReason, string])[] = [
  ['assigned', 'Another person assigns an incident to me or my team'],
  ['mentioned', 'A note mentions me or my team'],
  ['watched', 'A note is written about an incident of mine or my team'],
  ['own_regressed', 'An incident of mine or my team regresses'],
  ['own_woke', 'A snooze ends that I set or that concerns an incident of mine or my team'],
];

/** The time for which a mail waits for more notices, in minutes. */
const WAITS: readonly (readonly [number, string])[] = [
  [0, 'Immediately'],
  [1, 'After 1 minute'],
  [15, 'Every 15 minutes'],
  [60, 'Every hour'],
  [1440, 'Once a day'],
];

/** Shows the choice of personal mails; each change takes effect immediately. */
export function Notifications() {
  const { data, error, refetch } = useQuery(notificationsQuery);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async (change: Partial<PersonalSettings>) =>
      (await bodyOf(client.call(updatePersonalSettings, { body: change }))).notifications,
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
      note="Mails to you alone. What you do yourself is never mailed"
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
            hint="What comes in the meantime goes into one mail"
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
        </div>
      )}
    </Section>
  );
}
