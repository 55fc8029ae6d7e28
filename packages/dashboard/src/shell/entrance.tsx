import type { ReactNode } from 'react';
import { Mark } from '../ui/mark.tsx';
import styles from './entrance.module.css';

/** A page outside of the frame: where one is, and one thing to do. */
export function Entrance({
  purpose,
  error,
  children,
}: {
  purpose: string;
  /** Why somebody came back here. */
  error?: string | undefined;
  children: ReactNode;
}) {
  return (
    <main className={styles.page}>
      <div className={styles.column}>
        <header className={styles.head}>
          <h1>
            <Mark size={28} />
            <span className="visually-hidden">, {purpose}</span>
          </h1>
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
