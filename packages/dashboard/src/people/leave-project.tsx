import { leaveProject } from '@culprit/contract/workspace/members';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { projectsQuery } from '../api/projects.ts';
import { bodyOf, client } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/layers/dialog.tsx';
import { Section, SectionText } from '../ui/section.tsx';

/** Shows the button that leaves another person's project. */
export function LeaveProject({ project }: { project: Project }) {
  const [isOpen, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: () => bodyOf(client.call(leaveProject, { params: { id: project.project_id } })),
    onSuccess: async () => {
      setOpen(false);
      showToast(`You left ${project.name}`);
      await queryClient.invalidateQueries(projectsQuery);
      await navigate({ to: pathTo('home') });
    },
  });
  return (
    <Section id="leave" title="Leave the project">
      <SectionText>
        <p>You no longer see it then, and get none of its mails. An admin can invite you again.</p>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Leave the project
        </Button>
      </SectionText>
      <ConfirmDialog
        title={`Leave ${project.name}?`}
        verb="Leave the project"
        isOpen={isOpen}
        isBusy={leave.isPending}
        error={leave.isError ? problemText(leave.error) : null}
        onConfirm={() => leave.mutate()}
        onClose={() => setOpen(false)}
      >
        <p>You lose access immediately. What you created here stays.</p>
      </ConfirmDialog>
    </Section>
  );
}
