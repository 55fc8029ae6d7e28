import { leaveProject } from '@culprit/contract/workspace/members';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { projectsQuery } from '../api/projects.ts';
import { bodyOf, client } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { ConfirmButton } from '../shell/parts/confirmed-action.tsx';
import { Section, SectionText } from '../ui/section.tsx';

/** Shows the button that leaves another person's project. */
export function LeaveProject({ project }: { project: Project }) {
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
          run={() => bodyOf(client.call(leaveProject, { params: { id: project.project_id } }))}
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
