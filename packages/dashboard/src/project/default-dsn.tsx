import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { defaultKeyOf, dsnKeysQuery } from '../api/dsn-keys.ts';
import { useFeature } from '../api/server.ts';
import { pathTo } from '../paths.ts';
import linkStyles from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { SkeletonBar } from '../ui/lists/skeleton.tsx';
import styles from './project-settings-page.module.css';

/** The address that most senders use. */
export function DefaultDsn({ project: { project_id: pid } }: { project: Project }) {
  const hasKeys = useFeature('dsn_keys');
  const keys = useQuery({ ...dsnKeysQuery(pid), enabled: hasKeys });
  if (!hasKeys) return null;
  const { data } = keys;
  const key = defaultKeyOf(data);
  return (
    <section className={styles.danger} aria-label="DSN">
      <h2>DSN</h2>
      <p>
        {data !== undefined && key === undefined
          ? 'The project has no active DSN key for all senders.'
          : 'The address for a Sentry library. It is public, and can only send.'}
      </p>
      {keys.isPending && (
        // The place of the address, so that what is below stays where it is.
        <div className={styles.dsn}>
          <SkeletonBar width="44ch" />
        </div>
      )}
      {keys.isError && data === undefined && (
        <PartError error={keys.error} retry={() => void keys.refetch()} />
      )}
      {key !== undefined && (
        <div className={styles.dsn}>
          <code translate="no">{key.dsn}</code>
          <CopyButton text={key.dsn} label="Copy the DSN" isIcon />
        </div>
      )}
      <Link className={linkStyles.link} to={pathTo('tokens', { pid })} hash="dsn-keys">
        All DSN keys
      </Link>
    </section>
  );
}
