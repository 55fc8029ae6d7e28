import checkIcon from 'virtual:icon/check';
import type { Project } from '@culprit/contract/workspace/projects';
import { Link } from '@tanstack/react-router';
import { type PathName, pathTo } from '../paths.ts';
import { useSetupSteps } from '../shell/frame/setup-steps.ts';
import linkStyles from '../shell/parts/link.module.css';
import { Icon } from '../ui/icon.tsx';
import styles from './next-steps.module.css';

/** Shows the next steps of a project, each with a check mark once it is done. */
export function NextSteps({ project }: { project: Project }) {
  const { project_id: pid } = project;
  const done = useSetupSteps(project);
  const steps: { to: PathName; label: string; note: string; isDone: boolean }[] = [
    {
      to: 'alerts',
      label: 'Get alerts',
      note: 'Mail, Slack or a webhook when an incident appears or returns.',
      isDone: done?.hasAlerts === true,
    },
    {
      to: 'services',
      label: 'Report deploys',
      note: 'Run "culprit deploy" after each deploy. Incidents then show the deploy before them.',
      isDone: done?.hasDeploys === true,
    },
    {
      to: 'people',
      label: 'Invite your team',
      note: 'Members see the incidents of this project.',
      isDone: done?.hasMembers === true,
    },
  ];
  return (
    <ul className={styles.steps}>
      {steps.map(({ to, label, note, isDone }) => (
        <li key={to} data-done={isDone}>
          <span className={styles.mark} aria-hidden="true">
            {isDone && <Icon path={checkIcon} />}
          </span>
          <div>
            <Link className={linkStyles.link} to={pathTo(to, { pid })}>
              {label}
            </Link>
            <span className="visually-hidden">{isDone ? ', done' : ', not yet'}</span>
            <p>{note}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
