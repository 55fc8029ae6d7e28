import type {
  AlertVerdict,
  AlertVerdictWord,
  listAlertVerdicts,
  listRuleVerdicts,
} from '@culprit/contract/alerts/alert-verdicts';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { freshness } from '../../api/freshness.ts';
import { call } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { Time } from '../../format/time.tsx';
import { pathTo } from '../../paths.ts';
import { type Column, DataTable } from '../../ui/lists/data-table.tsx';
import link from './link.module.css';
import { LoadingPart } from './loading-part.tsx';
import { NextPageButton } from './next-page-button.tsx';

const VERDICT_WORDS: Readonly<Record<AlertVerdictWord, string>> = {
  sent: 'Sent',
  joined: 'Sent with another',
  allowance: 'Allowance used up',
  snoozed: 'Snoozed',
  created_later: 'Created later',
  disabled: 'Disabled',
  no_target: 'No target',
  not_this_condition: 'Other condition',
  other_service: 'Other service',
  other_environment: 'Other environment',
  below_severity: 'Severity too low',
  query_not_matched: 'Query not matched',
  below_threshold: 'Below the threshold',
  plan: 'Not in the plan',
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

/** Shows why rules sent something, or did not: of an incident by rule, or of a rule by incident. */
export function VerdictTable({
  endpoint,
  id,
  pid,
  empty,
}: {
  endpoint: typeof listAlertVerdicts | typeof listRuleVerdicts;
  id: string;
  pid: string;
  empty: ReactNode;
}) {
  const list = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [endpoint.id, id],
      queryFn: ({ signal, pageParam }) => {
        const query = pageParam === null ? {} : { cursor: pageParam };
        return call(endpoint, { params: { id }, query, signal });
      },
      initialPageParam: null as string | null,
      getNextPageParam: ({ next_cursor: cursor }) => cursor,
      ...freshness('deliveries'),
    }),
  );
  const { data, error, refetch } = list;
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={3} />;
  const rows = data.pages.flatMap(({ verdicts }) => verdicts);
  if (rows.length === 0) return empty;
  const isOfRule = endpoint.id === 'listRuleVerdicts';
  return (
    <>
      <DataTable
        label={isOfRule ? 'Incidents and what this rule sent' : 'Alert rules and what they sent'}
        rows={rows}
        columns={[isOfRule ? aboutColumn : ruleColumn(pid), ...COLUMNS]}
        keyOf={({ alert_id: alertId, incident_id: incidentId, transition, at }) =>
          `${alertId} ${incidentId} ${transition} ${at}`
        }
        isDim={({ verdict }) => verdict !== 'sent' && verdict !== 'joined'}
      />
      <NextPageButton list={list} />
    </>
  );
}

const aboutColumn: Column<AlertVerdict> = {
  title: 'About',
  cell: ({ incident_id: id, short_id: shortId, title }) => (
    <Link className={link.link} to={pathTo('incident', { id })}>
      {shortId}{' '}
      <bdi dir="auto" translate="no">
        {visibleLine(title)}
      </bdi>
    </Link>
  ),
};

const ruleColumn = (pid: string): Column<AlertVerdict> => ({
  title: 'Rule',
  cell: ({ alert_id: alertId, alert_name: name }) => (
    <Link className={link.link} to={pathTo('alert', { pid, alertId })}>
      {name === null ? alertId : visibleLine(name)}
    </Link>
  ),
});

const COLUMNS: readonly Column<AlertVerdict>[] = [
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
];
