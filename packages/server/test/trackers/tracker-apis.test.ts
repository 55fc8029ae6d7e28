import { randomUUID } from 'node:crypto';
import { TRACKER_KINDS, type TrackerKind } from '@culprit/contract/alerts/tracker-words';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { plainKey } from '../../src/notify/trackers/plain-key.ts';
import type { Changes, Connection, TicketDraft } from '../../src/notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../../src/notify/trackers/tracker-apis.ts';
import { callsTo, TrackerFailure } from '../../src/notify/trackers/tracker-call.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { LOCAL_RECEIVERS } from '../support/receivers-allowed.ts';
import { startTrackerServer, type TrackerServer } from '../support/tracker-server.ts';
import { LABELS, TRACKER_TOKEN } from '../support/trackers/tracker-store.ts';

/** The documented calls of each product (docs/contract/team-workflow.md 7.2), against a server that checks them. */

const CASES: { name: string; kind: TrackerKind; target: string; user: string | null; wontFix: string }[] = [
  { name: 'GitHub', kind: 'github', target: 'acme/shop', user: null, wontFix: 'not_planned' },
  { name: 'Jira Cloud', kind: 'jira', target: 'ENG', user: 'ada@acme.example', wontFix: "Won't Do" },
  { name: 'Jira on an own server', kind: 'jira', target: 'ENG', user: null, wontFix: 'Duplicate' },
  { name: 'GitLab', kind: 'gitlab', target: 'acme/shop', user: null, wontFix: 'wontfix' },
  { name: 'Linear', kind: 'linear', target: 'ENG', user: null, wontFix: 'canceled' },
];

const CONNECTION: Connection = {
  ...{ baseUrl: '', target: '', token: new Secret('x'), user: null },
  ...{ issueType: null, extraFields: [], callbackUrl: null },
};

const DRAFT: TicketDraft = {
  title: '[SHOP-1] TypeError: nothing @ada',
  url: 'https://culprit.example/incidents/inc_1',
  facts: ['checkout in production', '260 events'],
  code: 'TypeError: nothing\n```\n@ada ![x](http://evil.example/x)\n{noformat}\n    at pay (pay.ts:1)',
  incident: {},
  linkId: '8f6e5a0c-2f7e-4b53-9d0d-1c2b3a4d5e6f',
};

it('has a case for each product, but for the generic one', () => {
  expect([...new Set(CASES.map(({ kind }) => kind))].toSorted()).toEqual(
    TRACKER_KINDS.filter((kind) => kind !== 'generic').toSorted(),
  );
});

it('the latest comments of GitHub are read, though its list begins with the oldest', async () => {
  const server = await startTrackerServer();
  onTestFinished(() => server.close());
  const { github } = TRACKER_APIS;
  const token = new Secret(TRACKER_TOKEN);
  const target = 'acme/shop';
  const connection = {
    ...{ baseUrl: server.url, target, token, user: null, issueType: null },
    ...{ extraFields: [], callbackUrl: null },
  };
  const call = callsTo(LOCAL_RECEIVERS, server.url);
  const { id } = await github.create(connection, call, DRAFT);
  for (let n = 1; n <= 230; n += 1) server.comment(1, `comment ${n}`);
  const read = await github.readComments?.(connection, call, id, 0);
  expect(read?.map(({ text }) => text)).toEqual(Array.from({ length: 50 }, (_, n) => `comment ${181 + n}`));
});

