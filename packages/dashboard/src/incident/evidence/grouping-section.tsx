import { explanationParts, slotSentence } from '@culprit/contract/incidents/grouping-words';
import { getIncidentGrouping, type IncidentGrouping } from '@culprit/contract/incidents/incident-grouping';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentQuery } from '../../api/incidents.ts';
import { projectQuery } from '../../api/projects.ts';
import { call } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { Time } from '../../format/time.tsx';
import { pathTo } from '../../paths.ts';
import { refusalFor } from '../../shell/parts/roles.ts';
import { closeSlot, takeOut } from '../../shell/triage/merge-incidents.ts';
import { Button } from '../../ui/button.tsx';
import { FoldedSection } from '../../ui/folded-section.tsx';
import styles from './grouping-section.module.css';

const ORIGIN_WORDS: Readonly<Record<string, string>> = {
  own: 'its own',
  merge: 'of a merged incident',
  slot: 'of the same message with one other word',
  regrouping: 'by changed stack rules',
};

/** Why these occurrences are one incident, why it counts as one, and what was merged into it by hand. */
export function GroupingSection({ incident }: { incident: Incident }) {
  const { incident_id: id } = incident;
  const { data: project } = useQuery(projectQuery(incident.project_id));
  const { data: grouping } = useQuery({
    queryKey: [getIncidentGrouping.id, id],
    queryFn: async ({ signal }) => (await call(getIncidentGrouping, { params: { id }, signal })).grouping,
    staleTime: 30_000,
  });
  const refusal = refusalFor('admin', project);
  const parts = grouping === undefined ? [] : explanationParts(grouping);
  return (
    <FoldedSection id="grouping" title="Grouping" summary={parts[0] && `${parts[0].label} ${parts[0].text}`}>
      {parts.map(({ label, text }) => (
        <p key={label}>
          {label} {text}.
        </p>
      ))}
      <p className={styles.soft}>{sentence(visibleLine(incident.incident_reason.description))}</p>
      {grouping?.merged_into !== null && grouping?.merged_into !== undefined && (
        <div className={styles.merged}>
          <p>
            Merged into <IncidentName id={grouping.merged_into} />, which takes its events now.
          </p>
          <Button
            refusal={refusal}
            onClick={() => grouping.merged_into !== null && void takeOut(grouping.merged_into, [id])}
          >
            Remove from group
          </Button>
        </div>
      )}
      {grouping?.slots.map((slot) => (
        <div key={slot.slot_id} className={styles.merged}>
          <p dir="auto" translate="no">
            {visibleLine(slotSentence(slot))}
          </p>
          <Button refusal={refusal} onClick={() => void closeSlot(id, slot.slot_id)}>
            Split into separate incidents
          </Button>
        </div>
      ))}
      {grouping?.members.map((member) => (
        <div key={member} className={styles.merged}>
          <p>
            Holds <IncidentName id={member} />, {broughtBy(grouping.keys, member)}.
          </p>
          <Button refusal={refusal} onClick={() => void takeOut(id, [member])}>
            Remove from group
          </Button>
        </div>
      ))}
      <details className={styles.keys}>
        <summary>{plural(grouping?.keys.length ?? 1, 'fingerprint')}</summary>
        <ul>
          {(grouping?.keys ?? []).map(({ fingerprint, fingerprint_version: version, origin, since }) => (
            <li key={`${version} ${fingerprint}`}>
              <code>{fingerprint}</code> ({version}), {ORIGIN_WORDS[origin] ?? origin}
              {since !== null && (
                <>
                  , since <Time iso={since} form="absolute" />
                </>
              )}
            </li>
          ))}
        </ul>
      </details>
    </FoldedSection>
  );
}

/** A text that ends in one full stop. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text : `${text}.`;
}

/** Returns how a member was added. */
function broughtBy(keys: IncidentGrouping['keys'], member: string): string {
  const isBySlot = keys.some(
    ({ from_incident_id, origin }) => from_incident_id === member && origin === 'slot',
  );
  return isBySlot ? 'which differs in one word' : 'merged by hand';
}

/** An incident by its title, which leads to it; by its id while that is unknown. */
function IncidentName({ id }: { id: string }) {
  const { data } = useQuery({ ...incidentQuery(id), refetchInterval: false });
  return (
    <Link to={pathTo('incident', { id })} className={styles.name} dir="auto" translate="no">
      {data === undefined ? id : visibleLine(data.title)}
    </Link>
  );
}
