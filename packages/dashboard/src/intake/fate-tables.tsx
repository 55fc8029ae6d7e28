import type { EventFates } from '@culprit/contract/event-fates';
import { Link } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { count, percent } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import linkStyles from '../shell/link.module.css';
import { DataTable } from '../ui/data-table.tsx';
import { Section } from '../ui/section.tsx';
import { partsOf, sumOf } from './fates.ts';

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
