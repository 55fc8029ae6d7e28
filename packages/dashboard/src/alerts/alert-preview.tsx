import { alertQueryFault } from '@culprit/contract/alerts/alert-query';
import { type AlertPreview, previewAlert } from '@culprit/contract/alerts/alerts';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { useFeature } from '../api/server.ts';
import { sessionQuery } from '../api/session.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import link from '../shell/parts/link.module.css';
import { Button } from '../ui/button.tsx';
import { EffectPanel } from '../ui/effect-panel.tsx';
import { useSettled } from '../ui/fields/use-settled.ts';
import { SentenceLine } from '../ui/sentence.tsx';
import styles from './alert-form.module.css';
import { alertSentence, type SpokenRule } from './alert-sentence.ts';
import { type AlertValues, newAlertOf } from './alert-values.ts';

const DAYS = 7;

/** Shows the rule in a sentence, and the messages that it would have sent. */
export function AlertEffect({
  project,
  values,
  rule,
}: {
  project: Project;
  values: AlertValues;
  rule: SpokenRule;
}) {
  return (
    <EffectPanel label="What this rule does">
      <p>
        <SentenceLine sentence={alertSentence(rule)} />
      </p>
      <Preview project={project} values={values} />
    </EffectPanel>
  );
}

function Preview({ project, values }: { project: Project; values: AlertValues }) {
  const hasPreview = useFeature('alert_preview');
  const [isOpen, setOpen] = useState(false);
  const { data: session } = useQuery(sessionQuery);
  const settled = useSettled(previewBody(values, project.project_id, session?.email ?? ''));
  const fault = settled.query == null ? null : alertQueryFault(settled.query);
  const { data, error } = useQuery({
    queryKey: [previewAlert.id, settled],
    queryFn: async ({ signal }) => await call(previewAlert, { body: settled, signal }),
    enabled: hasPreview && settled.config.to !== '' && fault === null,
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
  if (!hasPreview) return null;
  if (fault !== null) return <p className={styles.error}>The query {fault}.</p>;
  if (error !== null) return <p className={styles.error}>{problemText(error)}</p>;
  return (
    <>
      <div className={styles.panelFoot} aria-live="polite">
        {data !== undefined && (
          <span>{values.condition === 'occurrence_threshold' ? reachedWords(data) : previewWords(data)}</span>
        )}
        {data !== undefined && data.matches.length > 0 && (
          <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide messages' : 'Show messages'}
          </Button>
        )}
      </div>
      {isOpen && data !== undefined && <Matches matches={data.matches} />}
    </>
  );
}

/** The placeholder for a receiver that is not filled in yet, or whose address is a secret; nothing is sent there. */
const ANY_RECEIVER = 'https://receiver.example/';

/**
 * Returns the body of the preview's request. The matches do not depend on the receiver; the number of messages depends
 * only on whether they are mails, of which several become one.
 */
function previewBody(values: AlertValues, projectId: string, ownEmail: string) {
  const target =
    values.way === 'email'
      ? { way: values.way, email: ownEmail }
      : { way: 'webhook' as const, url: ANY_RECEIVER };
  return { ...newAlertOf({ ...values, ...target }, projectId), days: DAYS };
}

/** "In the last 7 days it would have sent 3 messages and held back 1." */
function previewWords({ messages, held_back: heldBack }: AlertPreview): string {
  if (messages === 0 && heldBack === 0) return `In the last ${DAYS} days it would have sent nothing.`;
  const held = heldBack === 0 ? '' : ` and held back ${heldBack}`;
  return `In the last ${DAYS} days it would have sent ${plural(messages, 'message')}${held}.`;
}

/** "3 incidents meet the condition now." */
function reachedWords({ messages }: Pick<AlertPreview, 'messages'>): string {
  if (messages === 0) return 'No incident meets the condition now.';
  return `${plural(messages, 'incident')} ${messages === 1 ? 'meets' : 'meet'} the condition now.`;
}

const KINDS: Readonly<Record<string, string>> = {
  new_incident: 'new',
  incident_regressed: 'came back',
  error_spike: 'spiked',
  occurrence_threshold: 'meets the condition',
  snooze_ended: 'woke',
};

function Matches({ matches }: { matches: AlertPreview['matches'] }) {
  return (
    <ul className={styles.matches} aria-label="What would have been sent">
      {matches.map((match) => (
        <li key={`${match.incident_id} ${match.occurred_at} ${match.kind}`}>
          <span className={styles.soft}>{KINDS[match.kind] ?? match.kind}</span>
          <Link className={link.link} to={pathTo('incident', { id: match.incident_id })}>
            <bdi translate="no">{visibleLine(match.title)}</bdi>
          </Link>
          <span className={styles.soft}>
            {match.outcome === 'cooldown' && 'held back, '}
            <Time iso={match.occurred_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
