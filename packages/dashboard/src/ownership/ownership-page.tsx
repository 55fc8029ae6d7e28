import { applyOwnership, type Ownership } from '@culprit/contract/workspace/ownership';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { problemText } from '../api/problem-words.ts';
import { rereadLists } from '../api/status-changes.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { OwnershipForm } from './ownership-form.tsx';
import { ownershipQuery } from './ownership-query.ts';

/** Which incidents are assigned to whom when they open. */
export function OwnershipPage() {
  return (
    <ProjectScreen
      title="Ownership"
      intro="Unassigned incidents are assigned to the first owner of the last matching line when they appear or regress."
    >
      {(project) => <Parts project={project} />}
    </ProjectScreen>
  );
}

function Parts({ project }: { project: Project }) {
  const { data: ownership, error, refetch } = useQuery(ownershipQuery(project.project_id));
  if (ownership === undefined)
    return error === null ? (
      <SkeletonRows rows={6} />
    ) : (
      <PartError error={error} retry={() => void refetch()} />
    );
  return (
    <Sections>
      <Section id="lines" title="Lines" note="As in CODEOWNERS">
        <OwnershipForm key={ownership.version} project={project} ownership={ownership} />
      </Section>
      {ownership.lines.length > 0 && <Coverage project={project} ownership={ownership} />}
    </Sections>
  );
}

function Coverage({ project, ownership }: { project: Project; ownership: Ownership }) {
  const queryClient = useQueryClient();
  const apply = useMutation({
    mutationFn: () => call(applyOwnership, { params: { id: project.project_id } }),
    onSuccess: async ({ assigned }) => {
      showToast(assigned === 0 ? 'No incidents to assign' : `Assigned ${plural(assigned, 'incident')}`);
      rereadLists();
      await queryClient.invalidateQueries(ownershipQuery(project.project_id));
    },
    onError: (failure) => showToast(problemText(failure)),
  });
  return (
    <Section
      id="coverage"
      title="Last 30 days"
      note={`${plural(ownership.unowned_30d, 'incident')} without an owner`}
      actions={
        <Button
          isBusy={apply.isPending}
          refusal={refusalFor('admin', project)}
          onClick={() => apply.mutate()}
        >
          Assign unassigned incidents
        </Button>
      }
    >
      {!ownership.is_complete && (
        <SectionText>
          <p>Only the newest incidents are counted.</p>
        </SectionText>
      )}
      <DataTable
        label="What each line matches"
        rows={ownership.lines}
        keyOf={({ number }) => String(number)}
        columns={[
          { title: 'Line', isNumber: true, cell: ({ number }) => number },
          {
            title: 'Text',
            cell: ({ text, problem }) => (
              <>
                <code translate="no">{visibleLine(text)}</code>
                {problem !== null && <div>{visibleLine(problem)}</div>}
              </>
            ),
          },
          { title: 'Incidents', isNumber: true, cell: ({ matched_30d: matched }) => matched },
        ]}
      />
    </Section>
  );
}
