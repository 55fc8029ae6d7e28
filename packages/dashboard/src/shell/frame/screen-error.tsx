import { Link, useRouter } from '@tanstack/react-router';
import { pathTo } from '../../paths.ts';
import styles from '../parts/link.module.css';
import { PartError } from '../parts/part-error.tsx';
import { BareFrame } from './first-frame.tsx';
import { PageTitle, Reading } from './page.tsx';

/** Shows an error in the place of a screen that could not be read or drawn: what failed, and a link home. */
export function ScreenError({ error }: { error: unknown }) {
  const router = useRouter();
  return (
    <Reading>
      <PageTitle title="This page could not be shown" windowTitle="Error" />
      <PartError error={error} retry={() => void router.invalidate()} />
      <Link className={styles.link} to={pathTo('home')} reloadDocument>
        Go to incidents
      </Link>
    </Reading>
  );
}

/** The same where the session could not be read, so that the frame has nothing to show yet. */
export function FrameError({ error }: { error: unknown }) {
  return (
    <BareFrame>
      <ScreenError error={error} />
    </BareFrame>
  );
}
