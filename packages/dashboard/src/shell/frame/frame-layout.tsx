import type { ReactNode } from 'react';
import styles from './frame.module.css';

/** The geometry of the frame, the same before and after anything is read. */
export function FrameLayout({
  sidebar,
  bar,
  banner,
  isMenuOpen = false,
  children,
}: {
  sidebar: ReactNode;
  bar: ReactNode;
  banner?: ReactNode;
  isMenuOpen?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={styles.frame} data-menu={isMenuOpen ? 'open' : 'closed'}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      {sidebar}
      <div className={styles.column}>
        <header className={styles.topBar}>{bar}</header>
        {banner}
        <main id="content" className={styles.content} tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}
