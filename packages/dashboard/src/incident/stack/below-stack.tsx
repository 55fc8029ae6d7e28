import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { EventDetail } from '@culprit/contract/incidents/incident-events';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { EventSection } from '../event/event-section.tsx';
import { EventsSection } from '../event/events-section.tsx';
import { Exchange, exchangeOfBundle } from '../event/exchange.tsx';
import { GroupingSection } from '../evidence/grouping-section.tsx';
import { Captured, EnvironmentSection, Logs, Probes, RedactionSection } from '../evidence/more-evidence.tsx';
import { ReproductionSection } from '../evidence/reproduction-section.tsx';
import { SimilarSection } from '../evidence/similar-section.tsx';
import styles from '../incident-page.module.css';
import { Timeline } from '../story/timeline-section.tsx';

/** Everything below the stack: the timeline, and the rest as a line each until it is unfolded. */
export function BelowStack({
  incident,
  bundle,
  event,
}: {
  incident: Incident;
  bundle: DebugBundle | null;
  /** Shown in place of the evidence of all. */
  event: EventDetail | null;
}) {
  return (
    <>
      {bundle !== null && event === null && <Timeline bundle={bundle} />}
      <div className={styles.folded}>
        {event !== null && <EventSection event={event} pid={incident.project_id} />}
        {bundle !== null && event === null && (
          <>
            <Exchange exchange={exchangeOfBundle(bundle)} />
            <ReproductionSection bundle={bundle} />
            <Logs bundle={bundle} />
            <Probes bundle={bundle} />
            <EnvironmentSection bundle={bundle} />
          </>
        )}
        <EventsSection incident={incident} bundle={bundle} />
        {bundle !== null && event === null && <RedactionSection bundle={bundle} />}
        <SimilarSection incident={incident} />
        <GroupingSection incident={incident} />
        {bundle !== null && event === null && <Captured bundle={bundle} projectId={incident.project_id} />}
      </div>
    </>
  );
}