describe.each(CASES)('tickets of $name', ({ kind, target, user, wontFix }) => {
  const api = TRACKER_APIS[kind];
  let server: TrackerServer;
  let connection: Connection;
  beforeAll(async () => {
    server = await startTrackerServer();
    const token = new Secret(TRACKER_TOKEN);
    connection = { ...CONNECTION, baseUrl: server.url, target, token, user };
  });
  afterAll(() => server.close());
  const call: ReturnType<typeof callsTo> = (request) => callsTo(LOCAL_RECEIVERS, server.url)(request);
  const failureOf = async (work: Promise<unknown>) => {
    const failure: unknown = await work.catch((error: unknown) => error);
    if (!(failure instanceof TrackerFailure)) throw new Error(`no failure: ${String(failure)}`);
    return failure;
  };

  it('are created, found again, closed, reopened, commented and read when they changed', async () => {
    expect(await api.readAccount(connection, call)).not.toBe('');
    expect(await api.findCreated(connection, call, DRAFT)).toBeNull();
    const before = Date.now() - 1000;
    const made = await api.create(connection, call, DRAFT);
    expect(made).toMatchObject({ title: DRAFT.title, isClosed: false, isWontFix: false });
    expect(new URL(made.url ?? '').protocol).toMatch(/^https?:$/);
    expect(await api.findCreated(connection, call, DRAFT)).toEqual(made);
    expect(api.readKey(connection, made.key)).not.toBeNull();
    expect(await api.read(connection, call, api.readKey(connection, made.url ?? '') ?? '')).toEqual(made);
    const isNow = await api.setClosed(connection, call, made.id, true);
    const { stateName, updatedAtMs, closedBy } = isNow;
    expect(isNow).toEqual({ ...made, isClosed: true, stateName, updatedAtMs, closedBy });
    expect(updatedAtMs).toBe(server.tickets[0]?.updatedAtMs);
    const closed = await api.readChanged?.(connection, call, before, null);
    expect(closed).toMatchObject({
      tickets: [{ id: made.id, isClosed: true, isWontFix: false }],
      untilMs: null,
    });
    await api.setClosed(connection, call, made.id, false);
    expect(await api.read(connection, call, made.id)).toMatchObject({ isClosed: false });
    server.move(1, true, wontFix);
    expect(await api.read(connection, call, made.id)).toMatchObject({ isClosed: true, isWontFix: true });
    const comment = { text: 'It happened again.', code: null, url: DRAFT.url, id: DRAFT.linkId };
    await api.comment(connection, call, made.id, comment);
    expect(server.tickets[0]?.comments.map(({ body }) => body).join()).toContain('It happened again.');
  });

  it('are given to a person whom the product knows, and to none', async () => {
    const { id } = await api.create(connection, call, { ...DRAFT, linkId: randomUUID() });
    const ada = { name: 'Ada Lovelace', handle: 'ada', email: 'ada@acme.example' };
    const assignee = async () => (await api.read(connection, call, id)).assignee;
    expect(await assignee()).toBeNull();
    expect(await api.assign(connection, call, id, ada)).toBe(true);
    const found = await assignee();
    expect(found?.name).toBe(kind === 'github' ? 'ada' : 'Ada Lovelace');
    expect([found?.login, found?.email]).toContain(
      kind === 'linear' ? ada.email : user === null ? 'ada' : null,
    );
    const unknown = { name: 'Zoe', handle: 'zoe', email: 'zoe@acme.example' };
    expect(await api.assign(connection, call, id, unknown)).toBe(false);
    expect((await assignee())?.name).toBe(found?.name);
    expect(await api.assign(connection, call, id, null)).toBe(true);
    expect(await assignee()).toBeNull();
  });

  it('have comments that are read since a moment, but for those that only some people see', async () => {
    const { id } = await api.create(connection, call, { ...DRAFT, linkId: randomUUID() });
    const number = server.tickets.length;
    server.comment(number, 'before');
    const since = (server.tickets.at(-1)?.comments.at(-1)?.createdAtMs ?? 0) + 1;
    const hostile = {
      text: 'A note:',
      code: '````\n@ada {noformat}',
      url: `${DRAFT.url}#tickets`,
      id: DRAFT.linkId,
    };
    await api.comment(connection, call, id, hostile);
    if (kind === 'gitlab' || kind === 'jira') server.comment(number, 'secret', { isInternal: true });
    server.comment(number, ' It is\nthe cache\u0000. ');
    const read = await api.readComments?.(connection, call, id, since);
    expect(read?.map(({ authorName }) => authorName)).toEqual(['culprit-bot', 'ben']);
    expect(read?.[0]?.text).toContain(`${DRAFT.url}#tickets`);
    expect(read?.[1]?.text).toBe('It is\nthe cache .');
    expect(new Set(read?.map((each) => each.id)).size).toBe(2);
    const body = server.tickets.at(-1)?.comments[1]?.body ?? '';
    if (kind !== 'jira') expect(body).toContain('`````text\n````\n@ada');
    else if (user === null) expect(body).toContain('@ada { noformat}');
    else expect(JSON.parse(body).content[1]).toMatchObject({ type: 'codeBlock' });
  });

  it('are found by a part of their title, the latest changed first, and all of them without a text', async () => {
    const draft = (title: string) => ({ ...DRAFT, title, linkId: randomUUID() });
    const made = [];
    for (const title of ['Cart is "empty" (again)', 'The cart is slow', 'Coupons'])
      made.push(await api.create(connection, call, draft(title)));
    const titles = async (text: string) =>
      (await api.findTickets?.(connection, call, text))?.map(({ title }) => title);
    expect(await titles('cart is')).toEqual(['The cart is slow', 'Cart is "empty" (again)']);
    expect((await titles(''))?.slice(0, 3)).toEqual(made.map(({ title }) => title).reverse());
    // A text is no part of the question, whatever marks it has.
    expect(await titles('" OR repo:acme/other ORDER BY x \\')).toEqual([]);
  });

  it('have labels and a priority of those that the tracker lists', async () => {
    const fields = await api.listFields?.(connection, call);
    const hasPriorities = kind === 'jira' || kind === 'linear';
    expect(fields?.labels.map(({ name }) => name)).toEqual(LABELS);
    expect(fields?.priorities.length).toBe(hasPriorities ? 2 : 0);
    const [label] = fields?.labels ?? [];
    const priority = fields?.priorities[1]?.id ?? null;
    await api.create(connection, call, {
      ...DRAFT,
      linkId: randomUUID(),
      labels: [label?.id ?? ''],
      priority,
    });
    const stored = server.tickets.at(-1);
    expect(stored?.labels).toContain(label?.id);
    expect(stored?.priority ?? null).toBe(priority);
  });

  it('name the person who closed them', async () => {
    const { id } = await api.create(connection, call, { ...DRAFT, linkId: randomUUID() });
    server.move(server.tickets.length, true);
    const { closedBy } = await api.read(connection, call, id);
    const name = closedBy === undefined ? await api.readCloser?.(connection, call, id) : closedBy;
    expect(name).toBe('Ben Smith');
  });

  it('are created in what the tracker lists, Jira with the types of the target', async () => {
    expect(await api.listTargets?.(connection, call, '')).toContainEqual(expect.objectContaining({ target }));
    const types = await api.listIssueTypes?.(connection, call);
    expect(types).toEqual(kind === 'jira' ? ['Bug', 'Task'] : undefined);
  });

  it('have event text in a block of code only, which the text cannot end', () => {
    const text = server.tickets[0]?.body ?? '';
    if (kind === 'jira' && user !== null) {
      const { content } = JSON.parse(text);
      expect(content.map(({ type }: { type: string }) => type)).toEqual([
        'paragraph',
        'codeBlock',
        'bulletList',
      ]);
      expect(content[1].content).toEqual([{ type: 'text', text: DRAFT.code }]);
    } else if (kind === 'jira') {
      const [, inside = ''] = /\{noformat\}\n([\s\S]*)\n\{noformat\}/.exec(text) ?? [];
      expect(inside).toContain('@ada');
      expect(inside).not.toContain('{noformat');
    } else {
      expect(text).toContain(`\`\`\`\`text\n${DRAFT.code}\n\`\`\`\``);
    }
  });

  it('are refused, missing, limited or unavailable as the answer says', async () => {
    const read = () => failureOf(api.read(connection, call, '1'));
    const method = kind === 'linear' ? 'POST' : 'GET';
    for (const [status, word] of [
      [401, 'refused'],
      [403, 'refused'],
      [404, 'missing'],
      [410, 'missing'],
      [422, 'invalid'],
      [301, 'invalid'],
      [500, 'unavailable'],
      [503, 'unavailable'],
    ] as const) {
      server.fail(method, { status });
      expect(await read()).toMatchObject({ kind: word, word: `http_${status}`, waitMs: null });
    }
    server.fail(method, { status: 429, headers: { 'retry-after': '7' } });
    expect(await read()).toMatchObject({ kind: 'limited', waitMs: 7000 });
    const resetAt = String(Math.round(Date.now() / 1000) + 30);
    server.fail(method, {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetAt },
    });
    expect((await read()).kind).toBe('limited');
    // A secondary limit of GitHub can have no header.
    server.fail(method, { status: 403, body: '{"message":"You have exceeded a secondary rate limit."}' });
    expect(await read()).toMatchObject({ kind: 'limited', waitMs: 60_000 });
    server.fail(method, 'cut');
    expect((await read()).kind).toBe('unavailable');
    const other = { ...connection, token: new Secret('wrong') };
    expect((await failureOf(api.read(other, call, '1'))).kind).toBe('refused');
  });

  it('are asked for by the tag of the last answer where the product names answers', async () => {
    const since = (server.tickets.at(-1)?.updatedAtMs ?? 0) + 1;
    const read = async (etag: string | null) => await api.readChanged?.(connection, call, since, etag);
    const nothing = kind === 'jira' ? null : await read(null);
    if (kind !== 'github' && kind !== 'gitlab') return expect(nothing?.etag ?? null).toBeNull();
    expect(nothing).toMatchObject({ tickets: [], untilMs: null, etag: expect.stringMatching(/^W\/"/) });
    const etag = nothing?.etag ?? null;
    expect(await read(etag)).toEqual(nothing);
    expect(server.requests.at(-1)?.headers['if-none-match']).toBe(etag);
    server.move(1, true);
    expect(await read(etag)).toMatchObject({ tickets: [{ id: '1' }], etag: null });
  });

  it('are asked for at no other place, wherever an answer leads', async () => {
    const other = await startTrackerServer();
    onTestFinished(() => other.close());
    const lead = (method: string, status: number) =>
      server.fail(method, { status, headers: { location: `${other.url}/repos/acme/shop/issues/1` } });
    const method = kind === 'linear' ? 'POST' : 'GET';
    for (const status of [301, 302, 303, 307, 308]) {
      lead(method, status);
      expect(await failureOf(api.read(connection, call, '1'))).toMatchObject({ word: `http_${status}` });
    }
    lead('POST', 307);
    expect(await failureOf(api.create(connection, call, DRAFT))).toMatchObject({ word: 'http_307' });
    expect(other.requests).toEqual([]);
  });

  it('are read though one among them is not as documented', async () => {
    for (const number of [1, 2]) server.move(number, true);
    const [first, second] = server.tickets;
    const since = first?.updatedAtMs ?? 0;
    const strange: typeof call = async (request) => {
      const answer = JSON.stringify(await call(request));
      return JSON.parse(answer.replaceAll(/"(?:number|iid|key|identifier)":"?(?:ENG-)?1"?,/g, ''));
    };
    const moments = (changes: Changes | undefined) => changes?.tickets.map(({ updatedAtMs }) => updatedAtMs);
    const read = async (by: typeof call) => moments(await api.readChanged?.(connection, by, since, null));
    const both = [first?.updatedAtMs, second?.updatedAtMs];
    // A query of Jira takes minutes, so there is more in its answer.
    expect(await read(call)).toEqual(kind === 'jira' ? expect.arrayContaining(both) : both);
    expect(await read(strange)).not.toContain(first?.updatedAtMs);
    expect(await read(strange)).toContain(second?.updatedAtMs);
  });

  it('are named by keys and addresses of the target alone', () => {
    for (const text of ['', 'x', 'https://example.com/1', 'other/repo#1', 'OTHER-1', '../1', '1 2']) {
      expect(api.readKey(connection, text)).toBeNull();
    }
  });
});

it('a token of GitHub without an account reads its repository all the same', async () => {
  const server = await startTrackerServer();
  onTestFinished(() => server.close());
  const call = callsTo(LOCAL_RECEIVERS, server.url);
  const connection = {
    ...CONNECTION,
    baseUrl: server.url,
    target: 'acme/shop',
    token: new Secret(TRACKER_TOKEN),
  };
  const { readAccount, listTargets } = TRACKER_APIS.github;
  server.rules.owner = 'app';
  expect(await readAccount(connection, call)).toBe('a GitHub App');
  expect(await listTargets?.(connection, call, '')).toEqual([{ target: 'acme/shop', name: 'acme/shop' }]);
  server.rules.owner = 'none';
  expect(await readAccount(connection, call)).toBe('a token without an account');
  await expect(listTargets?.(connection, call, '')).rejects.toMatchObject({ word: 'http_403' });
  const other = { ...connection, target: 'acme/unknown' };
  await expect(readAccount(other, call)).rejects.toMatchObject({ kind: 'missing' });
  // A refusal of the repository itself, a limit and a failure are what they are.
  for (const [faults, kind] of [
    [[{ status: 403 }], 'refused'],
    [[{ status: 403, headers: { 'retry-after': '1' } }], 'limited'],
    [['cut'], 'unavailable'],
  ] as const) {
    server.fail('GET', ...faults);
    await expect(readAccount(connection, call)).rejects.toMatchObject({ kind });
  }
});

describe.each([
  ['Jira Cloud', 'ada@acme.example'],
  ['Jira on an own server', null],
])('fields that %s requires', (_name, user) => {
  it('are named by the failure, and sent as they are set, never in the place of ours', async () => {
    const server = await startTrackerServer();
    onTestFinished(() => server.close());
    const call = callsTo(LOCAL_RECEIVERS, server.url);
    const token = new Secret(TRACKER_TOKEN);
    const connection = { ...CONNECTION, baseUrl: server.url, target: 'ENG', token, user };
    server.rules.requires = {
      customfield_10042: { value: { value: 'Web' }, says: 'Team is\nrequired.' },
      customfield_10050: { value: 'blue', says: 'Color is required.' },
      components: { value: [{ name: 'Checkout' }], says: 'Component/s is required.' },
    };
    const { create } = TRACKER_APIS.jira;
    await expect(create(connection, call, DRAFT)).rejects.toMatchObject({
      kind: 'invalid',
      word: 'fields_refused: customfield_10042 (Team is required.), customfield_10050 (Color is required.), components (Component/s is required.)',
    });
    const extraFields = [
      { id: 'customfield_10042', value: '{"value":"Web"}' },
      { id: 'customfield_10050', value: 'blue' },
      { id: 'components', value: '[{"name":"Checkout"}]' },
      { id: 'summary', value: 'not this' },
    ];
    const made = await create({ ...connection, extraFields }, call, DRAFT);
    expect(made.title).toBe(DRAFT.title);
    server.fail('POST', { status: 400 });
    await expect(create(connection, call, DRAFT)).rejects.toMatchObject({
      kind: 'invalid',
      word: 'http_400',
    });
  });
});

it.each([
  [
    'github',
    'acme/shop',
    'https://api.github.com',
    'https://github.com/acme/shop/issues/7#issuecomment-1',
    '7',
  ],
  ['github', 'acme/shop', 'https://ghe.example/api/v3', 'https://ghe.example/acme/shop/issues/7/', '7'],
  [
    'gitlab',
    'acme/shop',
    'https://git.example/gitlab',
    'https://git.example/gitlab/acme/shop/-/issues/7',
    '7',
  ],
  [
    'gitlab',
    'acme/shop',
    'https://gitlab.com',
    'https://gitlab.com/acme/shop/-/work_items/7?x=1#note_2',
    '7',
  ],
  ['jira', 'ENG', 'https://x.example', 'https://x.example/browse/ENG-7?focusedCommentId=1', 'ENG-7'],
  ['jira', 'ENG', 'https://x.example', 'https://x.example/jira/boards/1?selectedIssue=ENG-7', 'ENG-7'],
  [
    'linear',
    'ENG',
    'https://api.linear.app',
    'https://linear.app/acme/issue/ENG-7/no-total#comment-1',
    'ENG-7',
  ],
  [
    'gitlab',
    'acme/shop',
    'https://git.example/gitlab',
    'https://git.example/gitlab/acme/other/-/issues/7',
    null,
  ],
] as const)('an address that was copied from %s in %s at %s: %s', (kind, target, baseUrl, text, key) => {
  const connection = { ...CONNECTION, baseUrl, target };
  expect(TRACKER_APIS[kind].readKey(connection, plainKey(text, baseUrl))).toBe(key);
});
