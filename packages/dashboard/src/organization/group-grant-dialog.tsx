import { createGroupGrant, GROUP_NAME_MAX, type GroupGrant } from '@culprit/contract/workspace/group-grants';
import type { Project } from '@culprit/contract/workspace/projects';
import type { Team } from '@culprit/contract/workspace/teams';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { ROLE_WORDS, roleIn } from '../shell/parts/role-words.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import { groupGrantsQuery } from './group-grants-query.ts';

interface Props {
  /** Null: a new one. */
  grant: GroupGrant | null;
  /** Those that the organization owns. */
  projects: readonly Project[];
  teams: readonly Team[];
  onClose: () => void;
}

/** Gives a group a role and a team. Group and projects identify a grant, so that only the rest of one can change. */
export function GroupGrantDialog(props: Props) {
  const { grant } = props;
  return (
    <Dialog title={grant === null ? 'Add group' : 'Edit group'} isOpen onClose={props.onClose}>
      <GroupGrantForm {...props} />
    </Dialog>
  );
}

function GroupGrantForm({ grant, projects, teams, onClose }: Props) {
  const queryClient = useQueryClient();
  const { data: grants = [] } = useQuery(groupGrantsQuery);
  const [group, setGroup] = useState(grant?.group ?? '');
  const [projectId, setProjectId] = useState(grant?.project_id ?? null);
  const [teamId, setTeamId] = useState(grant?.team_id ?? null);
  const [role, setRole] = useState(roleIn(grant?.role ?? 'member'));
  const save = useMutation({
    mutationFn: async () => {
      const body = { group, role, project_id: projectId, team_id: teamId };
      return (await call(createGroupGrant, { body })).group_grant;
    },
    onSuccess: async (saved) => {
      onClose();
      showToast(`Saved ${visibleLine(saved.group)}`);
      await queryClient.invalidateQueries(groupGrantsQuery);
    },
  });
  const isTaken =
    grant === null && grants.some((each) => each.group === group && each.project_id === projectId);
  const fault = isTaken ? 'This group already has a role there' : null;
  const refusal = group === '' ? 'Enter a group' : fault;
  return (
    <DialogForm
      verb="Save group"
      isBusy={save.isPending}
      refusal={refusal}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Group"
        autoFocus={grant === null}
        autoComplete="off"
        spellCheck={false}
        maxLength={GROUP_NAME_MAX}
        readOnly={grant !== null}
        value={grant === null ? group : visibleLine(group)}
        onChange={({ target }) => setGroup(target.value)}
        error={save.isError ? problemText(save.error) : fault}
        hint="The name or id exactly as the provider sends it"
      />
      <SelectField
        label="Projects"
        disabled={grant !== null}
        value={projectId ?? ''}
        onChange={({ target }) => setProjectId(target.value === '' ? null : target.value)}
      >
        <option value="">All projects, including future ones</option>
        {projects.map(({ project_id: id, name }) => (
          <option key={id} value={id}>
            {visibleLine(name)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Role"
        autoFocus={grant !== null}
        value={role}
        onChange={({ target }) => setRole(roleIn(target.value))}
        hint={ROLE_WORDS[role]}
      >
        <option value="member">member</option>
        <option value="admin">admin</option>
      </SelectField>
      <SelectField
        label="Team"
        value={teamId ?? ''}
        onChange={({ target }) => setTeamId(target.value === '' ? null : target.value)}
        hint="People of the group join it when they sign in"
      >
        <option value="">None</option>
        {teams.map(({ team_id: id, name }) => (
          <option key={id} value={id}>
            {visibleLine(name)}
          </option>
        ))}
      </SelectField>
    </DialogForm>
  );
}
