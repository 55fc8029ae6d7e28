import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { createLoggerTo } from '../../src/platform/log.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { sealConfig } from '../../src/platform/secrets/sealed-address.ts';
import { setPlan } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { mailsTo, nextMail } from '../support/mailbox.ts';
import { newAddress } from '../support/people.ts';
import {
  daysOf,
  goTo,
  type NextReport,
  nextHour,
  type ReportClient,
  reportClient,
  reportIsOver,
} from '../support/report-client.ts';
import { newChannel, slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const APP = 'https://app.example.test';
/** Only the first five may be used. */
const SCHEDULE_MS = [20, 20, 20, 20, 20, 3_600_000];

let culprit: TestCulprit;
let slack: SlackServer;
let receiver: WebhookReceiver;
const lines: string[] = [];
beforeAll(async () => {
  [slack, receiver] = await Promise.all([startSlackServer(), startReceiver()]);
  culprit = await startCulprit({
    plans: HOSTED,
    slack: slackAppOf(slack),
    retryScale: 0.01,
    duties: [],
    appUrl: APP,
    deliveries: { scheduleMs: SCHEDULE_MS },
    log: createLoggerTo({ write: (line) => void lines.push(line) }, { level: 'info', role: 'test' }),
  });
});
afterAll(async () => {
  await culprit.stop();
  await Promise.all([slack.close(), receiver.stop()]);
});

interface Reported {
  project: TestProject;
  email: string;
  reports: ReportClient;
  next: NextReport;
}

/** A project in whose week up to the next full hour something happened. */
async function lively(name = 'Main App'): Promise<Reported> {
  const email = newAddress('slack');
  const project = await culprit.createProject({ name, email, plan: 'team' });
  const next = await nextHour(culprit);
  await culprit.database.query(
    {
      name: 'test-ledger',
      text: `insert into lifecycle_events (project_id, incident_id, kind, occurred_at)
        values ($1, $1, 'incident.opened', $2)`,
    },
    [parseId(['proj'], project.projectId), new Date(next.dueAtMs - 60_000)],
  );
  return { project, email, reports: reportClient(culprit, project), next };
}

function urlAt(path: string): string {
  return new URL(path, receiver.url).href;
}

function requestsAt(path: string) {
  return receiver.requests.filter((request) => request.path === path);
}

describe('reports to Slack', () => {
  it('are a header, the counts and one line, with texts escaped', async () => {
    const { project, reports, next } = await lively('Shop <!channel> & Co');
    const { channel_id: id } = await reports.createSlack({ webhook_url: urlAt('/shape') }, next.schedule);
    await goTo(culprit, next.dueAtMs);
    await reportIsOver(culprit, id, next.dueAtMs);
    const [request, ...more] = requestsAt('/shape');
    expect(more).toEqual([]);
    const outcome = '1 incident appeared, and none was resolved.';
    const field = (label: string, count: number | string) => ({
      type: 'mrkdwn',
      text: `*${label}*\n${count}`,
    });
    expect(JSON.parse(String(request?.body))).toEqual({
      text: `Weekly report: Shop &lt;!channel&gt; &amp; Co, ${daysOf(next)}. ${outcome}`,
      blocks: [
        {
          type: 'header',
          text: { type: 'plain_text', text: 'Weekly report: Shop &lt;!channel&gt; &amp; Co' },
        },
        {
          type: 'section',
          fields: [
            field('Events', '0 (0 the week before)'),
            field('New incidents', '1 (0 the week before)'),
            field('Regressions', '0 (0 the week before)'),
            field('Resolved incidents', '0 (0 the week before)'),
            field('Incidents with evidence', 0),
            field('New insights', 0),
          ],
        },
        {
          type: 'context',
          elements: [
            {
              type: 'mrkdwn',
              text: `${daysOf(next)}. ${outcome} <${APP}/projects/${project.projectId}|Open project>`,
            },
          ],
        },
      ],
    });
    expect(request?.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('are tried again after failures that may pass, five times at most', async () => {
    const { reports, next } = await lively();
    receiver.answer(500);
    const { channel_id: id } = await reports.createSlack({ webhook_url: urlAt('/failing') }, next.schedule);
    await goTo(culprit, next.dueAtMs);
    await reportIsOver(culprit, id, next.dueAtMs);
    await laneIsEmpty(culprit, 'reports');
    const bodies = requestsAt('/failing').map(({ body }) => body.toString());
    expect(bodies).toHaveLength(6);
    expect(new Set(bodies).size).toBe(1);

    const again = await lively();
    receiver.answer(500, 500, 200);
    const second = await again.reports.createSlack({ webhook_url: urlAt('/passing') }, again.next.schedule);
    await goTo(culprit, again.next.dueAtMs);
    await reportIsOver(culprit, second.channel_id, again.next.dueAtMs);
    await laneIsEmpty(culprit, 'reports');
    expect(requestsAt('/passing')).toHaveLength(3);
    receiver.answer(200);
  });

  it('go to connected destinations; one that refuses for good becomes inactive, and the owner learns it once', async () => {
    const { project, email, reports, next } = await lively();
    const client = slackClient(culprit, slack, project);
    const [works, refuses] = [newChannel(), newChannel()];
    const made = [];
    for (const channel of [works, refuses, refuses]) {
      const { slack_destination_id } = await client.destination(channel);
      made.push(await reports.createSlack({ slack_destination_id }, next.schedule));
    }
    slack.refuse(refuses.channelId, { status: 404, word: 'no_service' });
    await goTo(culprit, next.dueAtMs);
    for (const { channel_id: id } of made) await reportIsOver(culprit, id, next.dueAtMs);
    expect(slack.messages(works.channelId)).toHaveLength(1);
    expect(slack.messages(refuses.channelId)).toEqual([]);
    const active = new Map((await client.list()).map((each) => [each.slack_channel_id, each.is_active]));
    expect([active.get(works.channelId), active.get(refuses.channelId)]).toEqual([true, false]);
    await nextMail(culprit.mailDirectory, email, 0, 'Slack refuses');
    expect(await mailsTo(culprit.mailDirectory, email, 'Slack refuses')).toHaveLength(1);
    expect(await countRows(culprit, `jobs where lane in ('reports', 'mail')`)).toBe(0);
  });

  it('are not sent on a plan without destinations, nor for a channel that was disabled or deleted meanwhile', async () => {
    const { project, reports, next } = await lively();
    const channel = newChannel();
    const { slack_destination_id } = await slackClient(culprit, slack, project).destination(channel);
    const connected = await reports.createSlack({ slack_destination_id }, next.schedule);
    await setPlan(culprit, project, 'free');
    // The first attempt fails, and the next one waits until something has changed.
    let isChanged = () => {};
    const changed = new Promise<void>((resolve) => {
      isChanged = resolve;
    });
    receiver.answer((response) => void changed.then(() => response.writeHead(500).end()));
    const disabled = await reports.createSlack({ webhook_url: urlAt('/disabled') }, next.schedule);
    const deleted = await reports.createSlack({ webhook_url: urlAt('/deleted') }, next.schedule);
    const before = receiver.requests.length;
    await goTo(culprit, next.dueAtMs);
    await receiver.received(before + 2);
    await reports.update(disabled.channel_id, { is_enabled: false });
    await culprit.database.query(
      { name: 'test-delete-channel', text: 'delete from weekly_report_channels where channel_id = $1' },
      [deleted.channel_id],
    );
    isChanged();
    await laneIsEmpty(culprit, 'reports');
    await reportIsOver(culprit, connected.channel_id, next.dueAtMs);
    expect([requestsAt('/disabled').length, requestsAt('/deleted').length]).toEqual([1, 1]);
    expect(slack.messages(channel.channelId)).toEqual([]);
    receiver.answer(200);
  });

  it('do not stand in the log, and neither do the addresses they go to', () => {
    expect(lines.some((line) => line.includes('report failed permanently'))).toBe(true);
    for (const word of [receiver.url, slack.url, 'Weekly report', 'Open project']) {
      expect(lines.filter((line) => line.includes(word))).toEqual([]);
    }
  });

  it('are never sent to an address that is blocked by now', async () => {
    const { reports, next } = await lively();
    const { channel_id: id } = await reports.createSlack({ webhook_url: urlAt('/blocked') }, next.schedule);
    const key = deriveKeys(culprit.dataKey).receiverAddresses;
    await culprit.database.query(
      {
        name: 'test-blocked-address',
        text: 'update weekly_report_channels set config = $2 where channel_id = $1',
      },
      [id, JSON.stringify(sealConfig(key, { webhook_url: 'http://10.1.2.3/blocked' }, id))],
    );
    const seen = lines.length;
    await goTo(culprit, next.dueAtMs);
    await reportIsOver(culprit, id, next.dueAtMs);
    await laneIsEmpty(culprit, 'reports');
    const given = lines.slice(seen).map((line): unknown => JSON.parse(line));
    expect(given.filter((line) => isJsonObject(line) && line.channelId === id)).toHaveLength(1);
    expect(await countRows(culprit, 'weekly_reports where channel_id = $1', [id])).toBe(1);
  });
});
