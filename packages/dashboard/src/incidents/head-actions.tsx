import type { Project } from '@culprit/contract/workspace/projects';
import { Link } from '@tanstack/react-router';
import { pathTo } from '../paths.ts';
import { useSetupSteps } from '../shell/frame/setup-steps.ts';
import styles from '../shell/parts/link.module.css';
import { SampleDataButton } from '../shell/parts/sample-data.tsx';

/** The way to what is left to set up; nothing once all of it is done. */
function SetupLink({ project }: { project: Project }) {
  const steps = useSetupSteps(project);
  if (steps === null || (steps.hasAlerts && steps.hasDeploys && steps.hasMembers)) return null;
  return (
    <Link className={styles.link} to={pathTo('setup', { pid: project.project_id })}>
      Finish setup
    </Link>
  );
}

/** Links in the heading of a project's list to the rest of its setup, and the button that removes its sample data. */
export function HeadActions({ project, hasSample }: { project: Project; hasSample: boolean }) {
  return (
    <>
      {hasSample && <SampleDataButton projectId={project.project_id} only="remove" />}
      <SetupLink project={project} />
    </>
  );
}
