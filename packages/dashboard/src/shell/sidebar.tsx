import type { Project } from '@culprit/contract/projects';
import type { Session } from '@culprit/contract/sign-in';
import { Link } from '@tanstack/react-router';
import { lazy, useEffect, useState } from 'react';
import { count } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { Icon } from '../ui/icon.tsx';
import { Mark } from '../ui/mark.tsx';
import { AccountMenu } from './account-menu.tsx';
import { LazyPart } from './lazy-part.tsx';
import { type NavigationEntry, useNavigation, useOwnScreens } from './navigation.ts';
import { ProjectSwitch } from './project-switch.tsx';
import styles from './sidebar.module.css';

const CountedFigure = lazy(() =>
  import('./counted-figure.tsx').then((module) => ({ default: module.CountedFigure })),
);
/** Not among the first requests, which the first screen waits for. */
const COUNT_AFTER_MS = 1500;

/** The way to every screen, and what needs somebody. */
export function Sidebar({ session, project }: { session: Session | null; project: Project | null }) {
  const navigation = useNavigation();
  const ownScreens = useOwnScreens();
  const [isCounting, setCounting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setCounting(true), COUNT_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <aside className={styles.sidebar}>
      <div className={styles.head}>
        <Link to={pathTo('home')} className={styles.mark} aria-label="Culprit, start">
          <Mark />
        </Link>
        <ProjectSwitch project={project} />
      </div>
      <nav className={styles.navigation} aria-label="Main">
        {project !== null &&
          navigation.map(({ title, entries }) => (
            <div key={title ?? ''} className={styles.group}>
              {title !== null && <p className={styles.title}>{title}</p>}
              <ul>
                {entries.map((entry) => (
                  <Entry key={entry.to} entry={entry} project={project} isCounting={isCounting} />
                ))}
              </ul>
            </div>
          ))}
      </nav>
      <nav className={styles.own} aria-label="Account">
        <ul>
          {ownScreens.map((entry) => (
            <Entry key={entry.to} entry={entry} project={project} />
          ))}
        </ul>
      </nav>
      <div className={styles.foot}>{session !== null && <AccountMenu session={session} />}</div>
    </aside>
  );
}

function Entry({
  entry,
  project,
  isCounting = false,
}: {
  entry: NavigationEntry;
  project: Project | null;
  isCounting?: boolean;
}) {
  const figure = project === null ? 0 : (entry.figure?.(project) ?? 0);
  return (
    <li>
      <Link
        to={pathTo(entry.to, { pid: project?.project_id ?? '' })}
        className={styles.entry}
        activeProps={{ className: `${styles.entry} ${styles.active}` }}
        activeOptions={{ includeSearch: false, exact: entry.to === 'project' }}
        title={entry.key === null ? undefined : `G then ${entry.key}`}
      >
        <Icon path={entry.icon} />
        <span className={styles.label}>{entry.label}</span>
        {figure > 0 && <span className={styles.figure}>{count(figure)}</span>}
        {isCounting && entry.counted !== undefined && project !== null && (
          <LazyPart>
            <CountedFigure of={entry.counted} projectId={project.project_id} />
          </LazyPart>
        )}
      </Link>
    </li>
  );
}
