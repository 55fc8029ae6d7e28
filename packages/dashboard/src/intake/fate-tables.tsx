import type { EventFates } from '@culprit/contract/events/event-fates';
import { Link } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { count, percent } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import linkStyles from '../shell/parts/link.module.css';
import { DataTable } from '../ui/lists/data-table.tsx';
import { Section } from '../ui/section.tsx';
import { partsOf, sumOf } from './fates.ts';

/**
 * Shows the items that are no events of the figures above: kinds that other libraries send and the dashboard does not
 * show.
 */
export function KindTable({ fates: { by_kind: byKind } }: { fates: EventFates }) {
  const rows = byKind.filter(({ not_taken: notTaken, over_limit: over }) => notTaken + over > 0);
  if (rows.length === 0) return null;
  return (
    <Section
      id="not-taken"
      title="Received but not stored"
      note="Items of other libraries that are not events. The figures above do not include them."
    >
      <DataTable
        label="Items by kind"
        rows={rows}
        keyOf={({ protocol, kind }) => `${protocol} ${kind}`}
        columns={[
          { title: 'Kind', cell: ({ kind }) => <code>{visibleLine(kind)}</code> },
          { title: 'Stored', isNumber: true, cell: ({ taken }) => count(taken) },
          { title: 'Not stored', isNumber: true, cell: ({ not_taken: notTaken }) => count(notTaken) },
          { title: 'Over a limit', isNumber: true, cell: ({ over_limit: over }) => count(over) },
          {
            title: 'Why',
            cell: ({ kind, not_taken: notTaken }) =>
              notTaken === 0
                ? 'Too large, or above the limit of the key.'
                : STOPPED.has(kind)
                  ? 'Culprit does not use it. The library stops sending it after the first response.'
                  : 'Culprit does not use it.',
          },
        ]}
      />
    </Section>
  );
}

/** The kinds that the answers request libraries not to send. */
const STOPPED: ReadonlySet<string> = new Set([
  'session',
  'sessions',
  'replay_event',
  'replay_recording',
  'replay_video',
  'profile',
  'profile_chunk',
  'trace_metric',
  'statsd',
  'metric_buckets',
  'attachment',
  'check_in',
]);

/** The reasons with what to do about each, and who sent what. */
export function FateTables({ projectId: pid, fates }: { projectId: string; fates: EventFates }) {
  const { totals, by_token: byToken, by_rule: byRule } = fates;
  return (
    <>
      <Section id="reasons" title="Outcomes, and what to do">
        <DataTable
          label="Outcomes"
          rows={partsOf(totals)}
          keyOf={({ fate }) => fate.word}
          columns={[
            { title: 'Outcome', cell: ({ fate }) => <strong>{fate.label}</strong> },
            { title: 'Events', isNumber: true, cell: ({ events }) => count(events) },
            { title: 'Share', isNumber: true, cell: ({ events }) => percent(events / totals.submitted) },
            {
              title: 'Why',
              cell: ({ fate }) => (
                <span>
                  {fate.meaning} {fate.todo}
                </span>
              ),
            },
            {
              title: 'Decided at',
              isTitleHidden: true,
              cell: ({ fate: { decidedAt } }) =>
                decidedAt !== null && (
                  <Link className={linkStyles.link} to={pathTo(decidedAt.to, { pid })}>
                    {decidedAt.label}
                  </Link>
                ),
            },
          ]}
        />
      </Section>
      {byToken.length > 0 && (
        <Section id="tokens" title="By token">
          <DataTable
            label="Outcomes by token"
            rows={byToken}
            keyOf={({ token_id: id }) => id}
            columns={[
              {
                title: 'Token',
                cell: ({ label }) => <strong>{label === null ? 'deleted token' : visibleLine(label)}</strong>,
              },
              { title: 'Submitted', isNumber: true, cell: ({ submitted }) => count(submitted) },
              { title: 'Full', isNumber: true, cell: (counts) => count(sumOf(counts, 'kept')) },
              { title: 'Filtered', isNumber: true, cell: (counts) => count(sumOf(counts, 'left-out')) },
              { title: 'Rejected or failed', isNumber: true, cell: (counts) => count(sumOf(counts, 'lost')) },
              { title: 'Waiting', isNumber: true, cell: (counts) => count(sumOf(counts, 'waiting')) },
            ]}
          />
        </Section>
      )}
      {byRule.length > 0 && (
        <Section id="rules" title="By filter">
          <DataTable
            label="Outcomes by filter"
            rows={byRule}
            keyOf={({ rule_id: id, action }) => `${id} ${action}`}
            columns={[
              {
                title: 'Rule',
                cell: ({ rule_id: ruleId, name }) =>
                  name === null ? (
                    'deleted rule'
                  ) : (
                    <Link className={linkStyles.link} to={pathTo('captureRule', { pid, ruleId })}>
                      {visibleLine(name)}
                    </Link>
                  ),
              },
              { title: 'Action', cell: ({ action }) => action },
              { title: 'Events', isNumber: true, cell: ({ events }) => count(events) },
            ]}
          />
        </Section>
      )}
    </>
  );
}
