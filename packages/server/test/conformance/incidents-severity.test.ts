import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import {
  EX,
  FRONTEND,
  LOG,
  named,
  OPAQUE,
  REQ,
  RESOURCE,
  type SentEvent,
  SUP,
} from './incidents-fixtures.ts';

const ORIGIN = 'https://shop.example.com';

/** RESOURCE of a link in a page, the table's special case of 5.6. */
function hint(rel: string, page: { visibility_state: string | null; ready_state: string | null }): SentEvent {
  const target = {
    tag_name: 'LINK',
    source_url: 'https://cdn.example.net/app.css',
    attributes: { rel, as: 'style' },
  };
  return RESOURCE({}, { target, page });
}

/** A message without any detail, as clients without the browser event send it. */
function bareScriptError(payload: Record<string, unknown> = {}): SentEvent {
  const event = OPAQUE();
  const { browser_event: _browserEvent, ...rest } = event.payload;
  return { ...event, payload: { ...rest, ...payload } };
}

describe.concurrent('severity', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  it.each<[string, SentEvent, string]>([
    ['an opaque window error', OPAQUE(), 'low'],
    ['an opaque resource error', RESOURCE(), 'medium'],
    ['a failed request', REQ(), 'high'],
    ['a log of level error', LOG('error', 'slow disk'), 'low'],
    ['a log of level critical', LOG('critical', 'disk gone'), 'high'],
  ])('A-30 of %s is inferred as the table says', async (_, event, severity) => {
    const client = await connect(culprit);
    await client.send(event);
    expect((await client.only()).severity).toBe(severity);
  });

  const visible = { visibility_state: 'visible', ready_state: 'loading' };
  it.each<[string, SentEvent, string]>([
    ['a server exception', EX(), 'high'],
    ['a handled server exception', EX({ payload: { handled: true } }), 'high'],
    ['a browser exception', FRONTEND(), 'high'],
    ['a log of level fatal', LOG('fatal', 'disk gone'), 'high'],
    ['a rate limit answered at once', REQ({ payload: { response_status: 429 } }), 'high'],
    ['a bare script error', bareScriptError(), 'low'],
    ['a bare script error without the dot', bareScriptError({ message: 'Script error' }), 'low'],
    [
      'a script error with frames',
      bareScriptError({ stacktrace: 'Error: Script error.\n    at pay (https://shop.example.com/a.js:1:5)' }),
      'high',
    ],
    [
      'a detailed window error',
      OPAQUE({ payload: { message: 'x is not defined' } }, { opaque: false }),
      'high',
    ],
    [
      'a preload given up while hidden',
      hint('preload', { visibility_state: 'hidden', ready_state: 'loading' }),
      'low',
    ],
    [
      'a module preload given up while prerendering',
      hint('modulepreload', { visibility_state: 'prerender', ready_state: 'interactive' }),
      'low',
    ],
    [
      'a prefetch given up while unloading',
      hint('prefetch', { visibility_state: 'unloaded', ready_state: 'interactive' }),
      'low',
    ],
    ['a preload in a visible page', hint('preload', visible), 'medium'],
    [
      'a preload in a hidden but complete page',
      hint('preload', { visibility_state: 'hidden', ready_state: 'complete' }),
      'medium',
    ],
    [
      'a style sheet in a hidden page',
      hint('stylesheet', { ...visible, visibility_state: 'hidden' }),
      'medium',
    ],
  ])('of %s is inferred as the table says', async (_, event, severity) => {
    const client = await connect(culprit);
    await client.send(event);
    expect((await client.only()).severity).toBe(severity);
  });

  //
  it('the ledger says with which severity an incident opened and that it regressed once', async () => {
    const client = await connect(culprit);
    await client.send(OPAQUE(), EX());
    const incidents = await client.counted(1, 1);
    const opened = await client.ledger('incident.opened');
    expect(opened.map(({ data }) => data.severity).sort()).toEqual(['high', 'low']);
    const { incident_id } = incidents.find(({ severity }) => severity === 'high') ??
      incidents[0] ?? { incident_id: '' };
    await client.resolve(incident_id);
    await client.send(EX());
    await client.counted(1, 2);
    expect(await client.ledger('incident.regressed')).toMatchObject([{ incidentId: incident_id }]);
  });

  //
  it('an explicit severity of a server raises an incident for good', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    await client.only();
    await client.send(EX({ context: { severity: 'critical' } }));
    expect((await client.only(2)).severity).toBe('critical');
    await client.send(EX());
    expect((await client.only(3)).severity).toBe('critical');
    expect(await client.ledger('incident.severity_raised')).toMatchObject([
      { data: { from: 'high', to: 'critical' } },
    ]);
  });

  //
  it('the same claim through a token bound to origins changes nothing', async () => {
    const client = await connect(culprit);
    const token = await culprit.createProjectToken(client.project.projectId, [ORIGIN]);
    const event = EX({ context: { severity: 'critical' } });
    const answer = await sendEvents(culprit.url, token, [event], { origin: ORIGIN });
    expect(acknowledgement(answer).accepted).toBe(1);
    expect((await client.only()).severity).toBe('high');
    expect(await client.ledger('incident.severity_raised')).toEqual([]);
  });

  it('requests with bound and unbound tokens that are stored together keep their own rights', async () => {
    const client = await connect(culprit);
    const token = await culprit.createProjectToken(client.project.projectId, [ORIGIN]);
    const context = { severity: 'critical' };
    await Promise.all([
      sendEvents(culprit.url, token, [named('Bound', { context })], { origin: ORIGIN }),
      client.send(named('Unbound', { context })),
    ]);
    const found = await client.counted(1, 1);
    expect(found.map(({ title, severity }) => `${title.split(':')[0]} ${severity}`).sort()).toEqual([
      'BoundError high',
      'UnboundError critical',
    ]);
  });

  it.each([
    ['a browser exception', FRONTEND({ context: { severity: 'critical' } }), 'high'],
    ['a lower word', EX({ context: { severity: 'low' } }), 'high'],
    ['an unknown word', EX({ context: { severity: 'fatal' } }), 'high'],
    ['a word in other case', EX({ context: { severity: 'Critical' } }), 'high'],
    ['a word that is no text', EX({ context: { severity: ['critical'] } }), 'high'],
  ])('a claim of %s does not raise it', async (_, event, severity) => {
    const client = await connect(culprit);
    await client.send(event);
    expect((await client.only()).severity).toBe(severity);
  });

  it('a claim raises a low log to the claimed level', async () => {
    const client = await connect(culprit);
    await client.send(LOG('error', 'slow disk', { context: { severity: 'medium' } }));
    expect((await client.only()).severity).toBe('medium');
  });

  it('is the highest of all counted signals, in whatever order they come', async () => {
    const client = await connect(culprit);
    const log = (severity: string) => LOG('error', 'slow disk', { context: { severity } });
    await client.send(log('medium'), log('high'), log('low'));
    expect((await client.only(3)).severity).toBe('high');
    expect(await client.ledger('incident.severity_raised')).toEqual([]);
    await client.send(log('medium'), SUP({ context: { severity: 'critical' } }));
    expect((await client.only(101)).severity).toBe('high');
  });
});
