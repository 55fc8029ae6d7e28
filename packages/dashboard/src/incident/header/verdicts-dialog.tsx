import {
  type AlertVerdict,
  type AlertVerdictWord,
  listAlertVerdicts,
} from '@culprit/contract/alerts/alert-verdicts';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { freshness } from '../../api/freshness.ts';
import { bodyOf, client } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { Time } from '../../format/time.tsx';
import { pathTo } from '../../paths.ts';
import link from '../../shell/parts/link.module.css';
import { LoadingPart } from '../../shell/parts/loading-part.tsx';
import { Dialog } from '../../ui/layers/dialog.tsx';
import { DataTable } from '../../ui/lists/data-table.tsx';

const VERDICT_WORDS: Readonly<Record<AlertVerdictWord, string>> = {
  sent: 'Sent',
  joined: 'Sent with another',
  snoozed: 'Snoozed',
  created_later: 'Created later',
  disabled: 'Disabled',
  no_target: 'No target',
  not_this_condition: 'Other condition',
  other_service: 'Other service',
  other_environment: 'Other environment',
  below_severity: 'Severity too low',
  query_not_matched: 'Query not matched',
  disabled_target: 'Target unavailable',
  changed_since: 'Changed since',
  cooldown: 'Cooldown',
  not_sent: 'Not sent',
};

const TRANSITION_WORDS: Readonly<Record<AlertVerdict['transition'], string>> = {
  new_incident: 'opened',
  incident_regressed: 'regressed',
  error_spike: 'spiked',
  occurrence_threshold: 'reached a threshold',
  snooze_ended: 'woke',
};

/** Why each alert rule sent something about an incident, or did not. */
export function VerdictsDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { incident_id: id, project_id: pid } = incident;
  const { data, error, refetch } = useQuery({
    queryKey: [listAlertVerdicts.id, id],
    queryFn: async ({ signal }) =>
      (await bodyOf(client.call(listAlertVerdicts, { params: { id }, signal }))).verdicts,
    ...freshness('deliveries'),
  });
  return (
    <Dialog title="Alerts about this incident" isOpen onClose={onClose} width="wide">
      {data === undefined ? (
        <LoadingPart error={error} retry={refetch} rows={3} />
      ) : data.length === 0 ? (
        <p>
          No alert rules yet.{' '}
          <Link className={link.link} to={pathTo('newAlert', { pid })}>
            Create an alert rule
          </Link>
        </p>
      ) : (
        <DataTable
          label="Alert rules and what they sent"
          rows={data}
          columns={[
            {
              title: 'Rule',
              cell: ({ alert_id: alertId, alert_name: name }) => (
                <Link className={link.link} to={pathTo('alert', { pid, alertId })}>
                  {name === null ? alertId : visibleLine(name)}
                </Link>
              ),
            },
            { title: 'Result', cell: ({ verdict }) => VERDICT_WORDS[verdict] },
            { title: 'Reason', cell: ({ detail }) => visibleLine(detail) },
            {
              title: 'Incident',
              cell: ({ transition, at }) => (
                <>
                  {TRANSITION_WORDS[transition]} <Time iso={at} />
                </>
              ),
            },
          ]}
          keyOf={({ alert_id: alertId, at }) => `${alertId} ${at}`}
          isDim={({ verdict }) => verdict !== 'sent' && verdict !== 'joined'}
        />
      )}
    </Dialog>
  );
}
