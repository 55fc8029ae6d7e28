import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page.module.css';

/** The heading of a screen; it takes the focus after a navigation, and names the window. */
export function PageTitle({
  title,
  windowTitle,
  actions,
  isHidden = false,
  children,
}: {
  title: ReactNode;
  windowTitle: string;
  actions?: ReactNode;
  isHidden?: boolean;
  /** A line below. */
  children?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    document.title = `${windowTitle} · Culprit`;
  }, [windowTitle]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another screen
  useEffect(() => {
    const { activeElement } = document;
    // A restored row or an open field keeps the focus it has.
    if (activeElement === null || activeElement === document.body || activeElement.closest('nav') !== null) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [path]);
  return (
    <header className={isHidden ? 'visually-hidden' : styles.header}>
      <div className={styles.words}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}

/** The ground of a screen that is read rather than scanned. */
export function Reading({ children }: { children: ReactNode }) {
  return <div className={styles.reading}>{children}</div>;
}

/** The parts of a screen that is read, one below the other. */
export function Sections({ children }: { children: ReactNode }) {
  return <div className={styles.sections}>{children}</div>;
}
