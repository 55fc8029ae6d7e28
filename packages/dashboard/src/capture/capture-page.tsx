import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { policyQuery } from '../api/capture-policy.ts';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { PolicySection } from './policy-section.tsx';
import { RulesSection } from './rules-section.tsx';

/** The screen of event filters: accepted events, dropped ones, and the rules that decide. */
export function CapturePage() {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const { isPending: isPolicyUnread } = useQuery(policyQuery(pid));
  const make = () => void navigate({ to: pathTo('newCaptureRule', { pid }) });
  useShortcuts('Event filters', [{ keys: 'n', label: 'New filter', run: make }]);
  return (
    <ProjectScreen
      title="Event filters"
      intro="The preset decides which events are accepted and which open an incident. Filters are exceptions to it."
      actions={(project) => (
        <Button kind="primary" keys="N" refusal={refusalFor('admin', project)} onClick={make}>
          New filter
        </Button>
      )}
    >
      {(project) => (
        <>
          <PolicySection project={project} />
          {/* The policy is a page high; rules that were read first would be painted and then pushed away. */}
          {!isPolicyUnread && <RulesSection project={project} onMake={make} />}
        </>
      )}
    </ProjectScreen>
  );
}
