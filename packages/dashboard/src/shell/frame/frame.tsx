import menuIcon from 'virtual:icon/three-bars';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import '../../api/list-problem-words.ts';
import { projectsQuery } from '../../api/projects.ts';
import { useFeature } from '../../api/server.ts';
import { lastProject, sessionQuery } from '../../api/session.ts';
import { IconButton } from '../../ui/button.tsx';
import { GoToShortcuts } from '../palette/go-to.tsx';
import { useKeptFocus } from '../palette/kept-focus.ts';
import { Palette } from '../palette/palette.tsx';
import { ShortcutList } from '../palette/shortcut-list.tsx';
import { Announcements } from '../parts/announce.tsx';
import { Banner } from '../parts/banner.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { SessionDialog } from '../sign-in/session-dialog.tsx';
import { AccountMenu } from './account-menu.tsx';
import styles from './frame.module.css';
import { FrameLayout } from './frame-layout.tsx';
import { useCurrentProject } from './project-of-screen.ts';
import { ProjectSwitch } from './project-switch.tsx';
import { SectionNavigation } from './section-navigation.tsx';
import { Sidebar } from './sidebar.tsx';

const STREAM_AFTER_MS = 1500;

/** Shows the parts around every screen: navigation, search, banners. */
export function Frame({ children = <Outlet /> }: { children?: ReactNode }) {
  const { data: session = null } = useQuery(sessionQuery);
  const project = useCurrentProject();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { pid: ofPath } = useParams({ strict: false });
  const { data: projects } = useQuery(projectsQuery);
  // Until the projects are read, the address decides. One that is not among them leads to screens that do not exist.
  const isUnknown = projects?.every(({ project_id: id }) => id !== ofPath) === true;
  const pid = (isUnknown ? projects?.[0]?.project_id : ofPath) ?? project?.project_id ?? lastProject();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the menu, which would cover the screen
  useEffect(() => setMenuOpen(false), [path]);
  useStream();
  useKeptFocus();
  return (
    <>
      <FrameLayout
        isMenuOpen={isMenuOpen}
        sidebar={
          <>
            <Sidebar pid={pid} project={project} />
            {isMenuOpen && (
              <button
                type="button"
                className={styles.veil}
                aria-label="Close the navigation"
                onClick={() => setMenuOpen(false)}
              />
            )}
          </>
        }
        bar={
          <>
            <IconButton
              className={styles.menuButton ?? ''}
              label="Navigation"
              icon={menuIcon}
              data-tip-side="start"
              aria-expanded={isMenuOpen}
              onClick={() => setMenuOpen(!isMenuOpen)}
            />
            <div className={styles.place}>
              <ProjectSwitch project={project} />
              <div id="breadcrumb" className={styles.breadcrumb} />
            </div>
            <Palette />
            {session !== null && <AccountMenu session={session} />}
            <Progress />
          </>
        }
        banner={<Banner />}
      >
        <div className={styles.section}>
          <SectionNavigation pid={pid} />
          <div className={styles.screen}>{children}</div>
        </div>
      </FrameLayout>
      <GoToShortcuts project={project} />
      <ShortcutList />
      <SessionDialog />
      <Toasts />
      <Announcements />
    </>
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
      void import('../../api/stream.ts').then(({ followChanges }) => {
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
