import menuIcon from 'virtual:icon/three-bars';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import '../api/list-problem-words.ts';
import { useFeature } from '../api/server.ts';
import { sessionQuery } from '../api/session.ts';
import { IconButton } from '../ui/button.tsx';
import { Announcements } from './announce.tsx';
import { Banner } from './banner.tsx';
import styles from './frame.module.css';
import { GoToShortcuts } from './go-to.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { Palette } from './palette.tsx';
import { useCurrentProject } from './project-of-screen.ts';
import { SessionDialog } from './session-dialog.tsx';
import { ShortcutList } from './shortcut-list.tsx';
import { Sidebar } from './sidebar.tsx';
import { Toasts } from './toasts.tsx';

const STREAM_AFTER_MS = 1500;

/** What stands around every screen: navigation, search, banners. */
export function Frame() {
  const { data: session = null } = useQuery(sessionQuery);
  const project = useCurrentProject();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [isMenuOpen, setMenuOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere wants to see it
  useEffect(() => setMenuOpen(false), [path]);
  useStream();
  useKeptFocus();
  return (
    <div className={styles.frame} data-menu={isMenuOpen ? 'open' : 'closed'}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <Sidebar session={session} project={project} />
      {isMenuOpen && (
        <button
          type="button"
          className={styles.veil}
          aria-label="Close the navigation"
          onClick={() => setMenuOpen(false)}
        />
      )}
      <div className={styles.column}>
        <div className={styles.topBar}>
          <IconButton
            className={styles.menuButton ?? ''}
            label="Navigation"
            icon={menuIcon}
            data-tip-side="start"
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(!isMenuOpen)}
          />
          <div id="breadcrumb" className={styles.breadcrumb} />
          <Palette />
          <Progress />
        </div>
        <Banner />
        <main id="content" className={styles.content} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <GoToShortcuts project={project} />
      <ShortcutList />
      <SessionDialog />
      <Toasts />
      <Announcements />
    </div>
  );
}

/** A thin line while something that is shown is read again. */
function Progress() {
  const isReading = useIsFetching({ predicate: ({ state }) => state.data !== undefined }) > 0;
  return isReading ? <div className={styles.progress} aria-hidden="true" /> : null;
}

/** Follows what changes, from when the screen has come to rest. */
function useStream(): void {
  const hasStream = useFeature('stream');
  useEffect(() => {
    if (!hasStream) return;
    let end: (() => void) | null = null;
    let isGone = false;
    const timer = setTimeout(() => {
      void import('../api/stream.ts').then(({ followChanges }) => {
        if (!isGone) end = followChanges();
      });
    }, STREAM_AFTER_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
      end?.();
    };
  }, [hasStream]);
}
