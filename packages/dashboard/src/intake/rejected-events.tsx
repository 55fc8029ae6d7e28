import type { EventFates } from '@culprit/contract/events/event-fates';
import { Link } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { count, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import linkStyles from '../shell/parts/link.module.css';
import { DataTable } from '../ui/lists/data-table.tsx';
import { Section } from '../ui/section.tsx';

/**
 * Returns the remedy for a reason for which events are rejected (docs/contract/ingestion.md 3.6); pass null for several
 * reasons.
 */
function rejectionFix(reason: string | null): string {
  return (
    FIXES.find(([of]) => reason !== null && of.test(reason))?.[1] ?? 'Update the library that sends them.'
  );
}

const FIXES: readonly (readonly [of: RegExp, fix: string])[] = [
  [/^rate_limited$/, 'Send fewer events, or spread the load over several tokens.'],
  [/^Invalid event_type/, 'Use an event type from the API reference, such as backend_exception.'],
  [/: missing field /, 'Add the field.'],
  [/: unknown field /, 'Remove the field, or move it into context.'],
  [/: conflicting fields /, 'Send one of the two fields.'],
  [/: invalid field /, 'Correct the value of the field. See the API reference for its format.'],
  [/: (?:nested|more than) /, 'Send less data with each event.'],
];

/** Events that were not accepted, by reason and token, with what to do about each. */
export function RejectedEvents({ projectId: pid, fates }: { projectId: string; fates: EventFates }) {
  const { by_reason: rows } = fates;
  if (rows.length === 0) return null;
  const events = rows.reduce((sum, row) => sum + row.events, 0);
  return (
    <Section id="rejected" title="Rejected events" note={`${plural(events, 'event')}, latest first`}>
      <DataTable
        label="Rejected events"
        rows={rows}
        keyOf={({ token_id: id, reason }) => `${id} ${reason}`}
        columns={[
          {
            title: 'Reason',
            cell: ({ reason }) => (reason === null ? 'Other reasons' : <code>{visibleLine(reason)}</code>),
          },
          {
            title: 'Token',
            cell: ({ label }) =>
              label === null ? (
                'deleted token'
              ) : (
                <Link className={linkStyles.link} to={pathTo('tokens', { pid })}>
                  {visibleLine(label)}
                </Link>
              ),
          },
          { title: 'Events', isNumber: true, cell: ({ events }) => count(events) },
          { title: 'What to do', cell: ({ reason }) => rejectionFix(reason) },
          { title: 'Last', isNumber: true, cell: ({ last_at: at }) => <Time iso={at} /> },
        ]}
      />
    </Section>
  );
}
