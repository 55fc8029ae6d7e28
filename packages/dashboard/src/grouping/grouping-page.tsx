import { type Project, updateProject } from '@culprit/contract/workspace/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { projectQuery, projectsQuery } from '../api/projects.ts';
import { call } from '../api/transport.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ActionError } from '../shell/parts/action-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Switch } from '../ui/fields/switch.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { Regroupings } from './regroupings.tsx';
import { StackRulesForm } from './stack-rules-form.tsx';

/** The screen of grouping: the rules, the effect of other rules, and the earlier changes. */
export function GroupingPage() {
  return (
    <ProjectScreen
      title="Grouping"
      intro="Events join an incident by their type, their message and the first frames of your own code."
    >
      {(project) => (
        <Sections>
          <Section id="rules" title="Stack rules" note="Which frames are your own code">
            <StackRulesForm key={project.stack_rules.join('\n')} project={project} />
          </Section>
          <Section id="words" title="Variable words">
            <LearnsSlots project={project} />
          </Section>
          <Section id="regroupings" title="Applied changes" note="Newest first">
            <Regroupings project={project} />
          </Section>
        </Sections>
      )}
    </ProjectScreen>
  );
}

function LearnsSlots({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async (learns: boolean) => {
      const params = { id: project.project_id };
      return (await call(updateProject, { params, body: { learns_slots: learns } })).project;
    },
    onSuccess: async (saved) => {
      queryClient.setQueryData(projectQuery(project.project_id).queryKey, saved);
      showToast('Saved');
      await queryClient.invalidateQueries(projectsQuery);
    },
  });
  const isOn = save.isPending ? save.variables : project.learns_slots;
  return (
    <SectionText>
      <Switch label="Learn variable words" hasWords isOn={isOn} onChange={(learns) => save.mutate(learns)} />
      <p>
        Messages that differ in a single word, such as a name, become one incident once there are enough of
        them.
      </p>
      <ActionError error={save.error} />
    </SectionText>
  );
}
