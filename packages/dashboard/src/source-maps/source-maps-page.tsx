import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { Segments } from '../ui/fields/segments.tsx';
import { ExplainPart } from './explain-part.tsx';
import { KeptPart } from './kept-part.tsx';
import { MissingPart } from './missing-part.tsx';
import { UploadsPart } from './uploads-part.tsx';

const route = getRouteApi(`/frame${PATTERNS.sourceMaps}`);

const TABS = [
  { value: 'uploads', label: 'Uploads' },
  { value: 'missing', label: 'Missing' },
  { value: 'kept', label: 'Stored' },
  { value: 'explain', label: 'Explain' },
] as const;
type Tab = (typeof TABS)[number]['value'];

/** The screen of the maps of a project: their uploads, and the missing ones. */
export function SourceMapsPage() {
  const { tab } = route.useSearch();
  const navigate = useNavigate();
  const chosen: Tab = TABS.find(({ value }) => value === tab)?.value ?? 'uploads';
  return (
    <ProjectScreen
      title="Source maps"
      intro="Source maps turn minified stacks into your own files, lines and functions."
      actions={() => (
        <Segments
          label="View"
          choices={TABS}
          value={chosen}
          onChange={(value) =>
            void navigate({ to: '.', search: value === 'uploads' ? {} : { tab: value }, replace: true })
          }
        />
      )}
    >
      {(project) => {
        switch (chosen) {
          case 'uploads':
            return <UploadsPart projectId={project.project_id} />;
          case 'missing':
            return <MissingPart projectId={project.project_id} />;
          case 'kept':
            return <KeptPart project={project} />;
          case 'explain':
            return <ExplainPart projectId={project.project_id} />;
        }
      }}
    </ProjectScreen>
  );
}
