import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { billingQuery } from '../../api/billing.ts';
import { projectsQuery } from '../../api/projects.ts';
import { absoluteTime } from '../../format/times.ts';
import { pathTo } from '../../paths.ts';
import linkStyles from '../../shell/parts/link.module.css';

/** Shows when bundles are generated again. The allowance is the organization's, so only its owner sees the period. */
export function UsedUpAllowance({ projectId }: { projectId: string }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const project = projects.find(({ project_id: id }) => id === projectId);
  const isOwner = project?.effective_role === 'owner';
  const { data: billing } = useQuery({ ...billingQuery, enabled: isOwner });
  if (project === undefined) return null;
  if (!isOwner) return `The limit applies to the whole organization. Owner: ${project.owner_email}`;
  if (billing === undefined) return null;
  return (
    <>
      The next period begins {absoluteTime(billing.usage_window.ends_at)}.{' '}
      <Link className={linkStyles.link} to={pathTo('organization')}>
        Plan and usage
      </Link>
    </>
  );
}
