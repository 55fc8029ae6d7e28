import type { DebugBundle } from '@culprit/contract/bundle';
import type { Incident } from '@culprit/contract/incidents';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { Time, usePresent } from '../format/time.tsx';
import { PageTitle } from '../shell/page.tsx';
import { SeverityMark } from '../shell/severity.tsx';
import { isSpiking, StateMark } from '../shell/state.tsx';
import { IncidentActions } from './incident-actions.tsx';
import styles from './incident-header.module.css';

/** What broke, since when, how often, and whom it hits. */
export function IncidentHeader({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const now = usePresent();
  const summary = bundle?.summary;
  const type = summary?.error_type ?? null;
  const message = summary?.error_message ?? null;
  const title = type === null || message === null ? incident.title : message;
  return (
    <div className={styles.header}>
      <div className={styles.marks}>
        <SeverityMark severity={incident.severity} />
        <StateMark state={incident.status} />
        {isSpiking(incident, now) && <StateMark state="spiking" />}
        {bundle?.verification.synthetic === true && (
          <span className={styles.verification}>Verification run</span>
        )}
      </div>
      <PageTitle
        windowTitle={`${visibleLine(incident.title)} · ${incident.project_name}`}
        actions={<IncidentActions incident={incident} bundle={bundle} />}
        title={
          <span className={styles.title} dir="auto" translate="no">
            {type !== null && message !== null && <span className={styles.type}>{visibleLine(type)}</span>}
            <span className={styles.message}>{visibleText(title)}</span>
          </span>
        }
      />
      <p className={styles.facts}>
        <span>{visibleLine(incident.service_name ?? 'unknown service')}</span>
        <span>{visibleLine(incident.environment)}</span>
        <span>
          first <Time iso={incident.first_seen_at} />
        </span>
        <span>
          last <Time iso={incident.last_seen_at} />
        </span>
        <span>{plural(incident.occurrence_count, 'occurrence')}</span>
        {typeof bundle?.impact.affected_users_estimate === 'number' && (
          <span>{plural(bundle.impact.affected_users_estimate, 'user')}</span>
        )}
        {bundle?.impact.customer_visible === true && <span>seen by customers</span>}
        {bundle?.impact.regression_suspected === true && <span>regression suspected</span>}
      </p>
    </div>
  );
}
