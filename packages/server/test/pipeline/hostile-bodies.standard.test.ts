// Proves 51.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import { acknowledgement, sendEvents, sendRequest } from '../support/send-events.ts';
import { listRawObjects } from '../support/stored-events.ts';

/** Bodies that are broken or built to do harm (docs/contract/reliability.md A12, tests 49 and 51). */

let culprit: TestCulprit;

beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());

const EVENT = {
  event_type: 'backend_exception',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { name: 'TypeError', message: 'total is undefined' },
};
const EVENT_JSON = JSON.stringify(EVENT);
const BODY = `{"events":[${EVENT_JSON}]}`;

/** The event with a message of these raw bytes. */
function withMessage(...bytes: number[]): Buffer {
  const [before = '', after = ''] = BODY.split('total is undefined');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

/** The event with further JSON in its context. */
function withContext(json: string): string {
  return BODY.replace('"payload":', () => `"context":{"c":${json}},"payload":`);
}

/** The event alone, with further JSON in its context. */
function itemWithContext(json: string): string {
  return EVENT_JSON.replace('"payload":', () => `"context":{"c":${json}},"payload":`);
}

const DEEP = 'invalid_event: nested deeper than 32 levels';
const WIDE = 'invalid_event: more than 20000 values';

const REFUSED: readonly (readonly [string, string | Buffer])[] = [
  ['nothing', ''],
  ['blanks', ' \n\t '],
  ['null', 'null'],
  ['a list', `[${EVENT_JSON}]`],
  ['an event without a batch', EVENT_JSON],
  ['a word', '"events"'],
  ['a number', '7'],
  ['events that are null', '{"events":null}'],
  ['events that are text', '{"events":"x"}'],
  ['another spelling of the key', BODY.replace('events', 'Events')],
  ['two batches', `${BODY}${BODY}`],
  ['lines of batches', `${BODY}\n${BODY}\n`],
  ['the key twice', `{"events":[],"events":[${EVENT_JSON}]}`],
  ['the key twice, once escaped', `{"events":[],"\\u0065vents":[${EVENT_JSON}]}`],
  ['__proto__ beside events', `{"__proto__":{"a":1},${BODY.slice(1)}`],
  ['__proto__ around events', `{"__proto__":${BODY}}`],
  ['constructor beside events', `${BODY.slice(0, -1)},"constructor":{"prototype":{"a":1}}}`],
  ['a comma too many', BODY.replace(']}', ',]}')],
  ['a comma too few', BODY.replace('","', '""')],
  ['single quotes', BODY.replaceAll('"', "'")],
  ['a comment', `/* a */${BODY}`],
  ['a bare key', BODY.replace('"events"', 'events')],
  ['NaN of another spelling', withContext('nan')],
  ['NaN as a key', withContext('{NaN:1}')],
  ['Infinity with a plus sign', withContext('+Infinity')],
  ['a hexadecimal number', withContext('0x10')],
  ['a number with a leading zero', withContext('010')],
  ['a number with a plus sign', withContext('+1')],
  ['a number that ends in a dot', withContext('1.')],
  ['a cut escape', withContext('"\\u12"')],
  ['an unknown escape', withContext('"\\x41"')],
  ['an open string', BODY.slice(0, -8)],
  ['an open list', BODY.slice(0, -2)],
  ['a trailing NUL', `${BODY}\0`],
  ['a raw NUL in a string', withMessage(0x00)],
  ['a raw line break in a string', withMessage(0x0a)],
  ['two byte order marks', `\ufeff\ufeff${BODY}`],
  ['UTF-16 without its mark', Buffer.from(BODY, 'utf16le')],
  ['33 levels that do not match', withContext(`${'['.repeat(31)}}${']'.repeat(30)}`)],
  ['half a million open brackets', `{"events":[${'['.repeat(500_000)}`],
  ['half a million levels that do not match', `{"events":${'['.repeat(500_000)}}${']'.repeat(499_999)}}`],
  ['20,001 values and a bare word', `{"events":[[${'0,'.repeat(20_000)}nul]]}`],
  ['a megabyte of quotes', '"'.repeat(1_000_000)],
  ['a megabyte of backslashes', `{"events":["${'\\'.repeat(1_000_001)}"]}`],
];

describe('a body', () => {
  it.each(REFUSED)('of %s is refused as a whole and leaves nothing', async (_name, body) => {
    const project = await culprit.createProject();
    const answer = await sendRequest(`${culprit.url}/v1/events`, {
      token: project.projectToken,
      body: new Uint8Array(Buffer.from(body)),
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    const id = [parseId(['proj'], project.projectId) ?? ''];
    expect(await listRawObjects(culprit, project.projectId)).toEqual([]);
    expect(await countRows(culprit, 'batches where project_id = $1', id)).toBe(0);
    expect(await countRows(culprit, 'event_fates where project_id = $1', id)).toBe(0);
  });

  it.each([
    ['with blanks everywhere', ` {\n\t"events" :\r\n [ ${EVENT_JSON} ] } \n`],
    ['with an escaped key', BODY.replace('events', '\\u0065v\\u0065nts')],
    ['with 32 levels', withContext(`${'['.repeat(30)}${']'.repeat(30)}`)],
    ['with 20,000 values', withContext(`[${'0,'.repeat(19_988)}0]`)],
    ['with a number beyond the double range', withContext('[1e400,-1e400,1e-400,-0]')],
    ['with digits for a whole line', withContext('9'.repeat(10_000))],
    ['with escaped NUL and lone surrogates', withContext('"\\u0000 \\ud800 \\udc00"')],
    ['with raw delete and C1 controls', withMessage(0x7f, 0xc2, 0x85)],
    ['with a byte order mark', `\ufeff${BODY}`],
    ['in UTF-16 with its mark', Buffer.from(`\ufeff${BODY}`, 'utf16le')],
    ['with a lone continuation byte', withMessage(0x80)],
    ['with a cut sequence', withMessage(0xe2, 0x82)],
    ['with an encoded surrogate', withMessage(0xed, 0xa0, 0x80)],
    ['in Latin-1', withMessage(0xfc)],
    ['with a key that occurs twice', withContext('{"a":1,"a":2}')],
    ['with hostile keys', withContext('{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}')],
    ['in another charset by its header only', BODY],
  ])('%s is accepted', async (name, body) => {
    const project = await culprit.createProject();
    const charset = name.includes('charset') ? 'application/json; charset=latin1' : 'application/json';
    const answer = await sendRequest(`${culprit.url}/v1/events`, {
      token: project.projectToken,
      body: new Uint8Array(Buffer.from(body)),
      headers: { 'content-type': charset },
    });
    expect(acknowledgement(answer)).toEqual({ accepted: 1, rejected: 0, errors: [] });
    await clientOf(culprit, project).only();
  });
});

const OVER_LIMITS: readonly (readonly [string, string, string])[] = [
  ['33 levels', itemWithContext(`${'['.repeat(31)}${']'.repeat(31)}`), DEEP],
  ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, DEEP],
  ['half a million levels', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, DEEP],
  ['33 levels and 20,001 values', `[${'['.repeat(32)}${']'.repeat(32)}${',0'.repeat(20_000)}]`, DEEP],
  ['20,001 values in an event that is fine otherwise', itemWithContext(`[${'0,'.repeat(19_989)}0]`), WIDE],
  ['20,001 values', `[${'0,'.repeat(19_999)}0]`, WIDE],
  ['20,001 empty objects', `{"a":[${'{},'.repeat(19_998)}{}]}`, WIDE],
];

describe('an event', () => {
  it.each(OVER_LIMITS)(
    'of %s is refused by itself, and its neighbors are accepted',
    async (_name, item, reason) => {
      const project = await culprit.createProject();
      const body = `{"events":[${EVENT_JSON}, ${item} ,${EVENT_JSON},7]}`;
      const answer = await sendRequest(`${culprit.url}/v1/events`, { token: project.projectToken, body });
      expect(acknowledgement(answer)).toEqual({
        accepted: 2,
        rejected: 2,
        errors: [
          { index: 1, reason },
          { index: 3, reason: 'invalid_event' },
        ],
      });
      const incident = await clientOf(culprit, project).only(2);
      expect(incident.occurrence_count).toBe(2);
      expect(await fatesOf(project)).toEqual({ submitted: 4, invalid: 2, processed: 2 });
    },
  );

  it('over a limit costs its neighbors nothing when there are thousands of them', async () => {
    const project = await culprit.createProject();
    const deep = `${'['.repeat(33)}${']'.repeat(33)}`;
    const body = `{"events":[${`${deep},{},`.repeat(14_000)}${EVENT_JSON}]}`;
    const answer = await sendRequest(`${culprit.url}/v1/events`, { token: project.projectToken, body });
    const { accepted, rejected, errors } = acknowledgement(answer);
    expect([accepted, rejected, errors.length]).toEqual([1, 28_000, 28_000]);
    expect(errors.slice(0, 2)).toEqual([
      { index: 0, reason: DEEP },
      { index: 1, reason: 'invalid_event: missing field "event_type"' },
    ]);
    await clientOf(culprit, project).only();
    expect(await fatesOf(project)).toEqual({ submitted: 28_001, invalid: 28_000, processed: 1 });
  });

  it('of Python with NaN and Infinity survives, with null in their place', async () => {
    const project = await culprit.createProject();
    const item = itemWithContext('{"ratio":NaN,"bounds":[-Infinity, Infinity],"text":"NaN, \\"Infinity"}');
    const body = `{"events":[${item},{"event_type":NaN}]}`;
    const answer = await sendRequest(`${culprit.url}/v1/events`, { token: project.projectToken, body });
    expect(acknowledgement(answer)).toMatchObject({
      accepted: 1,
      errors: [{ index: 1, reason: 'Invalid event_type: null' }],
    });
    const client = clientOf(culprit, project);
    const incident = await client.only();
    const bundle = JSON.stringify(await client.bundle(incident.incident_id));
    expect(bundle).toContain('{"bounds":[null,null],"ratio":null,"text":"NaN, \\"Infinity"}');
  });

  it('that is no JSON is named in the answer to the batch', async () => {
    const project = await culprit.createProject();
    const body = `{"events":[${EVENT_JSON},${itemWithContext('{"ratio":NaN,"count":nan}')}]}`;
    const answer = await sendRequest(`${culprit.url}/v1/events`, { token: project.projectToken, body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    expect(answer.headers.get('x-service-problem')).toBe(
      `/events/1 is not JSON at byte ${body.indexOf('nan')}: a value was expected, not nan`,
    );
  });

  async function fatesOf(project: TestProject): Promise<Record<string, number>> {
    const rows = await culprit.database.query<{ fate: string; events: number }>(
      {
        name: 'test-fates-of-project',
        text: `select fate, sum(events)::integer as events from event_fates where project_id = $1 group by fate`,
      },
      [parseId(['proj'], project.projectId) ?? ''],
    );
    return Object.fromEntries(rows.map(({ fate, events }) => [fate, events]));
  }
});

describe('hostile text', () => {
  /** Everything a person or a model reads of a project. */
  async function readEverything(project: TestProject): Promise<string> {
    const client = clientOf(culprit, project);
    await client.processed();
    const texts: string[] = [];
    for (const { incident_id: id } of await client.list({ project_id: project.projectId })) {
      texts.push(JSON.stringify(await client.bundle(id)));
      texts.push(JSON.stringify(await client.logs(id)));
    }
    texts.push(JSON.stringify(await client.list({ project_id: project.projectId })));
    texts.push(JSON.stringify((await client.get('/v1/services?limit=100')).body));
    return texts.join('\n');
  }

  it('comes out without NUL and well formed', async () => {
    const project = await culprit.createProject();
    const evil = 'a\u0000b\ud800c\udc00d';
    const sent = {
      ...EVENT,
      service: { name: `shop ${evil}`, environment: evil, runtime: evil, framework: evil },
      correlation: { trace_id: evil, request_id: evil, session_id: evil, user_id_hash: evil },
      context: { [evil]: evil },
      payload: {
        name: evil,
        message: evil,
        stack: `${evil}: ${evil}\n    at ${evil} (/app/${evil}.js:1:2)`,
        request: { method: 'GET', path: `/${evil}`, query: { [evil]: evil }, headers: { [evil]: evil } },
        [evil]: evil,
      },
    };
    const { errors } = acknowledgement(await sendEvents(culprit.url, project.projectToken, [sent]));
    expect(errors).toEqual([]);
    const text = await readEverything(project);
    expect(text).toContain('shop a');
    expect(text).not.toMatch(/\\u0000|\\ud[89ab]|\\ud[c-f]/i);
    expect(text.isWellFormed()).toBe(true);
  });

  it('of SQL stays text', async () => {
    const project = await culprit.createProject();
    const evil = `'; drop table incidents; -- $1 %s {0} \\'); \${7*7} {{7*7}}`;
    const sent = {
      ...EVENT,
      event_id: evil,
      service: { name: evil, environment: evil },
      correlation: { trace_id: evil, request_id: evil, session_id: evil },
      payload: { name: evil, message: evil, stack: evil },
    };
    const deploy = {
      ...EVENT,
      event_type: 'deploy_metadata',
      payload: { version: evil, commit_sha: evil, branch: evil },
    };
    const answer = await sendEvents(culprit.url, project.projectToken, [sent, deploy, sent]);
    expect(acknowledgement(answer)).toEqual({ accepted: 3, rejected: 0, errors: [] });
    const client = clientOf(culprit, project);
    const incident = await client.only();
    expect(incident).toMatchObject({ service_name: evil, environment: evil });
    const filtered = await client.list({ project_id: project.projectId, service: evil });
    expect(filtered.map(({ incident_id: id }) => id)).toEqual([incident.incident_id]);
  });

  it('of keys reaches no prototype', async () => {
    const project = await culprit.createProject();
    const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
    const map = `{${keys.map((key) => `"${key}":{"polluted":"yes","${key}":{"polluted":"yes"}}`).join()}}`;
    const body = JSON.stringify({
      events: [
        {
          ...EVENT,
          context: 'MAP',
          payload: { ...EVENT.payload, request: { query: 'MAP', headers: 'MAP', body: 'MAP' }, other: 'MAP' },
        },
        { ...EVENT, event_type: 'log_event', payload: { level: 'error', message: 'm', attributes: 'MAP' } },
      ],
    }).replaceAll('"MAP"', () => map);
    const answer = await sendRequest(`${culprit.url}/v1/events`, { token: project.projectToken, body });
    expect(acknowledgement(answer)).toEqual({ accepted: 2, rejected: 0, errors: [] });
    expect(await readEverything(project)).toContain('polluted');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(() => {}, 'polluted')).toBeUndefined();
    expect((await client(project).list({ project_id: project.projectId })).length).toBe(2);
  });

  it('of a megabyte in one line holds nothing up', { timeout: 60_000 }, async () => {
    const project = await culprit.createProject();
    for (const piece of ['x', 'at a (', '    at a (a.js:1:1)', '/a', 'a@a.', '((', '<n> and ', '\\']) {
      const line = piece.repeat(Math.floor(900_000 / JSON.stringify(piece).length));
      for (const payload of [
        { name: 'E', message: line },
        { name: 'E', message: 'm', stack: line },
      ]) {
        const answer = await sendEvents(culprit.url, project.projectToken, [{ ...EVENT, payload }]);
        expect(acknowledgement(answer)).toMatchObject({ accepted: 1 });
      }
    }
    // One that held the thread up for 5 s would be a dead letter.
    await client(project).processed();
    expect(await countRows(culprit, 'dead_letters')).toBe(0);
  });

  function client(project: TestProject) {
    return clientOf(culprit, project);
  }
});
