import { type ReactNode, useEffect } from 'react';
import { Mark } from '../../ui/mark.tsx';
import styles from './entrance.module.css';

/** A page outside of the frame: where one is, and one thing to do. */
export function Entrance({
  title,
  windowTitle,
  error,
  children,
}: {
  title: string;
  windowTitle: string;
  /** The reason why the person was sent back here. */
  error?: string | undefined;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${windowTitle} · Culprit`;
  }, [windowTitle]);
  return (
    <main className={styles.page}>
      <div className={styles.panel}>
        <header className={styles.head}>
          <Mark hasName={false} size={32} />
          <h1>{title}</h1>
          <p className={styles.host}>{location.host}</p>
        </header>
        {error !== undefined && (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
        {children}
      </div>
    </main>
  );
}
