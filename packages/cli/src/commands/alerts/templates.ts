import { TEMPLATE_PRESETS } from '@culprit/contract/alerts/template-presets';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printList } from '../../output/print.ts';

/** The bodies from which a template alert can start; one of them as JSON, for `--body`. */
export const templates: Run = (context, input) => {
  const [asked] = input.args;
  if (asked === undefined) {
    printList(context, {
      items: TEMPLATE_PRESETS,
      key: 'templates',
      columns: [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'FOR', cell: ({ name }) => name, isFlexible: true },
      ],
      id: ({ id }) => id,
      empty: '',
    });
    return Promise.resolve(EXIT.ok);
  }
  const found = TEMPLATE_PRESETS.find(({ id }) => id === asked);
  if (found === undefined) {
    const ids = TEMPLATE_PRESETS.map(({ id }) => id).join(', ');
    throw usageError(`There is no template "${asked}".`, `the templates are ${ids}`);
  }
  printJson(context, found.body);
  return Promise.resolve(EXIT.ok);
};
