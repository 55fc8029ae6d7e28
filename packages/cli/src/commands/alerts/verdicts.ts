import { listAlertVerdicts } from '@culprit/contract/alerts/alert-verdicts';
import type { Run } from '../../command.ts';
import { ageText } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import { printList } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';

/** Why each rule sent something about an incident, or did not. */
export const verdicts: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const body = await api.call(listAlertVerdicts, { params: { id } });
  printList(context, {
    items: body.verdicts,
    key: 'verdicts',
    body,
    columns: [
      { title: 'VERDICT', cell: ({ verdict }) => verdict },
      { title: 'RULE', cell: ({ alert_name, alert_id }) => alert_name ?? alert_id, isFlexible: true },
      { title: 'CHANNEL', cell: ({ channel }) => channel },
      { title: 'OF', cell: ({ transition }) => transition },
      { title: 'AGE', cell: ({ at }) => ageText(at, Date.now()) },
      { title: 'WHY', cell: ({ detail }) => detail, isFlexible: true },
    ],
    id: ({ alert_id }) => alert_id,
    empty: 'The project has no alert rules.',
  });
  return EXIT.ok;
};
