import type { Session } from '@culprit/contract/workspace/sign-in';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { serverQuery } from '../../api/server.ts';
import { signOut } from '../../api/session.ts';
import { pathTo } from '../../paths.ts';
import { Menu, type MenuItem } from '../../ui/layers/menu.tsx';
import { useSignal } from '../../ui/signal.ts';
import { showShortcuts } from '../palette/shortcut-list.tsx';
import styles from './account-menu.module.css';
import { appearance, changeAppearance, DENSITIES, THEMES } from './appearance.ts';
import { useOwnScreens } from './navigation.ts';

/** Shows the signed-in person, and the settings for this browser alone. */
export function AccountMenu({ session }: { session: Session }) {
  const { theme, density } = useSignal(appearance);
  const { data: server } = useQuery(serverQuery);
  const navigate = useNavigate();
  const ownScreens = useOwnScreens();
  const items: MenuItem[] = [
    { kind: 'title', label: session.email },
    { kind: 'action', label: 'Your settings', onChoose: () => void navigate({ to: pathTo('settings') }) },
    ...ownScreens.map(
      ({ label, to }): MenuItem => ({
        kind: 'action',
        label,
        onChoose: () => void navigate({ to: pathTo(to) }),
      }),
    ),
    { kind: 'line' },
    { kind: 'title', label: 'Theme' },
    ...entriesOf(THEMES).map(
      ([value, label]): MenuItem => ({
        kind: 'action',
        label,
        isChosen: theme === value,
        onChoose: () => changeAppearance({ theme: value }),
      }),
    ),
    { kind: 'title', label: 'Density' },
    ...entriesOf(DENSITIES).map(
      ([value, label]): MenuItem => ({
        kind: 'action',
        label,
        isChosen: density === value,
        onChoose: () => changeAppearance({ density: value }),
      }),
    ),
    { kind: 'line' },
    { kind: 'action', label: 'Keyboard shortcuts', keys: '?', onChoose: showShortcuts },
    { kind: 'link', label: 'API reference', href: '/docs' },
    { kind: 'action', label: 'Sign out', onChoose: () => void signOut() },
    ...(server === undefined
      ? []
      : [{ kind: 'title', label: `Culprit ${server.version}` } satisfies MenuItem]),
  ];
  return (
    <Menu
      label={`Account ${session.email}`}
      side="end"
      triggerClass={styles.trigger}
      trigger={
        <>
          <span className={styles.letter} data-letter={session.email.slice(0, 1)} aria-hidden="true" />
          <span className={styles.name}>{session.email.split('@')[0]}</span>
        </>
      }
      items={items}
    />
  );
}

function entriesOf<Key extends string>(words: Readonly<Record<Key, string>>): [Key, string][] {
  const keys: Key[] = [];
  for (const key in words) keys.push(key);
  return keys.map((key) => [key, words[key]]);
}
