import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lastProject } from '../../api/session.ts';
import { SkeletonBar, SkeletonRows } from '../../ui/lists/skeleton.tsx';
import { Entrance } from '../sign-in/entrance.tsx';
import styles from './first-frame.module.css';
import { FrameLayout } from './frame-layout.tsx';
import { Reading } from './page.tsx';
import { Sidebar } from './sidebar.tsx';

/** Pages outside of the frame, which read little. */
const OUTSIDE = /^\/(login|invite)(?:\/|$)/;
const OF_PROJECT = /^\/projects\/([\w-]+)/;
const OF_INCIDENT = /^\/(?:incidents|bundles|improvements)\/[^/]/;

/**
 * The frame until the first screen can be drawn: it needs no answer of the server, only the address and which project
 * this browser showed last.
 */
export function FirstFrame() {
  const isFirst = useRouterState({ select: (state) => state.matches.length === 0 });
  const path = useRouterState({ select: (state) => state.location.pathname });
  if (!isFirst) return null;
  const outside = OUTSIDE.exec(path);
  if (outside !== null) return <EntranceSkeleton isInvite={outside[1] === 'invite'} />;
  return <BareFrame>{OF_INCIDENT.test(path) ? <RecordSkeleton /> : <ListSkeleton />}</BareFrame>;
}

/** Shows the frame with other content, if the session or the project could not be read. */
export function BareFrame({ children }: { children: ReactNode }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const last = lastProject();
  const pid = OF_PROJECT.exec(path)?.[1] ?? last;
  return (
    // Without a visit before no one is likely to be signed in: the frame waits, so that it does not flash.
    <div className={last === null ? styles.delayed : undefined}>
      <FrameLayout
        sidebar={<Sidebar pid={pid} project={null} />}
        bar={
          <>
            <SkeletonBar width="128px" />
            <span className={styles.space} />
            <SkeletonBar width="96px" />
          </>
        }
      >
        {children}
      </FrameLayout>
    </div>
  );
}

function ListSkeleton() {
  return (
    <div className={styles.list}>
      <div className={styles.head}>
        <SkeletonBar width="160px" height="24px" />
      </div>
      <SkeletonRows rows={12} />
    </div>
  );
}

/** The panel of signing in, which waits: its answers are mostly there before it could be read. */
export function EntranceSkeleton({ isInvite }: { isInvite: boolean }) {
  return (
    <div className={styles.delayed}>
      <Entrance
        title={isInvite ? 'Join a project' : 'Sign in to Culprit'}
        windowTitle={isInvite ? 'Invite' : 'Sign in'}
      >
        <SkeletonBar width="100%" height="60px" />
        <SkeletonBar width="100%" height="36px" />
      </Entrance>
    </div>
  );
}

/** The head, the figures, the stack and the rail of a record. */
function RecordSkeleton() {
  return (
    <Reading>
      <div className={styles.head}>
        <SkeletonBar width="120px" height="20px" />
        <SkeletonBar width="70%" height="28px" />
      </div>
      <div className={styles.columns}>
        <div>
          <SkeletonBar width="100%" height="112px" />
          <SkeletonRows rows={6} height="44px" />
        </div>
        <SkeletonRows rows={8} height="36px" />
      </div>
    </Reading>
  );
}
