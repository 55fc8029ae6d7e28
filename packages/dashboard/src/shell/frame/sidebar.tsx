import type { Project } from '@culprit/contract/workspace/projects';
import { Link, useRouterState } from '@tanstack/react-router';
import { lazy, useEffect, useState } from 'react';
import { pathTo } from '../../paths.ts';
import { keyName } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Mark } from '../../ui/mark.tsx';
import { LazyPart } from '../parts/lazy-part.tsx';
import { entryAt, type NavigationEntry, useNavigation } from './navigation.ts';
import styles from './sidebar.module.css';

const CountedFigure = lazy(() =>
  import('../parts/counted-figure.tsx').then((module) => ({ default: module.CountedFigure })),
);
/** Not among the first requests, which the first screen waits for. */
const COUNT_AFTER_MS = 1500;

/** The way to every screen of a project, and what needs a person. */
export function Sidebar({ pid, project }: { pid: string | null; project: Project | null }) {
  const navigation = useNavigation();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const current = pid === null ? undefined : entryAt(navigation, path, pid);
  const [isCounting, setCounting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setCounting(true), COUNT_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <aside className={styles.sidebar}>
      <Link to={pathTo('home')} className={styles.mark} aria-label="Culprit, start">
        <Mark />
      </Link>
      <nav className={styles.navigation} aria-label="Main">
        <ul>
          {pid !== null &&
            navigation.map((entry) => (
              <Entry
                key={entry.to}
                entry={entry}
                pid={pid}
                isCurrent={entry === current}
                isCounting={isCounting && project !== null}
              />
            ))}
        </ul>
      </nav>
    </aside>
  );
}

function Entry({
  entry: { to, label, icon, key, counted },
  pid,
  isCurrent,
  isCounting,
}: {
  entry: NavigationEntry;
  pid: string;
  isCurrent: boolean;
  isCounting: boolean;
}) {
  return (
    <li>
      <Link
        to={pathTo(to, { pid })}
        className={isCurrent ? `${styles.entry} ${styles.active}` : styles.entry}
        activeOptions={{ includeSearch: false, exact: to === 'project' }}
        aria-current={isCurrent ? 'true' : undefined}
        title={key === null ? undefined : `G then ${keyName(key)}`}
      >
        <Icon path={icon} />
        <span className={styles.label}>{label}</span>
        {isCounting && counted !== undefined && (
          <LazyPart>
            <CountedFigure of={counted} projectId={pid} />
          </LazyPart>
        )}
      </Link>
    </li>
  );
}
