import { listPeople } from '@culprit/contract/workspace/people';
import type { Project } from '@culprit/contract/workspace/projects';
import { deleteTeam, type Team } from '@culprit/contract/workspace/teams';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { teamsQuery } from '../api/teams.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { focusHeading, Section, SectionText } from '../ui/section.tsx';
import { TeamDialog } from './team-dialog.tsx';

const SECTION = 'teams';

/** The teams of the organization, which everyone sees and admins change. */
export function Teams({ project }: { project: Project }) {
  const { data: teams, error, refetch } = useQuery(teamsQuery(project.project_id));
  const [editing, setEditing] = useState<Team | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Team | null>(null);
  const refusal = refusalFor('admin', project);
  return (
    <Section
      id={SECTION}
      title="Teams"
      note="Incidents can be assigned to a team, and notes can mention it"
      actions={
        <Button refusal={refusal} onClick={() => setEditing('new')}>
          New team
        </Button>
      }
    >
      {error !== null && teams === undefined && <PartError error={error} retry={() => void refetch()} />}
      {teams?.length === 0 && (
        <SectionText>
          <p>No teams yet. A team groups people who already have access; it grants none.</p>
        </SectionText>
      )}
      {teams !== undefined && teams.length > 0 && (
        <DataTable
          label="Teams"
          rows={teams}
          keyOf={({ team_id: id }) => id}
          columns={[
            { title: 'Name', cell: ({ name }) => <strong translate="no">{visibleLine(name)}</strong> },
            { title: 'Handle', cell: ({ slug }) => <span translate="no">@{slug}</span> },
            {
              title: 'Members',
              cell: ({ members }) => (
                <span title={members.map(({ name, email }) => visibleLine(name ?? email)).join(', ')}>
                  {plural(members.length, 'person', 'people')}
                </span>
              ),
            },
            {
              title: 'Actions',
              isTitleHidden: true,
              cell: (team) =>
                refusal === null && (
                  <>
                    <Button
                      kind="quiet"
                      aria-label={`Edit ${visibleLine(team.name)}`}
                      onClick={() => setEditing(team)}
                    >
                      Edit
                    </Button>
                    <Button
                      kind="quiet"
                      aria-label={`Delete ${visibleLine(team.name)}`}
                      onClick={() => setDeleting(team)}
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
        <TeamDialog
          projectId={project.project_id}
          team={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
      <DeleteDialog projectId={project.project_id} team={deleting} onClose={() => setDeleting(null)} />
    </Section>
  );
}

function DeleteDialog({
  projectId,
  team,
  onClose,
}: {
  projectId: string;
  team: Team | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  return (
    <ConfirmedAction
      item={team}
      title={`Delete ${visibleLine(team?.name ?? '')}?`}
      verb="Delete the team"
      run={({ team_id: teamId }) => call(deleteTeam, { params: { id: projectId, teamId } })}
      done={({ team: { name } }) => `Deleted ${visibleLine(name)}`}
      onDone={async () => {
        void queryClient.invalidateQueries({ queryKey: [listPeople.id] });
        await queryClient.invalidateQueries(teamsQuery(projectId));
        focusHeading(SECTION);
      }}
      onClose={onClose}
    >
      <p>Its incidents become unassigned. People keep their access.</p>
    </ConfirmedAction>
  );
}
