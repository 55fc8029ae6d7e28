import { Link } from '@tanstack/react-router';
import { pathTo } from '../paths.ts';
import { Notice } from '../ui/notice.tsx';
import styles from './link.module.css';
import { PageTitle, Reading } from './page.tsx';

/** An address that the dashboard does not have. */
export function NotFoundPage() {
  return (
    <main>
      <Reading>
        <PageTitle title="Not found" windowTitle="Not found" />
        <Notice title="Nothing is at this address.">
          <Link className={styles.link} to={pathTo('home')}>
            Go to the incidents
          </Link>
        </Notice>
      </Reading>
    </main>
  );
}
