import { listSlackDestinations, type SlackDestination } from '@culprit/contract/alerts/slack';
import { queryOptions } from '@tanstack/react-query';
import { visibleLine } from '../format/event-text.ts';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { call } from './transport.ts';

/** The connected Slack channels of a project's organization, newest first. */
export function slackDestinationsQuery(projectId: string) {
  return queryOptions({
    queryKey: [listSlackDestinations.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listSlackDestinations, { params: { id: projectId }, query, signal }),
        ({ destinations }) => destinations,
      ),
    ...freshness('settings'),
  });
}

/** "#alerts in Example": a channel as people call it. */
export function slackName({
  slack_channel_name: channel,
  slack_channel_id: id,
  slack_team_name: team,
}: SlackDestination): string {
  const name = channel === null ? id : channel.startsWith('#') ? channel : `#${channel}`;
  return visibleLine(team === null ? name : `${name} in ${team}`);
}
