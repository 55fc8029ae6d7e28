import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { copyIncidents } from '../support/copy-incidents.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { startCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { sendRequest } from '../support/send-events.ts';
import {
  ago,
  changed,
  DAY,
  DEP,
  EX,
  EXR,
  FRONTEND,
  LOG,
  named,
  REQ,
  type SentEvent,
} from './incidents-fixtures.ts';

const SEED = chooseSeed();
const QUERIES = runSize('CULPRIT_TEST_QUERIES', { standard: 150, long: 5000 });

/** The query language and tags (docs/contract/team-workflow.md 1; items 2 to 9 of its checklist). */
describe('incidents are found', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let foreign: IncidentClient;
  /** Ids by the word by which this file calls them. */
  const idOf = new Map<string, string>();
  const BROWSER = {
    user_agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  };

  function tagged(event: SentEvent, tags: object, context: object = {}): SentEvent {
    return changed(event, { context: { ...event.context, ...context, tags } });
  }

  beforeAll(async () => {
    culprit = await startCulprit();
    client = await connect(culprit);
    foreign = await connect(culprit);
    await client.send(DEP({ service: { name: 'ledger' } }));
    await client.send(
      tagged(EXR({ context: { user: { id: 'u1' }, release: '1.4.1' } }), {
        tenant: 'acme',
        plan: 'pro',
        card: '4111 1111 1111 1111',
        password: 'hunter2secret',
      }),
      tagged(EXR({ context: { user: { id: 'u2' }, release: '1.4.2' } }), { tenant: 'acorn', plan: 'free' }),
      REQ({ service: { name: 'checkout-jobs', environment: 'staging' } }),
      changed(FRONTEND(), { payload: { device: BROWSER, url: 'https://shop.example/cart' } }),
      LOG('error', 'C:\\temp is full, see https://a.example/x?y=1', { service: { name: 'ledger' } }),
      named('ConnectTimeout', { timestamp: ago(3 * DAY), context: { severity: 'critical' } }),
    );
    await foreign.send(tagged(EXR({ context: { user: { id: 'u1' } } }), { tenant: 'acme' }));
    await client.counted(2, 1, 1, 1, 1);
    await foreign.counted(1);
    await client.settled();
    await foreign.settled();
    const words: Readonly<Record<string, RegExp>> = {
      theme: /theme/,
      pay: /pay returned 500/,
      focus: /focus/,
      temp: /C:\\temp/,
      timeout: /ConnectTimeout/,
    };
    for (const { incident_id: id, title } of await client.list()) {
      for (const [word, pattern] of Object.entries(words)) if (pattern.test(title)) idOf.set(word, id);
    }
    expect([...idOf.keys()].sort()).toEqual(Object.keys(words).sort());
    await client.resolve(idOf.get('temp') ?? '');
    const people = await client.get(`/v1/projects/${client.project.projectId}/people`);
    const me = isJsonObject(people.body) && Array.isArray(people.body.people) ? people.body.people[0] : null;
    const assignee = { user_id: isJsonObject(me) ? me.user_id : null };
    const assigned = await sendRequest(`${culprit.url}/v1/incidents/${idOf.get('focus')}`, {
      method: 'PATCH',
      token: client.project.memberToken,
      body: JSON.stringify({ assignee }),
    });
    expect(assigned.status).toBe(200);
    const until = new Date(Date.now() + DAY).toISOString();
    expect((await client.post(`/v1/incidents/${idOf.get('pay')}/snooze`, { until })).status).toBe(200);
  });
  afterAll(() => culprit.stop());

  async function found(q: string): Promise<string[]> {
    const rows = await client.list({ q });
    const counted = await client.get(`/v1/incidents/count?${new URLSearchParams({ q })}`);
    expect(counted.body, q).toEqual({ count: rows.length, is_exact: true });
    const nameOf = new Map([...idOf].map(([word, id]) => [id, word]));
    return rows.map(({ incident_id: id }) => nameOf.get(id) ?? id).sort();
  }
  const ALL = ['focus', 'pay', 'temp', 'theme', 'timeout'];

  it.each<[query: string, ids: string[]]>([
    // 2. Texts with colons, addresses and paths; quotations.
    ['TypeError: theme', ['theme']],
    ['https://a.example/x', ['temp']],
    ['C:\\temp', ['temp']],
    ['"reading \'theme\'"', ['theme']],
    ['"theme\' reading"', []],
    ['"reading', ['focus', 'theme']],
    ['properties -theme', ['focus']],
    ['', ALL],
    ['project:elsewhere route:/orders', []],
    ['project:elsewhere "no such text"', []],
    // 5. Words of functions, files, camel-case parts and values of tags; none of headers, bodies and users.
    ['submit', ['theme']],
    ['rendertheme', ['theme']],
    ['checkoutservice', ['theme']],
    ['service.js', ['theme']],
    ['acor', ['theme']],
    ['hunter2', []],
    ['cart_81', []],
    ['4111', []],
    ['curl', []],
    ['u1', []],
    // 3. Each key with a matching, a not matching, a negated and a comma value.
    ['is:resolved', ['temp']],
    ['-is:resolved', ['focus', 'pay', 'theme', 'timeout']],
    ['is:open,resolved', ALL],
    ['is:active', ['focus', 'pay', 'theme', 'timeout']],
    ['is:regressed', []],
    ['is:new', ['focus', 'pay', 'temp', 'theme']],
    ['is:spiking', []],
    ['severity:critical', ['timeout']],
    ['-severity:critical', ['focus', 'pay', 'temp', 'theme']],
    ['severity:>=critical,low', ['temp', 'timeout']],
    ['priority:urgent', ['timeout']],
    ['priority:>=high,low', ['focus', 'pay', 'temp', 'theme', 'timeout']],
    ['-priority:urgent,low', ['focus', 'temp', 'theme']],
    ['is:mine', ['focus']],
    ['is:assigned', ['focus']],
    ['-is:assigned', ['pay', 'temp', 'theme', 'timeout']],
    ['is:unassigned is:active', ['pay', 'theme', 'timeout']],
    ['assignee:me', ['focus']],
    ['assignee:nobody', []],
    ['assignee:none,me', ALL],
    ['-assignee:none', ['focus']],
    ['is:snoozed', ['pay']],
    ['is:active -is:snoozed', ['focus', 'theme', 'timeout']],
    ['service:ledger', ['temp']],
    ['service:checkout-*', ['focus', 'pay', 'theme', 'timeout']],
    ['service:"checkout-*"', []],
    ['service:ledger,checkout-web', ['focus', 'temp']],
    ['-service:checkout-*', ['temp']],
    ['env:staging', ['pay']],
    ['env:Staging', []],
    ['-env:prod*', ['pay']],
    ['tag.tenant:acme', ['theme']],
    ['tag.tenant:ac*', ['theme']],
    ['tag.tenant:*', ['theme']],
    ['tag.tenant:x,acorn', ['theme']],
    ['tag.tenant:x', []],
    ['-tag.tenant:*', ['focus', 'pay', 'temp', 'timeout']],
    ['tag.environment:staging', ['pay']],
    ['tag.trust:browser', ['focus']],
    ['tag.browser.major:"Safari 18"', ['focus']],
    ['tag.password:*', ['theme']],
    ['tag.password:hunter2secret', []],
    ['release:1.4.2', ['theme']],
    ['release:1.4*', ['theme']],
    ['release:first:1.4.1', ['theme']],
    ['release:latest:1.4.1', []],
    ['release:latest:1.4.2', ['theme']],
    ['release:2026.03.24.1', ['temp']],
    ['-release:1.4.2', ['focus', 'pay', 'temp', 'timeout']],
    ['type:TypeError', ['focus', 'theme']],
    ['type:timeout', ['timeout']],
    ['type:"TypeError"', ['focus', 'theme']],
    ['type:"Type"', []],
    ['type:*TimeoutError', ['timeout']],
    ['type:Timeout*', []],
    ['type:connect*', ['timeout']],
    ['-type:TypeError,ConnectTimeout*', ['pay', 'temp']],
    ['message:"reading \'theme\'"', ['theme']],
    ['message:reading', ['focus', 'theme']],
    ['message:"is full, see",nothing', ['temp']],
    ['-message:reading', ['pay', 'temp', 'timeout']],
    ['title:returned', ['pay']],
    ['title:RETURNED,theme', ['pay', 'theme']],
    ['-title:returned', ['focus', 'temp', 'theme', 'timeout']],
    ['file:theme.js', ['theme']],
    ['file:src/checkout/**', ['theme']],
    ['file:checkout/*.js', ['theme']],
    ['file:src/*.js', []],
    ['file:**/theme.js', ['theme']],
    ['file:checkout', ['theme']],
    ['file:*.css', []],
    ['file:*.js', ['focus', 'theme']],
    ['-file:*.js', ['pay', 'temp', 'timeout']],
    ['file:no.js,theme.js', ['theme']],
    ['function:renderTheme', ['theme']],
    ['function:render*', ['theme']],
    ['function:Theme', []],
    ['function:submit,focusFirstField', ['focus', 'theme']],
    ['-function:submit', ['focus', 'pay', 'temp', 'timeout']],
    ['route:/api/checkout', ['theme']],
    ['route:"/api/orders/:id/pay"', ['pay']],
    ['route:/api/*', ['pay', 'theme']],
    ['route:/checkout', []],
    ['route:*/pay,/none', ['pay']],
    ['-route:/api/*', ['focus', 'temp', 'timeout']],
    ['http:500', ['pay', 'theme']],
    ['http:5xx', ['pay', 'theme']],
    ['http:404,500', ['pay', 'theme']],
    ['http:4xx', []],
    ['-http:5xx', ['focus', 'temp', 'timeout']],
    ['kind:request_failure', ['pay']],
    ['kind:error_log,frontend_exception', ['focus', 'temp']],
    ['-kind:backend_exception', ['focus', 'pay', 'temp']],
    ['trust:browser', ['focus']],
    ['-trust:server', ['focus']],
    ['trust:mixed', []],
    ['count:>1', ['theme']],
    ['count:1,2', ALL],
    ['-count:>=2', ['focus', 'pay', 'temp', 'timeout']],
    ['users:2', ['theme']],
    ['users:<1', ['focus', 'pay', 'temp', 'timeout']],
    ['-users:0', ['theme']],
    ['last_seen:<2d', ['focus', 'pay', 'temp', 'theme']],
    ['last_seen:>2d', ['timeout']],
    ['-first_seen:<48h', ['timeout']],
    [`first_seen:>${ago(DAY).slice(0, 19)}Z`, ['focus', 'pay', 'temp', 'theme']],
    [`first_seen:${ago(3 * DAY).slice(0, 10)},<1h`, ALL],
    ['last_seen:999999w', ALL],
    ['fingerprint:00000000', []],
    ['id:inc_00000000-0000-4000-8000-000000000000', []],
    ['id:nothing', []],
    // Together.
    ['service:checkout-api is:active -env:staging users:>1', ['theme']],
    ['service:checkout-api -tag.tenant:* failed', ['timeout']],
    ['tag.tenant:acme is:resolved', []],
    ['servce:checkout-api', []],
  ])('%s', async (query, ids) => {
    if (query === '') expect(await client.list()).toHaveLength(ALL.length);
    else expect(await found(query)).toEqual(ids);
  });

  it('by id and fingerprint', async () => {
    const [{ fingerprint, incident_id: id } = { fingerprint: '', incident_id: '' }] = await client.list({
      q: 'theme',
    });
    expect(await found(`id:${id}`)).toEqual(['theme']);
    expect(await found(`id:x,${id.slice(4)}`)).toEqual(['theme']);
    expect(await found(`-id:${id}`)).toHaveLength(ALL.length - 1);
    expect(await found(`fingerprint:${fingerprint.slice(0, 8).toUpperCase()}`)).toEqual(['theme']);
    expect(await found(`fingerprint:${fingerprint}`)).toEqual(['theme']);
    expect(await found(`-fingerprint:${fingerprint}`)).toHaveLength(ALL.length - 1);
  });

  it('4. by the id of a user, which is stored nowhere, in one project', async () => {
    const pid = client.project.projectId;
    const ids = async (q: string) =>
      (await client.list({ q, project_id: pid })).map(({ incident_id: id }) => id);
    expect(await ids('user:u1')).toEqual([idOf.get('theme')]);
    expect(await ids('user:nobody,u2')).toEqual([idOf.get('theme')]);
    expect(await ids('-user:u1')).toHaveLength(ALL.length - 1);
    expect(await ids('user:u3')).toEqual([]);
    const rows = await culprit.database.query<{ found: string }>({
      name: 'test-user-ids',
      text: `select s::text as found from incident_search s where s::text ~ '\\yu1\\y'
        union all select t::text from incident_tags t where t.value in ('u1', 'u2')`,
    });
    expect(rows).toEqual([]);
  });

  it('7. only in the projects of the member', async () => {
    for (const q of [
      'tag.tenant:acme',
      'theme',
      '-zebra',
      'is:open',
      'file:theme.js',
      'http:500',
      'title:theme',
    ]) {
      expect(
        (await foreign.list({ q })).map(({ project_id: id }) => id),
        q,
      ).toEqual([foreign.project.projectId]);
    }
    expect(await foreign.list({ q: `id:${idOf.get('theme')}` })).toEqual([]);
  });

  it('2. in no query that cannot be read, whose fault is named', async () => {
    for (const [q, words] of [
      ['severity:urgent', /q: severity takes low/],
      ['is:foo', /q: is takes open, resolved/],
      [Array.from({ length: 21 }, (_, n) => `w${n}`).join(' '), /20 terms/],
      ['x'.repeat(501), /q:/],
    ] as const) {
      const answer = await client.get(`/v1/incidents?${new URLSearchParams({ q })}`);
      expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
      expect(answer.headers.get('x-service-problem')).toMatch(words);
    }
  });

  it('7. a query is explained, and goes on with values of the project', async () => {
    const read = async (q: string) => {
      const params = new URLSearchParams({
        project_id: client.project.projectId,
        ...(q === '' ? {} : { q }),
      });
      const { status, body } = await client.get(`/v1/incidents/query?${params}`);
      if (status !== 200 || !isJsonObject(body)) throw new Error(`answered ${status}`);
      return body;
    };
    const texts = async (q: string) => {
      const { suggestions } = await read(q);
      return Array.isArray(suggestions)
        ? suggestions.map((each) => (isJsonObject(each) ? each.text : each))
        : [];
    };
    expect(await read('-env:staging TypeError: x')).toMatchObject({
      terms: [
        { text: '-env:staging', key: 'env', is_negated: true, is_text: false },
        { text: 'TypeError:', key: null, is_negated: false, is_text: true },
        { text: 'x', key: null, is_negated: false, is_text: true },
      ],
      problem: null,
    });
    expect(await read('servce:api')).toMatchObject({
      problem: 'No filter is called "servce". Did you mean "service:"?',
    });
    expect(await read('is:foo')).toMatchObject({
      problem: expect.stringMatching(/^The query is takes open/),
    });
    expect(await texts('')).toHaveLength(10);
    expect(await texts('x -se')).toEqual(['-severity:', '-service:']);
    expect(await texts('service:check')).toEqual(
      expect.arrayContaining(['service:checkout-api', 'service:checkout-jobs', 'service:checkout-web']),
    );
    expect(await texts('env:')).toEqual(expect.arrayContaining(['env:production', 'env:staging']));
    expect(await texts('is:re')).toEqual(['is:resolved', 'is:regressed']);
    expect(await texts('is:open,re')).toEqual(['is:open,resolved', 'is:open,regressed']);
    expect(await texts('tag.te')).toEqual(['tag.tenant:']);
    expect(await texts('tag.tenant:ac')).toEqual(
      expect.arrayContaining(['tag.tenant:acme', 'tag.tenant:acorn']),
    );
    expect(await texts('tag.browser.major:')).toEqual(['tag.browser.major:"Safari 18"']);
    expect(await texts('release:1')).toEqual(expect.arrayContaining(['release:1.4.1', 'release:1.4.2']));
    expect(await texts('"service:')).toEqual([]);
  });

  it(`7. ${QUERIES} odd queries are answered, and never with what is foreign (seed ${SEED})`, {
    timeout: 600_000,
  }, async () => {
    const own = new Set(idOf.values());
    const [theirs] = await foreign.list();
    const askers = [
      { asker: client, seen: own },
      { asker: client, seen: own },
      { asker: foreign, seen: new Set([theirs?.incident_id]) },
    ];
    const parts = [
      '-',
      '!',
      '"',
      ':',
      'tag.',
      'tag.a:',
      'file:',
      '*',
      '**',
      '%',
      '_',
      '\\',
      "'",
      ';',
      'service:',
      'is:open',
      'count:>1',
      '🔥',
      '\u202e',
      'ä',
      '(',
      '[',
      'a|b',
      '&',
      '<',
      'type:*(',
      'route:[',
      'function:\\',
      'message:"',
      'user',
      "tag.x:'",
      'release:',
      'first:',
      'http:5xx',
      'id:',
      'x',
      ',',
      ' ',
      'tag.tenant:acme',
      'user:u1',
      'assignee:me',
      'last_seen:<9w',
      'theme',
      'severity:>=low',
      '-is:resolved',
      `fingerprint:${(theirs?.fingerprint ?? '').slice(0, 12)}`,
      `id:${theirs?.incident_id}`,
      `project:${foreign.project.projectId}`,
    ];
    const random = seededRandom(SEED);
    let answered = 0;
    for (let n = 0; n < QUERIES; n += 1) {
      const some = Array.from({ length: random.integer(1, 9) }, () => random.pick(parts));
      const q = some.join(random.chance(0.3) ? '' : ' ');
      const { asker, seen } = random.pick(askers);
      const { status, body } = await asker.get(`/v1/incidents?${new URLSearchParams({ q })}`);
      expect([200, 400], q).toContain(status);
      const rows = isJsonObject(body) && Array.isArray(body.incidents) ? body.incidents : [];
      for (const row of rows)
        expect(seen.has(isJsonObject(row) ? String(row.incident_id) : ''), q).toBe(true);
      answered += rows.length;
    }
    expect(answered).toBeGreaterThan(0);
  });

  it('5. by every message that is kept, the first and the latest seven', async () => {
    const other = await connect(culprit);
    const word = (n: number) => String(48_210 + n);
    for (let n = 0; n < 9; n += 1) {
      if (n === 8) {
        // A full document waits ten minutes for a message of a form that it has.
        await other.settled();
        await culprit.database.query({
          name: 'test-older-documents',
          text: `update incident_search set written_at = written_at - interval '11 min'`,
        });
      }
      await other.send(changed(EX(), { payload: { message: `Order ${word(n)} could not be paid` } }));
      await other.only(n + 1);
    }
    await other.settled();
    const hits = await Promise.all(
      Array.from({ length: 9 }, async (_, n) => (await other.list({ q: `message:${word(n)}` })).length),
    );
    expect(hits).toEqual([1, 0, 1, 1, 1, 1, 1, 1, 1]);
  });

  describe('tags', () => {
    const at = (body: unknown, key: string) => {
      const tags = isJsonObject(body) && Array.isArray(body.tags) ? body.tags.filter(isJsonObject) : [];
      return tags.find((tag) => tag.key === key);
    };
    const valuesOf = (tag: ReturnType<typeof at>) =>
      Object.fromEntries(
        (Array.isArray(tag?.top) ? tag.top.filter(isJsonObject) : []).map((top) => [top.value, top.count]),
      );

    it('8. are counted exactly, with their shares, and compared with what is usual', async () => {
      const project = await connect(culprit);
      const rare = (n: number) =>
        tagged(changed(named('Rare'), { context: { release: '2.0' } }), { flag: true, zone: n % 2 });
      const usual = (n: number) => tagged(named('Usual'), { flag: n < 4, zone: 'eu' });
      const batch = [
        ...Array.from({ length: 40 }, (_, n) => rare(n)),
        ...Array.from({ length: 60 }, (_, n) => usual(n)),
      ];
      await project.send(...batch);
      await project.counted(60, 40).catch(() => project.counted(40, 60));
      await project.refreshed();
      const incident = (await project.list({ q: 'rare' }))[0];
      const { status, body } = await project.get(`/v1/incidents/${incident?.incident_id}/tags`);
      expect(status).toBe(200);
      expect(at(body, 'flag')).toMatchObject({ counted: 40, distinct: 1, is_sampled: false });
      expect(at(body, 'flag')?.top).toEqual([
        // 40 of 40 here, 44 of 100 in the project, 4 of the 60 others.
        { value: 'true', count: 40, share: 1, lift: 100 / 44, elsewhere: 4 / 60 },
      ]);
      expect(valuesOf(at(body, 'zone'))).toEqual({ '0': 20, '1': 20 });
      expect(at(body, 'release')?.top).toEqual([
        { value: '2.0', count: 40, share: 1, lift: 2.5, elsewhere: 0 },
      ]);
      const keys =
        isJsonObject(body) && Array.isArray(body.tags)
          ? body.tags.map((tag) => (isJsonObject(tag) ? tag.key : ''))
          : [];
      expect(keys.slice(0, 2).sort()).toEqual(['release', 'zone']);
      const values = await project.get(`/v1/incidents/${incident?.incident_id}/tags/zone?limit=1`);
      expect(values.body).toMatchObject({ values: [{ value: '0', count: 20, share: 0.5 }] });
      const cursor = isJsonObject(values.body) ? String(values.body.next_cursor) : '';
      const next = await project.get(
        `/v1/incidents/${incident?.incident_id}/tags/zone?limit=1&cursor=${encodeURIComponent(cursor)}`,
      );
      expect(next.body).toMatchObject({ values: [{ value: '1', count: 20 }], next_cursor: null });
      const all = await project.get(`/v1/projects/${project.project.projectId}/tags?prefix=fl`);
      expect(all.body).toEqual({ tags: [{ key: 'flag', events_7d: 100, values: ['false', 'true'] }] });
    });

    it('8. are sampled beyond a thousand signals, alike for the same events', async () => {
      const sampled = async () => {
        const project = await connect(culprit);
        await project.send(named('Many'));
        const { incident_id: id } = await project.only();
        await project.settled();
        await culprit.database.script(
          `update incidents set occurrence_count = 999 where incident_id = '${parseId(['inc'], id) ?? ''}'`,
        );
        const batch = Array.from({ length: 400 }, (_, n) => ({
          ...tagged(named('Many'), { half: n % 2 === 0 }),
          event_id: `evt_same_${n}`,
        }));
        await project.send(...batch);
        await project.only(1399);
        await project.refreshed();
        const { body } = await project.get(`/v1/incidents/${id}/tags`);
        // The same batch once more counts nothing twice.
        await project.send(...batch);
        await project.settled();
        expect((await project.get(`/v1/incidents/${id}/tags`)).body).toEqual(body);
        return body;
      };
      const [one, two] = [await sampled(), await sampled()];
      const half = at(one, 'half');
      expect(half).toMatchObject({ is_sampled: true, distinct: 2 });
      // The thousandth counts once, and of the others each sixteenth counts for sixteen.
      expect(Number(half?.counted) % 16).toBe(1);
      expect(Number(half?.counted)).toBeGreaterThan(200);
      expect(at(two, 'half')).toEqual(half);
    });

    it('8. say nothing of what is usual below 30 signals', async () => {
      const { body } = await client.get(`/v1/incidents/${idOf.get('theme')}/tags`);
      expect(at(body, 'tenant')?.top).toEqual([
        { value: 'acme', count: 1, share: 0.5, lift: null, elsewhere: null },
        { value: 'acorn', count: 1, share: 0.5, lift: null, elsewhere: null },
      ]);
    });

    it('9. keep their bounds, and no secret', async () => {
      const project = await connect(culprit);
      const many = Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`k${String(n).padStart(2, '0')}`, 'x']),
      );
      const odd = {
        ['k'.repeat(65)]: 'x',
        'not a key': 'x',
        empty: '',
        nested: { a: 1 },
        long: 'y'.repeat(300),
        password: 'swordfish',
        token: 'abc',
        ...many,
      };
      await project.send(
        ...Array.from({ length: 250 }, (_, n) => tagged(named('Bounds'), { order: `o${n}` })),
      );
      await project.only(250);
      await project.refreshed();
      await project.send(
        tagged(named('Bounds'), odd),
        tagged(named('Bounds'), { note: 'card 4111 1111 1111 1111' }),
      );
      const { incident_id: id } = await project.only(252);
      await project.refreshed();
      const { body } = await project.get(`/v1/incidents/${id}/tags`);
      const keys = isJsonObject(body) && Array.isArray(body.tags) ? body.tags : [];
      // Forty, and the one for those that do not fit.
      expect(keys).toHaveLength(41);
      expect(valuesOf(at(body, 'password'))).toEqual({ '[REDACTED]': 1 });
      expect(Object.keys(valuesOf(at(body, 'long')))[0]).toHaveLength(200);
      const text = JSON.stringify((await project.get(`/v1/incidents/${id}/tags`)).body);
      for (const secret of ['swordfish', '4111 1111']) expect(text).not.toContain(secret);
      const rows = await culprit.database.query<{ values: number; other: number }>(
        {
          name: 'test-tag-values',
          text: `select count(*)::integer as values, coalesce(sum(count) filter (where value = '…other'), 0)::integer as other
            from incident_tags where incident_id = $1 and key in ('order', '…other')
            group by key order by 1 desc limit 1`,
        },
        [parseId(['inc'], id)],
      );
      // Two hundred values, and one for the rest.
      expect(rows[0]).toEqual({ values: 201, other: 50 });
    });
  });

  it('6. and counted exactly as far as ten thousand', async () => {
    const project = await connect(culprit);
    await project.send(named('Counted'));
    await project.only();
    const counted = async () =>
      (await project.get(`/v1/incidents/count?project_id=${project.project.projectId}&q=is:open`)).body;
    const copy = async (from: number, to: number) =>
      await copyIncidents(
        culprit.database,
        {
          changed: `jsonb_build_object('incident_id', gen_random_uuid(), 'number', 1000000 + n,
            'fingerprint', '\\x' || encode(sha256(n::text::bytea), 'hex'))`,
          from: `incidents i, generate_series(${from}, ${to}) n where i.project_id = $1 and i.number < 1000000`,
        },
        [parseId(['proj'], project.project.projectId) ?? ''],
      );
    await copy(1, 9_999);
    expect(await counted()).toEqual({ count: 10_000, is_exact: true });
    await copy(10_000, 10_000);
    expect(await counted()).toEqual({ count: 10_000, is_exact: false });
  });

  it('in the orders of the list, page by page', async () => {
    const first = await client.get('/v1/incidents?q=is:active&limit=2&sort=severity');
    const cursor = isJsonObject(first.body) ? String(first.body.next_cursor) : '';
    const second = await client.get(
      `/v1/incidents?q=is:active&limit=2&sort=severity&cursor=${encodeURIComponent(cursor)}`,
    );
    const ids = [first, second].flatMap(({ body }) =>
      isJsonObject(body) && Array.isArray(body.incidents)
        ? body.incidents.map((row) => (isJsonObject(row) ? row.incident_id : null))
        : [],
    );
    expect(new Set(ids)).toEqual(new Set(['focus', 'pay', 'theme', 'timeout'].map((word) => idOf.get(word))));
    expect(ids[0]).toBe(idOf.get('timeout'));
  });
});
