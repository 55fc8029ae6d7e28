import type { Project } from '@culprit/contract/projects';
import { Link } from '@tanstack/react-router';
import { pathTo } from '../paths.ts';
import styles from '../shell/link.module.css';
import { useSetupSteps } from '../shell/setup-steps.ts';

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
