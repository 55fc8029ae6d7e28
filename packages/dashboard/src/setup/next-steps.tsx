import checkIcon from 'virtual:icon/check';
import { listMembers } from '@culprit/contract/members';
import type { Project } from '@culprit/contract/projects';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alertsQuery } from '../api/alerts.ts';
import { deploymentsQuery } from '../api/services.ts';
import { bodyOf, client } from '../api/transport.ts';
import { type PathName, pathTo } from '../paths.ts';
import linkStyles from '../shell/link.module.css';
import { Icon } from '../ui/icon.tsx';
import styles from './next-steps.module.css';

/** What makes a project useful, each with a check mark once it is done. */
export function NextSteps({ project }: { project: Project }) {
  const { project_id: pid, effective_role: role } = project;
  const { data: alerts = [] } = useQuery(alertsQuery(pid));
  const { data: deployments } = useInfiniteQuery(deploymentsQuery(pid));
  const { data: members = 1 } = useQuery({
    queryKey: [listMembers.id, pid, 'setup'],
    queryFn: async ({ signal }) =>
      (await bodyOf(client.call(listMembers, { params: { id: pid }, query: { limit: 2 }, signal }))).members
        .length,
    // Admins alone may read it.
    enabled: role !== 'member',
  });
  const steps: { to: PathName; label: string; note: string; isDone: boolean }[] = [
    {
      to: 'alerts',
      label: 'Get alerts',
      note: 'Mail, Slack or a webhook when an incident appears or returns.',
      isDone: alerts.some(({ is_enabled: isEnabled }) => isEnabled),
    },
    {
      to: 'services',
      label: 'Report deploys',
      note: 'Each incident then names the release that caused it: culprit deploy.',
      isDone: deployments?.pages.some((page) => page.deployments.length > 0) === true,
    },
    {
      to: 'people',
      label: 'Invite your team',
      note: 'Members see the incidents of this project.',
      isDone: members > 1,
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
