import { NAME_LENGTH_MAX } from '@culprit/contract/incidents/triage-words';
import { listPeople, type Person } from '@culprit/contract/workspace/people';
import {
  addTeamMember,
  createTeam,
  removeTeamMember,
  type Team,
  updateTeam,
} from '@culprit/contract/workspace/teams';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { teamsQuery } from '../api/teams.ts';
import { call, codeOf } from '../api/transport.ts';
import { peopleQuery } from '../api/triage.ts';
import { visibleLine } from '../format/event-text.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { CheckField, TextField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import styles from './team-dialog.module.css';

interface Props {
  projectId: string;
  /** Null: a new one. */
  team: Team | null;
  onClose: () => void;
}

/** Name, handle and people of a team. */
export function TeamDialog(props: Props) {
  const { data } = useQuery(peopleQuery(props.projectId));
  return (
    <Dialog title={props.team === null ? 'New team' : 'Edit team'} isOpen onClose={props.onClose}>
      {data !== undefined && <TeamForm {...props} people={data.people} />}
    </Dialog>
  );
}

function TeamForm({ projectId, team, people, onClose }: Props & { people: readonly Person[] }) {
  const queryClient = useQueryClient();
  // One that was created stays so when its people could not be saved.
  const [created, setCreated] = useState<Team | null>(null);
  const [name, setName] = useState(team?.name ?? '');
  const [slug, setSlug] = useState(team?.slug ?? '');
  const before = new Set(team?.members.map(({ user_id: id }) => id));
  const [members, setMembers] = useState<ReadonlySet<string>>(before);
  // People of other projects of the organization may be in it too.
  const others = team?.members.filter(({ user_id: id }) => people.every((each) => each.user_id !== id)) ?? [];
  const save = useMutation({
    mutationFn: async () => {
      const params = { id: projectId };
      const body = { name, slug: slug.trim() };
      const known = team ?? created;
      const { team: saved } =
        known === null
          ? await call(createTeam, { params, body })
          : await call(updateTeam, { params: { ...params, teamId: known.team_id }, body });
      if (known === null) setCreated(saved);
      for (const userId of new Set([...members, ...before])) {
        if (members.has(userId) === before.has(userId)) continue;
        const endpoint = members.has(userId) ? addTeamMember : removeTeamMember;
        await call(endpoint, { params: { ...params, teamId: saved.team_id, userId } });
      }
      return saved;
    },
    onSuccess: ({ name: savedName }) => {
      onClose();
      showToast(`Saved ${visibleLine(savedName)}`);
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: [listPeople.id] });
      void queryClient.invalidateQueries(teamsQuery(projectId));
    },
  });
  const code = codeOf(save.error);
  const slugFault =
    code === 'invalid_payload'
      ? 'Two or more lower-case letters, digits, dots, hyphens or underscores.'
      : code === 'handle_taken'
        ? problemText(save.error)
        : null;
  const refusal = name.trim() === '' ? 'Enter a name' : slug.trim() === '' ? 'Enter a handle' : null;
  const box = (id: string, label: string) => (
    <CheckField
      key={id}
      label={label}
      checked={members.has(id)}
      onChange={({ target }) => {
        const next = new Set(members);
        if (target.checked) next.add(id);
        else next.delete(id);
        setMembers(next);
      }}
    />
  );
  return (
    <DialogForm
      verb="Save team"
      isBusy={save.isPending}
      refusal={refusal}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoFocus
        autoComplete="off"
        maxLength={NAME_LENGTH_MAX}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={save.isError && slugFault === null ? problemText(save.error) : null}
      />
      <TextField
        label="Handle"
        autoComplete="off"
        spellCheck={false}
        maxLength={39}
        value={slug}
        onChange={({ target }) => setSlug(target.value)}
        error={slugFault}
        hint="Used to mention the team in notes, such as @payments"
      />
      <fieldset className={styles.people}>
        <legend>Members</legend>
        {people.map(({ user_id: id, name: own, email }) => box(id, visibleLine(own ?? email)))}
        {others.map(({ user_id: id, name: own, email }) =>
          box(id, `${visibleLine(own ?? email)} (another project)`),
        )}
      </fieldset>
    </DialogForm>
  );
}
