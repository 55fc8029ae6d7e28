import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { connection, isAddressWrong } from '../../api/transport.ts';
import { Button } from '../../ui/button.tsx';
import { useSignal } from '../../ui/signal.ts';
import { LostConnection } from '../frame/lost-connection.tsx';
import { isOutdated } from '../frame/new-build.ts';
import styles from './banner.module.css';

const OperatorBanner = lazy(() =>
  import('../frame/operator-banner.tsx').then((module) => ({ default: module.OperatorBanner })),
);

/** Shows the problem that stops the whole page from working, the most serious first. */
export function Banner() {
  const { isLost, lastAnswerAt } = useSignal(connection);
  const isWrongAddress = useSignal(isAddressWrong);
  const hasNewBuild = useSignal(isOutdated);
  const { data: session } = useQuery(sessionQuery);
  if (isLost) return <LostConnection lastAnswerAt={lastAnswerAt} />;
  if (isWrongAddress) {
    return (
      <div className={styles.banner} role="alert">
        <p>
          This page is open at {location.origin}, but the server is configured for another address. Open it
          there, or set <code>CULPRIT_BASE_URL</code>.
        </p>
      </div>
    );
  }
  if (hasNewBuild) {
    return (
      <div className={styles.banner} role="status">
        <p>A new version is ready.</p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </div>
    );
  }
  return session?.is_operator === true ? (
    <Suspense>
      <OperatorBanner />
    </Suspense>
  ) : null;
}
