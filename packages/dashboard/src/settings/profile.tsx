import { NAME_LENGTH_MAX } from '@culprit/contract/incidents/triage-words';
import { type Person, updateProfile } from '@culprit/contract/workspace/people';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { projectsQuery } from '../api/projects.ts';
import { call, codeOf } from '../api/transport.ts';
import { peopleQuery } from '../api/triage.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Section } from '../ui/section.tsx';
import styles from './settings-form.module.css';

/** Reads the person from a project, because people meet in projects alone. */
export function useOwnPerson(): { me: Person | undefined; isLoading: boolean } {
  const projects = useQuery(projectsQuery);
  const project = projects.data?.find(({ effective_role: role }) => role === 'owner') ?? projects.data?.[0];
  const everyone = useQuery({
    ...peopleQuery(project?.project_id ?? ''),
    enabled: project !== undefined,
  });
  return {
    me: everyone.data?.people.find(({ is_me: isMe }) => isMe),
    isLoading: projects.isLoading || everyone.isLoading,
  };
}

/** Name and handle, which others see. */
export function Profile({ me }: { me: Person }) {
  return (
    <Section id="profile" title="Profile" note="How others see you in incidents and notes">
      <ProfileForm key={`${me.name} ${me.handle}`} me={me} />
    </Section>
  );
}

function ProfileForm({ me }: { me: Person }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(me.name ?? '');
  const [handle, setHandle] = useState(me.handle);
  const save = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim() === '' ? null : name, handle: handle.trim().toLowerCase() };
      return (await call(updateProfile, { body })).profile;
    },
    onSuccess: async () => {
      showToast('Saved');
      await queryClient.invalidateQueries();
    },
  });
  const isChanged = name.trim() !== (me.name ?? '') || handle.trim() !== me.handle;
  const isOfHandle = ['handle_taken', 'invalid_payload'].includes(codeOf(save.error) ?? '');
  const handleFault =
    codeOf(save.error) === 'invalid_payload'
      ? 'Two or more lower-case letters, digits, dots, hyphens or underscores.'
      : problemText(save.error);
  return (
    <form
      className={styles.form}
      aria-label="Profile"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !save.isPending) save.mutate();
      }}
    >
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        maxLength={NAME_LENGTH_MAX}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={save.isError && !isOfHandle ? problemText(save.error) : null}
        hint="Optional. Without a name, others see your handle."
      />
      <TextField
        label="Handle"
        name="handle"
        autoComplete="off"
        spellCheck={false}
        maxLength={39}
        value={handle}
        onChange={({ target }) => setHandle(target.value)}
        error={save.isError && isOfHandle ? handleFault : null}
        hint={`Others mention you as @${me.handle}`}
      />
      <div className={styles.buttons}>
        <Button
          kind="primary"
          type="submit"
          isBusy={save.isPending}
          refusal={isChanged ? null : 'Nothing was changed'}
        >
          Save profile
        </Button>
      </div>
    </form>
  );
}
