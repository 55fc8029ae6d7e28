import chevronIcon from 'virtual:icon/chevron-down';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useRef } from 'react';
import { projectsQuery } from '../../api/projects.ts';
import { pathTo } from '../../paths.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/layers/menu.tsx';
import { useShortcuts } from '../palette/shortcuts.tsx';
import styles from './project-switch.module.css';

const OF_NO_PROJECT: ReadonlySet<string> = new Set([
  pathTo('allIncidents'),
  pathTo('organization'),
  pathTo('settings'),
  pathTo('operator'),
  pathTo('welcome'),
]);

/** Which project the screens are about; changing it keeps the kind of screen. */
export function ProjectSwitch({ project }: { project: Project | null }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const menu = useRef<{ open(): void }>(null);
  useShortcuts('Project', [{ keys: 'g p', label: 'Switch the project', run: () => menu.current?.open() }]);
  if (projects.length === 0) return null;
  // Screens of a person or of the server belong to no project.
  const isOfAll = OF_NO_PROJECT.has(path);
  const name = isOfAll ? 'All projects' : (project?.name ?? 'Unknown project');
  const items: MenuItem[] = [
    ...projects.map(
      (each): MenuItem => ({
        kind: 'action',
        label: each.name,
        isChosen: !isOfAll && each.project_id === project?.project_id,
        onChoose: () => void navigate({ to: samePlace(path, each.project_id) }),
      }),
    ),
    { kind: 'line' },
    {
      kind: 'action',
      label: 'All projects',
      isChosen: isOfAll,
      onChoose: () => void navigate({ to: pathTo('allIncidents') }),
    },
    { kind: 'action', label: 'New project', onChoose: () => void navigate({ to: pathTo('welcome') }) },
  ];
  return (
    <Menu
      ref={menu}
      label={isOfAll || project === null ? name : `Project ${name}`}
      triggerClass={styles.trigger}
      trigger={
        <>
          <span className={styles.name}>{name}</span>
          <Icon path={chevronIcon} size={12} />
        </>
      }
      items={items}
    />
  );
}

/** The same kind of screen of another project; records belong to one, so they lead to the list. */
function samePlace(path: string, projectId: string): string {
  const [, first, , kind] = path.split('/');
  return first === 'projects' && kind !== undefined
    ? `${pathTo('project', { pid: projectId })}/${kind}`
    : pathTo('incidents', { pid: projectId });
}
