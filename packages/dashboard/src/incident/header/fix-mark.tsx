import { listFixes } from '@culprit/contract/incidents/incident-fixes';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useQuery } from '@tanstack/react-query';
import { freshness } from '../../api/freshness.ts';
import { call } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { usePresent } from '../../format/time.tsx';
import { ReleaseLink } from '../../shell/parts/fact-links.tsx';
import link from '../../shell/parts/link.module.css';
import { fixName, fixToShow } from './fix-words.ts';
import styles from './incident-header.module.css';

/** Shows the fix that the incident has, or came back after. */
export function FixMark({ incident }: { incident: Incident }) {
  const { incident_id: id, status } = incident;
  const now = usePresent();
  const { data: fixes = [] } = useQuery({
    queryKey: [listFixes.id, id, status],
    queryFn: async ({ signal }) => (await call(listFixes, { params: { id }, signal })).fixes,
    ...freshness('incident'),
  });
  const shown = fixToShow(incident, fixes, now);
  if (shown === null) return null;
  const { words, fix } = shown;
  return (
    <span className={styles.mark} title={fix.summary === null ? undefined : visibleLine(fix.summary)}>
      {words}
      <a
        className={link.link}
        href={fix.url}
        target="_blank"
        rel="noopener noreferrer nofollow"
        dir="auto"
        translate="no"
      >
        {visibleLine(fixName(fix.url))}
      </a>
      {status === 'resolved' && fix.deployed_in !== null && (
        <>
          in <ReleaseLink pid={incident.project_id} version={fix.deployed_in} />
        </>
      )}
    </span>
  );
}
