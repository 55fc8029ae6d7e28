import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { pathTo } from '../../paths.ts';
import { keyName } from '../../ui/button.tsx';
import { entryAt, useNavigation } from './navigation.ts';
import styles from './section-navigation.module.css';

/** The number of screens from which they are in a separate column. */
const COLUMN_FROM = 6;
/** The width of the tabs before the current one that stays visible if not all tabs fit. */
const BEFORE_PX = 200;

/** The screens that share an entry of the sidebar: tabs above the screen, or a second column. */
export function SectionNavigation({ pid }: { pid: string | null }) {
  const navigation = useNavigation();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const section = pid === null ? undefined : entryAt(navigation, path, pid);
  const list = useRef<HTMLUListElement>(null);
  // If the tabs are wider than the window, the tab of this screen can be beyond its edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen has another tab
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (tab) list.current?.scrollTo(tab.offsetLeft - BEFORE_PX, 0);
  }, [path]);
  if (pid === null || section?.screens === undefined) return null;
  const { label, screens } = section;
  const isColumn = screens.length >= COLUMN_FROM;
  return (
    <nav
      className={isColumn ? `${styles.tabs} ${styles.column}` : styles.tabs}
      data-form={isColumn ? 'column' : 'tabs'}
      aria-label={label}
    >
      <ul ref={list}>
        {screens.map(({ to, label: name, key }) => (
          <li key={to}>
            <Link
              to={pathTo(to, { pid })}
              className={styles.tab}
              activeProps={{ className: `${styles.tab} ${styles.active}` }}
              activeOptions={{ includeSearch: false }}
              title={key === null ? undefined : `G then ${keyName(key)}`}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
