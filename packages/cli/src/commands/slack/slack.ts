import {
  deleteSlackDestination,
  getSlackInstallUrl,
  listSlackDestinations,
  testSlackDestination,
} from '@culprit/contract/alerts/slack';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson } from '../../output/print.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';
import { openInBrowser } from '../open/open-in-browser.ts';

export const connect: Run = async (context, input) => {
  const api = await context.api();
  const body = await api.call(getSlackInstallUrl, { query: { project_id: await projectId(context) } });
  if (context.globals.json) {
    printJson(context, body);
    return EXIT.ok;
  }
  return await openInBrowser(context, body.install_url, input.has('print'));
};

export const list = listCommand({
  endpoint: listSlackDestinations,
  project: 'params.id',
  key: 'destinations',
  id: 'slack_destination_id',
  columns: [
    ['WORKSPACE', 'slack_team_name'],
    ['CHANNEL', ({ slack_channel_name, slack_channel_id }) => slack_channel_name ?? slack_channel_id, 'wide'],
    ['ON', ({ is_active }) => (is_active === true ? 'yes' : 'no')],
    ['ID', 'slack_destination_id'],
  ],
  empty: 'No Slack channels are connected.',
});

export const test = recordCommand({
  endpoint: testSlackDestination,
  project: 'params.id',
  argument: 'destinationId',
  done: () => 'The message is delivered.',
});

export const remove = recordCommand({
  endpoint: deleteSlackDestination,
  project: 'params.id',
  argument: 'destinationId',
  question: () => 'Disconnect this channel? Nothing will be sent to it.',
  done: () => 'The channel is disconnected.',
});
