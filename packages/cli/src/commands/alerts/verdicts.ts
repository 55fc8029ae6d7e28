import { listAlertVerdicts, listRuleVerdicts } from '@culprit/contract/alerts/alert-verdicts';
import type { Run } from '../../command.ts';
import { ageText } from '../../duration.ts';
import { gather } from '../../lists/gather.ts';
import { printList } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';

/** Why each rule sent something about an incident, or did not; of a rule, about which incidents. */
export const verdicts: Run = async (context, input) => {
  const api = await context.api();
  const isRule = input.first.startsWith('alt_');
  const endpoint = isRule ? listRuleVerdicts : listAlertVerdicts;
  const id = isRule ? input.first : await incidentIdOf(context, input.first);
  const { items, nextCursor, body, exit } = await gather(
    context,
    input,
    async (query) => {
      const page = await api.call(endpoint, { params: { id }, query });
      return { items: page.verdicts, nextCursor: page.next_cursor, body: page };
    },
    ({ alert_id, incident_id, transition, at }) => `${alert_id} ${incident_id} ${transition} ${at}`,
  );
  printList(context, {
    items,
    key: 'verdicts',
    body,
    nextCursor,
    columns: [
      { title: 'VERDICT', cell: ({ verdict }) => verdict },
      { title: 'RULE', cell: ({ alert_name, alert_id }) => alert_name ?? alert_id, isFlexible: true },
      { title: 'CHANNEL', cell: ({ channel }) => channel },
      { title: 'INCIDENT', cell: ({ short_id }) => short_id },
      { title: 'OF', cell: ({ transition }) => transition },
      { title: 'AGE', cell: ({ at }) => ageText(at, Date.now()) },
      { title: 'WHY', cell: ({ detail }) => detail, isFlexible: true },
    ],
    id: ({ alert_id, incident_id }) => (isRule ? incident_id : alert_id),
    empty: isRule
      ? 'Nothing that alerts judge happened in the last 30 days.'
      : 'The project has no alert rules, or nothing that they judge happened in the last 30 days.',
  });
  return exit;
};
