import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { pathTo } from '../../paths.ts';
import styles from '../parts/link.module.css';
import { Entrance } from '../sign-in/entrance.tsx';
import { BareFrame } from './first-frame.tsx';
import { Frame } from './frame.tsx';
import { PageTitle, Reading } from './page.tsx';

/** An address that the dashboard does not have: in the frame, or below the mark where no one is signed in. */
export function NotFoundPage() {
  const { data: session, isPending } = useQuery(sessionQuery);
  if (isPending) return <BareFrame>{null}</BareFrame>;
  if (session === null || session === undefined) {
    return (
      <Entrance title="Not found" windowTitle="Not found">
        <p>There is no page at this address. The link may be incomplete.</p>
        <Link className={styles.link} to={pathTo('login')}>
          Sign in
        </Link>
      </Entrance>
    );
  }
  return (
    <Frame>
      <Reading>
        <PageTitle title="Not found" windowTitle="Not found">
          <p>There is no page at this address. The link may be incomplete.</p>
        </PageTitle>
        <Link className={styles.link} to={pathTo('home')}>
          Go to incidents
        </Link>
      </Reading>
    </Frame>
  );
}
