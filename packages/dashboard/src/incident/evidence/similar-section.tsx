import { listSimilarIncidents, type SimilarityReason } from '@culprit/contract/incidents/incident-similar';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectQuery } from '../../api/projects.ts';
import { useFeature } from '../../api/server.ts';
import { call } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { Time } from '../../format/time.tsx';
import { pathTo } from '../../paths.ts';
import { ServiceLink } from '../../shell/parts/fact-links.tsx';
import { refusalFor } from '../../shell/parts/roles.ts';
import { mergeWithUndo } from '../../shell/triage/merge-incidents.ts';
import { PriorityMark } from '../../shell/triage/severity.tsx';
import { StateMark } from '../../shell/triage/state.tsx';
import { Button } from '../../ui/button.tsx';
import { FoldedSection } from '../../ui/folded-section.tsx';
import styles from './similar-section.module.css';

const REASON_WORDS: Readonly<Record<SimilarityReason, string>> = {
  same_frame: 'same in-app frame',
  same_client_fingerprint: 'grouped together by the client',
  same_message: 'same message',
  same_file: 'same file',
  same_error_type: 'same error type',
  same_time: 'began at the same time',
};

/** Incidents that may have the same cause, each with why it is named. */
export function SimilarSection({ incident }: { incident: Incident }) {
  const hasSimilar = useFeature('similar_incidents');
  const { incident_id: id } = incident;
  const { data: project } = useQuery(projectQuery(incident.project_id));
  const { data = [] } = useQuery({
    queryKey: [listSimilarIncidents.id, id],
    queryFn: async ({ signal }) => (await call(listSimilarIncidents, { params: { id }, signal })).similar,
    enabled: hasSimilar,
    staleTime: 60_000,
  });
  if (data.length === 0) return null;
  return (
    <FoldedSection id="similar" title="Similar" summary={plural(data.length, 'incident')}>
      <ul className={styles.list}>
        {data.map(({ incident: other, reasons }) => (
          <li key={other.incident_id} className={styles.row}>
            <PriorityMark priority={other.triage.priority} isCompact />
            <div className={styles.words}>
              <Link
                to={pathTo('incident', { id: other.incident_id })}
                className={styles.title}
                dir="auto"
                translate="no"
              >
                {visibleLine(other.title)}
              </Link>
              <p className={styles.soft}>
                {reasons.map((reason) => REASON_WORDS[reason] ?? reason).join(', ')} ·{' '}
                {other.service_name === null ? (
                  'unknown service'
                ) : (
                  <ServiceLink pid={other.project_id} name={other.service_name} />
                )}{' '}
                · last <Time iso={other.last_seen_at} />
              </p>
            </div>
            <StateMark state={other.status} />
            {other.service_id === incident.service_id && (
              <Button
                aria-label={`Merge with ${visibleLine(other.title)}`}
                refusal={refusalFor('admin', project)}
                onClick={() => void mergeWithUndo([id, other.incident_id])}
              >
                Merge
              </Button>
            )}
          </li>
        ))}
      </ul>
    </FoldedSection>
  );
}
