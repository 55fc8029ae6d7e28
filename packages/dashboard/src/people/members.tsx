import {
  type CollaboratorRole,
  changeMemberRole,
  type ProjectMember,
  removeMember,
} from '@culprit/contract/workspace/members';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { sessionQuery } from '../api/session.ts';
import { call } from '../api/transport.ts';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { roleIn } from '../shell/parts/role-words.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/fields/select.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { focusHeading, Section } from '../ui/section.tsx';
import styles from './members.module.css';
import { membersQuery } from './people-queries.ts';

const SECTION = 'members';

/** Everybody who sees the project, with the role of each. */
export function Members({ project, members }: { project: Project; members: readonly ProjectMember[] }) {
  const { data: session } = useQuery(sessionQuery);
  const [removing, setRemoving] = useState<ProjectMember | null>(null);
  return (
    <Section id={SECTION} title={plural(members.length, 'person', 'people')}>
      <DataTable
        label="People with access"
        rows={members}
        columns={columnsWith(project.project_id, session?.user_id ?? null, setRemoving)}
        keyOf={({ user_id: id }) => id}
      />
      <RemoveDialog project={project} member={removing} onClose={() => setRemoving(null)} />
    </Section>
  );
}

function columnsWith(
  projectId: string,
  ownId: string | null,
  onRemove: (member: ProjectMember) => void,
): Column<ProjectMember>[] {
  return [
    {
      title: 'E-mail',
      cell: ({ email, user_id: id }) => (
        <>
          <strong>{email}</strong>
          {id === ownId && <span className={styles.self}>you</span>}
        </>
      ),
    },
    {
      title: 'Role',
      cell: (member) =>
        member.role === 'owner' || member.user_id === ownId ? (
          member.role
        ) : (
          <RoleChoice projectId={projectId} member={member} />
        ),
    },
    { title: 'Since', cell: ({ created_at: at }) => <Time iso={at} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (member) =>
        member.role !== 'owner' &&
        member.user_id !== ownId && (
          <Button kind="quiet" aria-label={`Remove ${member.email}`} onClick={() => onRemove(member)}>
            Remove
          </Button>
        ),
    },
  ];
}

/** Takes effect when it is chosen; the choice before returns when it cannot. */
function RoleChoice({ projectId, member }: { projectId: string; member: ProjectMember }) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: async (role: CollaboratorRole) => {
      const params = { id: projectId, userId: member.user_id };
      return (await call(changeMemberRole, { params, body: { role } })).member;
    },
    onSuccess: ({ email, role }) => showToast(`${email} is now ${role}`),
    onError: (error) => showToast(`The role of ${member.email} stays: ${problemText(error)}`),
    onSettled: () => queryClient.invalidateQueries(membersQuery(projectId)),
  });
  return (
    <Select
      isSmall
      aria-label={`Role of ${member.email}`}
      value={change.isPending ? change.variables : member.role}
      aria-busy={change.isPending}
      onChange={({ target }) => {
        if (!change.isPending) change.mutate(roleIn(target.value));
      }}
    >
      <option value="member">member</option>
      <option value="admin">admin</option>
    </Select>
  );
}

function RemoveDialog({
  project,
  member,
  onClose,
}: {
  project: Project;
  member: ProjectMember | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  return (
    <ConfirmedAction
      item={member}
      title={`Remove ${member?.email ?? ''}?`}
      verb="Remove the person"
      run={({ user_id: userId }) => call(removeMember, { params: { id: project.project_id, userId } })}
      done={({ member: removed }) => `Removed ${removed.email}`}
      onDone={async () => {
        await queryClient.invalidateQueries(membersQuery(project.project_id));
        focusHeading(SECTION);
      }}
      onClose={onClose}
    >
      <p>
        {project.name} disappears for them immediately. Their alerts, webhooks and tokens stay. You can invite
        them again.
      </p>
    </ConfirmedAction>
  );
}
