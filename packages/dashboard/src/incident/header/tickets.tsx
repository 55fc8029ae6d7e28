import type { IncidentLink } from '@culprit/contract/incidents/incident-links';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { useFeature } from '../../api/server.ts';
import { linksQuery, removeLink, retryLink } from '../../api/trackers.ts';
import { visibleLine } from '../../format/event-text.ts';
import { useShortcuts } from '../../shell/palette/shortcuts.tsx';
import { LazyPart } from '../../shell/parts/lazy-part.tsx';
import link from '../../shell/parts/link.module.css';
import { showToast } from '../../shell/parts/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './tickets.module.css';

const TicketSyncDialog = lazy(async () => ({
  default: (await import('./ticket-sync-dialog.tsx')).TicketSyncDialog,
}));
const TicketDialog = lazy(async () => ({ default: (await import('./ticket-dialog.tsx')).TicketDialog }));

/** The tickets and links of the incident, and what adds one. */
export function Tickets({ incident }: { incident: Incident }) {
  const has = useFeature('trackers');
  return has ? <TicketSection incident={incident} /> : null;
}

function TicketSection({ incident }: { incident: Incident }) {
  const { data: links = [] } = useQuery(linksQuery(incident.incident_id));
  const [adding, setAdding] = useState<'create' | 'link' | null>(null);
  useShortcuts('Tickets', [{ keys: 't', label: 'Create a ticket', run: () => setAdding('create') }]);
  return (
    <Section id="tickets" title="Tickets">
      {links.length > 0 && (
        <ul className={styles.links} aria-label="Tickets and links">
          {links.map((each) => (
            <Ticket key={each.link_id} ticket={each} />
          ))}
        </ul>
      )}
      <div className={styles.buttons}>
        <Button keys="T" onClick={() => setAdding('create')}>
          Create ticket
        </Button>
        <Button kind="quiet" onClick={() => setAdding('link')}>
          Link ticket
        </Button>
      </div>
      {adding !== null && (
        <LazyPart>
          <TicketDialog incident={incident} mode={adding} onClose={() => setAdding(null)} />
        </LazyPart>
      )}
    </Section>
  );
}

const STATE_WORDS: Readonly<Record<IncidentLink['state'], string>> = {
  pending: 'being created',
  open: 'open',
  closed: 'closed',
  gone: 'deleted in the tracker',
  failed: 'not created',
};

const FIELDS_REFUSED = 'fields_refused: ';

function problemWords(problem: string): string {
  if (problem === 'assignee_unknown') return 'the assignee is unknown in the tracker';
  if (!problem.startsWith(FIELDS_REFUSED)) return `the tracker answered ${visibleLine(problem)}`;
  const fields = visibleLine(problem.slice(FIELDS_REFUSED.length));
  return `the tracker refuses these fields: ${fields}. An admin sets them in the settings of the tracker`;
}

function Ticket({ ticket }: { ticket: IncidentLink }) {
  const { incident_id: incidentId, link_id: linkId, url, key, title, state, last_error: problem } = ticket;
  const name = visibleLine(key ?? title ?? url ?? 'New ticket');
  const [isSetting, setSetting] = useState(false);
  const retry = useMutation({ mutationFn: () => retryLink(incidentId, linkId) });
  const remove = useMutation({
    mutationFn: () => removeLink(incidentId, linkId),
    onSuccess: () => showToast(`Removed ${name}`),
  });
  const failure = retry.error ?? remove.error;
  const mayRetry = state === 'failed' || ticket.is_paused || (state !== 'gone' && problem !== null);
  return (
    <li className={styles.link}>
      <span translate="no" dir="auto">
        {url === null ? (
          name
        ) : (
          <a className={link.link} href={url} target="_blank" rel="noopener noreferrer nofollow">
            {name}
          </a>
        )}
      </span>
      {ticket.tracker_id !== null && (
        <span className={styles.facts}>
          {STATE_WORDS[state]}
          {ticket.assignee_name !== null && ` · ${visibleLine(ticket.assignee_name)}`}
          {ticket.own_sync.length > 0 && ' · has its own sync settings'}
          {ticket.is_paused && ' · paused, its status changed too often'}
          {problem !== null && !ticket.is_paused && (
            <span className={styles.failed}>{` · ${problemWords(problem)}`}</span>
          )}
        </span>
      )}
      {failure !== null && (
        <span role="alert" className={styles.failed}>
          {problemText(failure)}
        </span>
      )}
      <span className={styles.buttons}>
        {mayRetry && (
          <Button
            kind="quiet"
            aria-label={`Retry ${name}`}
            isBusy={retry.isPending}
            onClick={() => retry.mutate()}
          >
            Retry
          </Button>
        )}
        {ticket.sync !== null && state !== 'gone' && (
          <Button kind="quiet" aria-label={`Sync settings of ${name}`} onClick={() => setSetting(true)}>
            Sync
          </Button>
        )}
        <Button
          kind="quiet"
          aria-label={`Remove ${name}`}
          isBusy={remove.isPending}
          onClick={() => remove.mutate()}
        >
          Remove
        </Button>
      </span>
      {isSetting && ticket.sync !== null && (
        <LazyPart>
          <TicketSyncDialog
            ticket={ticket}
            sync={ticket.sync}
            name={name}
            onClose={() => setSetting(false)}
          />
        </LazyPart>
      )}
    </li>
  );
}
