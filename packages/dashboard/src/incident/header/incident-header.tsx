import personIcon from 'virtual:icon/person';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { visibleLine, visibleText } from '../../format/event-text.ts';
import { titleParts } from '../../format/incident-words.ts';
import { usePresent } from '../../format/time.tsx';
import { pathTo } from '../../paths.ts';
import { PageTitle } from '../../shell/frame/page.tsx';
import { AssigneeLink, EnvironmentLink, ServiceLink } from '../../shell/parts/fact-links.tsx';
import { PriorityMark } from '../../shell/triage/severity.tsx';
import { isSpiking, StateMark } from '../../shell/triage/state.tsx';
import { SnoozeMark } from '../../shell/triage/triage-marks.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useOccurrences } from '../event/occurrences.ts';
import { daysSeen } from '../evidence/known-facts.ts';
import { FixMark } from './fix-mark.tsx';
import styles from './incident-header.module.css';

/** Shows the failure, its severity, and its place. */
export function IncidentHeader({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const now = usePresent();
  const { type, message } = namesOf(incident, bundle);
  const days = useOccurrences(incident, 'days');
  const seenOn = days === undefined ? null : daysSeen(days, incident.first_seen_at, now);
  return (
    <div className={styles.header}>
      <PageTitle
        windowTitle={`${visibleLine(incident.title)} · ${incident.project_name}`}
        title={
          <span className={styles.title} dir="auto" translate="no">
            {type !== '' && <span className={styles.type}>{visibleLine(type)}</span>}
            <LongText key={incident.incident_id}>{visibleText(message)}</LongText>
          </span>
        }
      />
      <div className={styles.marks}>
        {incident.short_id !== null && (
          <span className={styles.mark} translate="no">
            {incident.short_id}
            <CopyButton
              isIcon
              text={new URL(pathTo('shortIncident', { id: incident.short_id }), location.origin).href}
              label={`Copy the link of ${incident.short_id}`}
            />
          </span>
        )}
        <PriorityMark priority={incident.triage.priority} />
        <StateMark state={incident.status} />
        {isSpiking(incident, now) && <StateMark state="spiking" />}
        {seenOn !== null && (
          <span className={styles.mark} title={`It happened on ${seenOn}.`}>
            Recurring
          </span>
        )}
        <SnoozeMark triage={incident.triage} />
        <AssigneeMark {...incident} />
        <FixMark incident={incident} />
        {incident.is_sample && <span className={styles.mark}>Sample</span>}
        {bundle?.verification.synthetic === true && <span className={styles.mark}>Verification run</span>}
        <span className={styles.mark}>
          {incident.service_name === null ? (
            'unknown service'
          ) : (
            <ServiceLink pid={incident.project_id} name={incident.service_name} />
          )}
        </span>
        <span className={styles.mark}>
          <EnvironmentLink pid={incident.project_id} name={incident.environment} />
        </span>
      </div>
    </div>
  );
}

/** The type and the message of the error, by the evidence if there is some, else by the title. */
function namesOf(incident: Incident, bundle: DebugBundle | null): { type: string; message: string } {
  const { error_type: type = null, error_message: message = null } = bundle?.summary ?? {};
  if (type !== null && message !== null && message !== '') return { type, message };
  const { name, rest } = titleParts(incident.title);
  return { type: name, message: rest };
}

/** Three lines of a text, and the rest on request. */
function LongText({ children }: { children: ReactNode }) {
  const text = useRef<HTMLSpanElement>(null);
  const [isCut, setCut] = useState(false);
  const [isAll, setAll] = useState(false);
  useLayoutEffect(() => {
    const { current } = text;
    if (current !== null && !isAll) setCut(current.scrollHeight > current.clientHeight + 1);
  }, [isAll]);
  return (
    <>
      <span ref={text} className={styles.message} data-all={isAll}>
        {children}
      </span>
      {isCut && !isAll && (
        <button type="button" className={styles.more} onClick={() => setAll(true)}>
          Show all
        </button>
      )}
    </>
  );
}

/** Shows the assignee, as a link to all that this person or team has. */
function AssigneeMark({ triage: { assignee }, project_id: pid }: Pick<Incident, 'triage' | 'project_id'>) {
  if (assignee === null) return null;
  const name = visibleLine(assignee.name);
  return (
    <span className={styles.mark} title={`Assigned to ${name}`} translate="no">
      <Icon path={personIcon} size={12} />
      <span className="visually-hidden">Assigned to </span>
      <AssigneeLink pid={pid} handle={assignee.handle}>
        {name}
      </AssigneeLink>
    </span>
  );
}
