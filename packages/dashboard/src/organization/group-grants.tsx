import { deleteGroupGrant, type GroupGrant } from '@culprit/contract/workspace/group-grants';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { projectsQuery } from '../api/projects.ts';
import { teamsQuery } from '../api/teams.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { focusHeading, Section, SectionText } from '../ui/section.tsx';
import { GroupGrantDialog } from './group-grant-dialog.tsx';
import { groupGrantsQuery } from './group-grants-query.ts';

const SECTION = 'groups';

/** The access and the teams that people in groups of the sign-in provider get in the organization. */
export function GroupGrants({ provider }: { provider: string }) {
  const { data: grants, error, refetch } = useQuery(groupGrantsQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const owned = projects.filter(({ effective_role: role }) => role === 'owner');
  // Teams are read through a project; every one of the organization lists the same.
  const [first] = owned;
  const { data: teams = [] } = useQuery({
    ...teamsQuery(first?.project_id ?? ''),
    enabled: first !== undefined,
  });
  const [editing, setEditing] = useState<GroupGrant | 'new' | null>(null);
  const [deleting, setDeleting] = useState<GroupGrant | null>(null);
  const placeOf = ({ project_id: id }: GroupGrant) =>
    id === null ? 'all projects' : visibleLine(projects.find((each) => each.project_id === id)?.name ?? id);
  const nameOf = (grant: GroupGrant) => `${visibleLine(grant.group)} in ${placeOf(grant)}`;
  return (
    <Section
      id={SECTION}
      title="Groups"
      note={`Access that people in a group of ${visibleLine(provider)} get when they sign in`}
      actions={<Button onClick={() => setEditing('new')}>Add group</Button>}
    >
      {error !== null && grants === undefined && <PartError error={error} retry={() => void refetch()} />}
      {grants?.length === 0 && (
        <SectionText>
          <p>No groups yet. Give a group a role, and its members get it the next time they sign in.</p>
        </SectionText>
      )}
      {grants !== undefined && grants.length > 0 && (
        <DataTable
          label="Groups"
          rows={grants}
          keyOf={({ grant_id: id }) => id}
          columns={[
            {
              title: 'Group',
              cell: ({ group }) => (
                <strong dir="auto" translate="no">
                  {visibleLine(group)}
                </strong>
              ),
            },
            { title: 'Role', cell: ({ role }) => role },
            {
              title: 'Projects',
              cell: (grant) => (
                <span dir="auto" translate={grant.project_id === null ? 'yes' : 'no'}>
                  {placeOf(grant)}
                </span>
              ),
            },
            {
              title: 'Team',
              cell: ({ team_id: id }) =>
                id !== null && (
                  <span translate="no">
                    {visibleLine(teams.find((each) => each.team_id === id)?.name ?? id)}
                  </span>
                ),
            },
            {
              title: 'Actions',
              isTitleHidden: true,
              cell: (grant) => (
                <>
                  <Button kind="quiet" aria-label={`Edit ${nameOf(grant)}`} onClick={() => setEditing(grant)}>
                    Edit
                  </Button>
                  <Button
                    kind="quiet"
                    aria-label={`Delete ${nameOf(grant)}`}
                    onClick={() => setDeleting(grant)}
                  >
                    Delete
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {editing !== null && (
        <GroupGrantDialog
          grant={editing === 'new' ? null : editing}
          projects={owned}
          teams={teams}
          onClose={() => setEditing(null)}
        />
      )}
      <DeleteDialog
        grant={deleting}
        name={deleting === null ? '' : nameOf(deleting)}
        onClose={() => setDeleting(null)}
      />
    </Section>
  );
}

function DeleteDialog({
  grant,
  name,
  onClose,
}: {
  grant: GroupGrant | null;
  name: string;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  return (
    <ConfirmedAction
      item={grant}
      title={`Delete ${name}?`}
      verb="Delete the group"
      run={({ grant_id: grantId }) => call(deleteGroupGrant, { params: { grantId } })}
      done="Group deleted"
      onDone={async () => {
        await queryClient.invalidateQueries(groupGrantsQuery);
        focusHeading(SECTION);
      }}
      onClose={onClose}
    >
      <p>Members keep their access and their team until they sign in again. Roles from invites stay.</p>
    </ConfirmedAction>
  );
}
