import type { Project } from '@culprit/contract/workspace/projects';
import { Link } from '@tanstack/react-router';
import { pathTo } from '../paths.ts';
import { useSetupSteps } from '../shell/frame/setup-steps.ts';
import styles from '../shell/parts/link.module.css';

/** The way to what is left to set up; nothing once all of it is done. */
export function SetupLink({ project }: { project: Project }) {
  const steps = useSetupSteps(project);
  if (steps === null || (steps.hasAlerts && steps.hasDeploys && steps.hasMembers)) return null;
  return (
    <Link className={styles.link} to={pathTo('setup', { pid: project.project_id })}>
      Finish setup
    </Link>
  );
}
