import { leaveProject } from '@culprit/contract/workspace/members';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { projectQuery, projectsQuery } from '../api/projects.ts';
import { useFeature } from '../api/server.ts';
import { teamsQuery } from '../api/teams.ts';
import { call } from '../api/transport.ts';
import { PATTERNS, pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { ConfirmButton } from '../shell/parts/confirmed-action.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { Invites } from './invites.tsx';
import styles from './members.module.css';
import { Members } from './members.tsx';
import { invitesQuery, membersQuery } from './people-queries.ts';
import { Teams } from './teams.tsx';

const route = getRouteApi(`/frame${PATTERNS.people}`);

/** The screen of members and invites. */
export function PeoplePage() {
  const { pid } = route.useParams();
  const { new: isInviting } = route.useSearch();
  const navigate = useNavigate();
  const hasTeams = useFeature('teams');
  const { data: project } = useQuery(projectQuery(pid));
  const isAdmin = project !== undefined && refusalFor('admin', project) === null;
  // Together, so that nothing moves when the one or the other is there.
  const isReading = [
    useQuery({ ...membersQuery(pid), enabled: isAdmin }),
    useQuery({ ...invitesQuery(pid), enabled: isAdmin }),
    useQuery({ ...teamsQuery(pid), enabled: hasTeams }),
  ].some(({ isLoading }) => isLoading);
  const open = (isOpen: boolean) =>
    void navigate({ to: '.', search: isOpen ? { new: '1' } : {}, replace: true });
  useShortcuts('Members', isAdmin ? [{ keys: 'n', label: 'Invite a person', run: () => open(true) }] : []);
  return (
    <ProjectScreen
      title="Members"
      intro="People who see the incidents of this project, and what each of them can change."
      actions={(shown) => (
        <Button kind="primary" keys="N" refusal={refusalFor('admin', shown)} onClick={() => open(true)}>
          Invite a person
        </Button>
      )}
    >
      {(shown) => (
        <Sections>
          {refusalFor('admin', shown) === null ? (
            <People project={shown} isInviting={isInviting !== undefined} onInviting={open} />
          ) : (
            <Notice title="Only admins can see the members.">
              Your role is {shown.effective_role}. Owner: {shown.owner_email}
            </Notice>
          )}
          {hasTeams && !isReading && <Teams project={shown} />}
          {shown.effective_role !== 'owner' && !isReading && <LeaveProject project={shown} />}
        </Sections>
      )}
    </ProjectScreen>
  );
}

function People({
  project,
  isInviting,
  onInviting,
}: {
  project: Project;
  isInviting: boolean;
  onInviting: (isOpen: boolean) => void;
}) {
  const { project_id: projectId } = project;
  const members = useQuery(membersQuery(projectId));
  const invites = useQuery(invitesQuery(projectId));
  const failed = [members, invites].find(({ isError, data }) => isError && data === undefined);
  const isAlone = members.data?.length === 1 && invites.data?.length === 0;
  return (
    <>
      {failed !== undefined && <PartError error={failed.error} retry={() => void failed.refetch()} />}
      {failed === undefined && (members.data === undefined || invites.data === undefined) && (
        <SkeletonRows rows={3} />
      )}
      {members.data !== undefined && invites.data !== undefined && (
        <div className={styles.lists}>
          <Members project={project} members={members.data} />
          {isAlone && (
            <Notice title="Only you see this project.">An invite is a mail with a single-use link.</Notice>
          )}
          {invites.data.length > 0 && <Invites projectId={projectId} invites={invites.data} />}
        </div>
      )}
      <InviteDialog projectId={projectId} isOpen={isInviting} onClose={() => onInviting(false)} />
    </>
  );
}

/** Shows the button that leaves another person's project. */
function LeaveProject({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <Section id="leave" title="Leave the project">
      <SectionText>
        <p>You lose access and get no more mails from it. An admin can invite you again.</p>
        <ConfirmButton
          label="Leave the project"
          kind="danger"
          title={`Leave ${project.name}?`}
          verb="Leave the project"
          run={() => call(leaveProject, { params: { id: project.project_id } })}
          done={() => `You left ${project.name}`}
          onDone={async () => {
            await queryClient.invalidateQueries(projectsQuery);
            await navigate({ to: pathTo('home') });
          }}
        >
          <p>You lose access immediately. What you created here stays.</p>
        </ConfirmButton>
      </SectionText>
    </Section>
  );
}
