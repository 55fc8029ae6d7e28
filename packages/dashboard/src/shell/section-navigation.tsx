import { Link, useRouterState } from '@tanstack/react-router';
import { pathTo } from '../paths.ts';
import { keyName } from '../ui/button.tsx';
import { entryAt, useNavigation } from './navigation.ts';
import styles from './section-navigation.module.css';

/** The number of screens from which they are in a separate column. */
const COLUMN_FROM = 6;

/** The screens that share an entry of the sidebar: tabs above the screen, or a second column. */
export function SectionNavigation({ pid }: { pid: string | null }) {
  const navigation = useNavigation();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const section = pid === null ? undefined : entryAt(navigation, path, pid);
  if (pid === null || section?.screens === undefined) return null;
  const { label, screens } = section;
  const isColumn = screens.length >= COLUMN_FROM;
  return (
    <nav
      className={isColumn ? `${styles.tabs} ${styles.column}` : styles.tabs}
      data-form={isColumn ? 'column' : 'tabs'}
      aria-label={label}
    >
      <ul>
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
