import '../../api/screen-problem-words.ts';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectQuery, projectsQuery } from '../../api/projects.ts';
import { codeOf } from '../../api/transport.ts';
import { type PathName, pathTo } from '../../paths.ts';
import { SkeletonBar, SkeletonRows } from '../../ui/lists/skeleton.tsx';
import { Notice } from '../../ui/notice.tsx';
import linkStyles from '../parts/link.module.css';
import { PartError } from '../parts/part-error.tsx';
import { Breadcrumb } from './breadcrumb.tsx';
import { PageTitle, Reading } from './page.tsx';

/**
 * Shows the parts of every screen of a project: its position in the bar above, its heading, and a replacement while the
 * project is read, cannot be read, or is paused.
 */
export function ProjectScreen({
  title,
  parent,
  intro,
  actions,
  children,
}: {
  title: string;
  /** The list that the screen belongs to. */
  parent?: { to: PathName; label: string };
  intro?: ReactNode;
  actions?: (project: Project) => ReactNode;
  children: (project: Project) => ReactNode;
}) {
  const { pid = '' } = useParams({ strict: false });
  const { data: project, error, refetch } = useQuery(projectQuery(pid));
  const { data: projects = [] } = useQuery(projectsQuery);
  // A paused project is refused by itself, and stays in the list of all.
  const isPaused = project?.shared_access_suspended === true || codeOf(error) === 'shared_access_suspended';
  const owner = projects.find(({ project_id: id }) => id === pid)?.owner_email;
  return (
    <Reading>
      <Breadcrumb>
        {parent !== undefined && <Link to={pathTo(parent.to, { pid })}>{parent.label}</Link>}
        <span>{title}</span>
      </Breadcrumb>
      <PageTitle
        title={title}
        windowTitle={`${title}${project === undefined ? '' : ` · ${project.name}`}`}
        actions={actionsOf(project, error === null ? actions : undefined)}
      >
        {intro !== undefined && <p>{intro}</p>}
      </PageTitle>
      {project === undefined && error === null && <SkeletonRows rows={4} />}
      {project === undefined && error !== null && !isPaused && (
        <>
          <PartError error={error} retry={() => void refetch()} />
          <Link className={linkStyles.link} to={pathTo('home')}>
            Go to incidents
          </Link>
        </>
      )}
      {isPaused && (
        <Notice title="Access is paused: the owner's plan does not include other people.">
          {owner === undefined ? '' : `Owner: ${owner}`}
        </Notice>
      )}
      {project !== undefined && !isPaused && children(project)}
    </Reading>
  );
}

/** The buttons of the heading; before the project is read they have their place already. */
function actionsOf(
  project: Project | undefined,
  actions: ((project: Project) => ReactNode) | undefined,
): ReactNode {
  if (actions === undefined) return undefined;
  return project === undefined ? <SkeletonBar width="96px" height="var(--control)" /> : actions(project);
}
