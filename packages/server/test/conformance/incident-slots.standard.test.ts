import { groupingSentences } from '@culprit/contract/incidents/grouping-words';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { fingerprintEvent } from '@culprit/evidence/events/fingerprint/fingerprint';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockSlotsOf } from '../../src/pipeline/incidents/grouping/slot-locks.queries.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/grouping.md 3: words that differ in one place of a message are learned to be values. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

const USERS = ['alice', 'bob', 'chen', 'dana', 'emil', 'farid', 'grete'];
const HOSTS = ['apollo', 'borealis', 'cygnus', 'draco', 'eridanus'];
const STARTED_MS = Date.now() - 600_000;
let sent = 0;

function log(message: string, more: object = {}): JsonObject {
  sent += 1;
  return {
    event_type: 'log_event',
    timestamp: new Date(STARTED_MS + sent * 10).toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: { level: 'error', message, attributes: {} },
    ...more,
  };
}

const signIn = (user: string) => log(`User '${user}' could not sign in`);

/** Sends events one by one, each of which is counted before the next one comes. */
async function sendEach(client: IncidentClient, events: readonly object[]): Promise<void> {
  for (const event of events) {
    await client.send(event);
    await client.processed();
  }
}

async function groupingOf(answer: Promise<{ status: number; body: unknown }>): Promise<JsonObject> {
  const { status, body } = await answer;
  expect({ status, body }).toMatchObject({ status: 200 });
  return isJsonObject(body) && isJsonObject(body.grouping) ? body.grouping : {};
}
const read = (client: IncidentClient, id: string) => groupingOf(client.get(`/v1/incidents/${id}/grouping`));
const split = (client: IncidentClient, id: string, body: object) =>
  groupingOf(client.post(`/v1/incidents/${id}/split`, body));

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The incident that the next event of a message joins, without sending it. */
async function incidentOf(client: IncidentClient, event: JsonObject): Promise<string> {
  const key =
    fingerprintEvent(normalizeEvent(event, { eventId: 'evt_1', receivedAtMs: Date.now() }))?.value ?? '';
  const [row] = await culprit.database.query<{ incident_id: string }>(
    {
      name: 'test-incident-of-key',
      text: `select coalesce(a.incident_id, i.incident_id) as incident_id
        from services s
        left join incident_aliases a on a.service_id = s.service_id and a.fingerprint = decode($2, 'hex')
        left join incidents i on i.service_id = s.service_id and i.fingerprint = decode($2, 'hex')
        where s.project_id = $1 and coalesce(a.incident_id, i.incident_id) is not null`,
    },
    [client.project.projectId.slice('proj_'.length), key],
  );
  return row?.incident_id ?? '';
}

describe('messages that differ in one word', () => {
  it('become one incident once five words were seen, and later ones open none', async () => {
    const client = await connect(culprit);
    await sendEach(client, USERS.slice(0, 4).map(signIn));
    const apart = await client.counted(1, 1, 1, 1);
    const oldest = apart.at(-1)?.incident_id ?? '';
    expect((await read(client, oldest)).slots).toEqual([]);

    await sendEach(client, USERS.slice(4).map(signIn));
    expect(await client.read(oldest)).toMatchObject({ status: 'open', occurrence_count: 4 });
    expect(await client.ledger('incident.opened')).toHaveLength(4);
    const grouping = await read(client, oldest);
    expect(grouping).toMatchObject({
      members: apart
        .map(({ incident_id }) => incident_id)
        .filter((id) => id !== oldest)
        .sort(),
      slots: [
        {
          template: 'User […] could not sign in',
          words: USERS.slice(0, 5),
          holds_values: false,
          only_browsers: false,
        },
      ],
    });
    expect(list(grouping.keys).map(({ origin }) => origin)).toEqual(['own', ...Array(6).fill('slot')]);
    const [opening] = list(grouping.slots);
    expect(String(opening?.opened_by_event_id)).toMatch(/^evt_/);
    await client.settled();
    const { context } = await client.bundle(oldest);
    const explanation = {
      matched_fields: ['environment', 'service', 'normalized_message'],
      readers: ['message_text'],
      rule: 'message_template',
    };
    expect(grouping).toMatchObject(explanation);
    expect(context.grouping).toMatchObject({
      ...explanation,
      members: grouping.members,
      slots: [{ ...opening, words: USERS.slice(0, 5) }],
      changes: Array(3).fill({ kind: 'merged', by: 'slot', slot_id: opening?.slot_id, into: oldest }),
    });
    const sentences = context.grouping === undefined ? [] : groupingSentences(context.grouping);
    expect(sentences.slice(0, 3)).toEqual([
      'Grouped by: environment, service, message template.',
      'Read by: the text of the message.',
      'Decided by: the message without its values.',
    ]);
    expect(sentences).toContain(
      `Same text but for one word: User [${USERS.slice(0, 5).join(', ')}, …] could not sign in; opened by event ${opening?.opened_by_event_id} at ${opening?.opened_at}.`,
    );
    for (const { incident_id, status } of await client.list()) {
      expect(status).toBe(incident_id === oldest ? 'open' : 'resolved');
    }
  });

  it('are the same groups when they come in one request', async () => {
    const client = await connect(culprit);
    await client.send(...USERS.map(signIn));
    await client.processed();
    expect(await client.ledger('incident.opened')).toHaveLength(4);
    await client.counted(1, 1, 1, 4);
  });

  it('come back with their own counts when the slot is closed, which stays closed', async () => {
    const client = await connect(culprit);
    await sendEach(client, USERS.map(signIn));
    await sendEach(client, USERS.slice(0, 3).map(signIn));
    const [fused] = await client.counted(7, 1, 1, 1);
    const root = fused?.incident_id ?? '';
    const [slot] = list((await read(client, root)).slots);
    expect(await client.post(`/v1/incidents/${root}/split`, { slot_ids: ['0'.repeat(32)] })).toMatchObject({
      status: 404,
      body: { error: 'slot_not_found' },
    });
    expect(await split(client, root, { slot_ids: [slot?.slot_id] })).toMatchObject({
      members: [],
      slots: [],
      keys: [{ origin: 'own' }],
    });
    for (const { status } of await client.list()) expect(status).toBe('open');

    await sendEach(client, USERS.map(signIn));
    await sendEach(client, [signIn('hedy')]);
    await client.counted(8, 2, 2, 2, 1, 1, 1, 1);
    expect((await read(client, root)).slots).toEqual([]);
  });

  it('close the slot when one of its members is taken out', async () => {
    const client = await connect(culprit);
    await sendEach(client, USERS.slice(0, 5).map(signIn));
    const [fused] = await client.counted(2, 1, 1, 1);
    const { members } = await read(client, fused?.incident_id ?? '');
    const [member] = Array.isArray(members) ? members : [];
    expect(await split(client, fused?.incident_id ?? '', { incident_ids: [member] })).toMatchObject({
      members: [],
      slots: [],
    });
  });

  it.each([
    [
      'a verb or a state',
      (word: string) => `Connection to the ledger ${word} by the server`,
      ['closed', 'refused', 'reset', 'lost', 'rejected', 'dropped'],
    ],
    [
      'a name of code',
      (word: string) => `Cannot load the value of ${word} for this order`,
      ['myCart', 'yourCart', 'herCart', 'ourCart', 'theCart', 'anyCart'],
    ],
    [
      'a thing of the program',
      (word: string) => `The relation ${word} does not exist here`,
      ['orders', 'carts', 'prices', 'stocks', 'taxes', 'labels'],
    ],
    [
      'what a sentence is about',
      (word: string) => `${word} could not be saved for this customer`,
      ['Order', 'Invoice', 'Coupon', 'Basket', 'Parcel', 'Ticket'],
    ],
    [
      'a word with too little around it',
      (word: string) => `no ${word}`,
      ['bread', 'butter', 'cheese', 'milk', 'honey', 'sugar'],
    ],
  ] as const)('stay apart where the word is %s', async (_, message, words) => {
    const client = await connect(culprit);
    await client.send(...words.map((word) => log(message(word))));
    await client.counted(...words.map(() => 1));
  });

  it('are grouped at the same code place after three words, and never across code places', async () => {
    const client = await connect(culprit);
    const failure = (user: string, file: string) =>
      log('', {
        event_type: 'backend_exception',
        payload: {
          name: 'Error',
          message: `no wallet of ${user} was found in the vault`,
          stack: `Error: x\n    at pay (/app/src/${file}.js:1:1)`,
        },
      });
    await sendEach(client, [
      ...USERS.slice(0, 3).map((user) => failure(user, 'pay')),
      failure('dana', 'refund'),
    ]);
    await client.counted(2, 1, 1);
  });

  it('learn two places, first one and then the other', async () => {
    const client = await connect(culprit);
    const events = HOSTS.flatMap((host) =>
      USERS.slice(0, 5).map((user) => log(`The password of ${user} was refused at ${host} again`)),
    );
    await sendEach(client, [...events]);
    const roots = new Set(await Promise.all(events.map((event) => incidentOf(client, event))));
    expect(roots.size).toBe(1);
    const [root] = roots;
    const { slots } = await read(client, `inc_${root}`);
    expect(list(slots).map(({ template }) => template)).toContain(
      'The password of […] was refused at […] again',
    );
  });
});

describe('the slots of a service', () => {
  it('are locked before its incidents, so that a split and a worker never wait for each other', async () => {
    const client = await connect(culprit);
    await sendEach(client, USERS.slice(0, 5).map(signIn));
    const [fused] = await client.counted(2, 1, 1, 1);
    const id = (fused?.incident_id ?? '').slice('inc_'.length);
    await culprit.database.transaction(async (transaction) => {
      await lockSlotsOf(transaction, [id]);
      await client.send(signIn('grete'), signIn('alice'));
      await eventually(async () => {
        const [row] = await transaction.query<{ waiting: number }>(
          {
            name: 'test-waiting-for-slots',
            text: `select count(*) as waiting from pg_locks l join pg_locks m using (classid, objid)
              where l.locktype = 'advisory' and not l.granted and m.locktype = 'advisory' and m.granted
                and m.pid = pg_backend_pid()`,
          },
          [],
        );
        expect(row?.waiting).toBe(1);
      });
      await transaction.query(
        {
          name: 'test-free-incident',
          text: 'select from incidents where incident_id = $1 for update nowait',
        },
        [id],
      );
    });
    await client.counted(4, 1, 1, 1);
  });
});

describe('slots that browsers feed', () => {
  const ORIGIN = 'https://shop.example';
  const page = (user: string) => log(`The wallet of ${user} has no owner anywhere`);

  async function withBrowser(): Promise<{
    client: IncidentClient;
    browse: (...events: object[]) => Promise<void>;
  }> {
    const client = await connect(culprit);
    const token = await culprit.createProjectToken(client.project.projectId, [ORIGIN]);
    return {
      client,
      async browse(...events) {
        const answer = await sendEvents(culprit.url, token, events, { origin: ORIGIN });
        expect(acknowledgement(answer)).toMatchObject({ accepted: events.length });
        await client.processed();
      },
    };
  }

  it('never make one of what servers sent, whoever was first', async () => {
    const { client, browse } = await withBrowser();
    await sendEach(client, USERS.slice(0, 2).map(page));
    await browse(...USERS.map(page));
    const before = await client.counted(2, 2, 2, 1, 1, 1);
    const of = (incidents: typeof before, user: string) =>
      incidents.find(({ title }) => title.includes(user));
    expect(USERS.slice(0, 2).map((user) => of(before, user)?.source_trust)).toEqual(['mixed', 'mixed']);
    const fused = of(before, 'chen');
    expect(fused).toMatchObject({ occurrence_count: 2, source_trust: 'browser' });
    const { slots, members } = await read(client, fused?.incident_id ?? '');
    expect(list(slots)).toMatchObject([{ only_browsers: true }]);
    expect(members).toHaveLength(3);

    // What browsers tied together is apart for a server: its event finds its own incident again, or opens one.
    await sendEach(client, USERS.slice(3).map(page));
    const after = await client.list();
    for (const user of USERS.slice(3, 6)) {
      expect(of(after, user)).toMatchObject({
        occurrence_count: 2,
        status: 'regressed',
        source_trust: 'mixed',
      });
    }
    expect(of(after, 'grete')).toMatchObject({ occurrence_count: 1, source_trust: 'server' });
    expect(of(after, 'chen')).toMatchObject({ occurrence_count: 2, source_trust: 'browser' });
  });

  it('open few a day, beyond which their messages stay apart', async () => {
    const { client, browse } = await withBrowser();
    for (let n = 0; n < 23; n += 1) {
      const subject = String.fromCodePoint(97 + n).repeat(5);
      await browse(
        ...USERS.slice(0, 5).map((user) => log(`The wallet of ${user} knows nothing of ${subject} anywhere`)),
      );
    }
    const [row] = await culprit.database.query<{ open: number }>(
      {
        name: 'test-open-slots',
        text: 'select count(*) as open from incident_slots where project_id = $1 and opened_at is not null',
      },
      [client.project.projectId.slice('proj_'.length)],
    );
    expect(row?.open).toBe(20);
  });
});

const failure = (file: string, release: string) =>
  log('', {
    event_type: 'backend_exception',
    context: { release },
    payload: {
      error_class: 'TypeError',
      message: 'cart is undefined',
      stacktrace: `TypeError: cart is undefined\n    at payTotal (/srv/dist/assets/${file}:1:204)`,
    },
  });

describe('files that differ in what each release calls them', () => {
  it('become one incident with the third release, and later ones open none', async () => {
    const client = await connect(culprit);
    await sendEach(client, [failure('cart-carabine.js', '1.0'), failure('cart-mortised.js', '1.1')]);
    const apart = await client.counted(1, 1);
    await sendEach(client, [failure('cart-sandwich.js', '1.2'), failure('cart-flagrant.js', '1.3')]);
    const oldest = apart.at(-1)?.incident_id ?? '';
    expect(await client.ledger('incident.opened')).toHaveLength(2);
    const grouping = await read(client, oldest);
    expect(list(grouping.slots)).toMatchObject([
      {
        template: 'assets/cart-[…].js#payTotal',
        words: ['carabine (1.0)', 'mortised (1.1)', 'sandwich (1.2)', 'flagrant (1.3)'],
      },
    ]);
    // Another file of a release that has its own already is another file of one build.
    await sendEach(client, [failure('cart-untaught.js', '1.3'), failure('cart-flagrant.js', '1.3')]);
    expect(await client.ledger('incident.opened')).toHaveLength(3);
    const slot = String(list(grouping.slots)[0]?.slot_id);
    await split(client, oldest, { slot_ids: [slot] });
    await sendEach(client, [failure('cart-garrison.js', '1.4')]);
    expect(await client.ledger('incident.opened')).toHaveLength(4);
  });

  it('stay apart where a release has two of them', async () => {
    const client = await connect(culprit);
    await sendEach(client, [
      failure('cart-carabine.js', '1.0'),
      failure('cart-mortised.js', '1.0'),
      failure('cart-sandwich.js', '1.1'),
      failure('cart-flagrant.js', '1.2'),
    ]);
    await client.counted(1, 1, 1, 1);
  });

  it('stay apart where a later event shows two of them in a release, also when all come at once', async () => {
    const events = [
      failure('cart-carabine.js', '1.0'),
      failure('cart-carabine.js', '1.2'),
      failure('cart-mortised.js', '1.1'),
      failure('cart-sandwich.js', '1.2'),
    ];
    const [oneByOne, atOnce] = [await connect(culprit), await connect(culprit)];
    await sendEach(oneByOne, events);
    await oneByOne.counted(2, 1, 1);
    await atOnce.send(...events);
    await atOnce.counted(2, 1, 1);
  });

  it('take no second file of a release once they are one, and keep what they tied', async () => {
    const client = await connect(culprit);
    const events = [
      failure('cart-mortised.js', '1.1'),
      failure('cart-sandwich.js', '1.2'),
      failure('cart-carabine.js', '1.0'),
      failure('cart-flagrant.js', '1.2'),
    ];
    await sendEach(client, events);
    const [oldest, ...others] = await Promise.all(events.map((event) => incidentOf(client, event)));
    expect(others.slice(0, 2)).toEqual([oldest, oldest]);
    expect(others[2]).not.toBe(oldest);
  });
});

describe('a project that learns no slots', () => {
  it('keeps messages apart', async () => {
    const client = await connect(culprit);
    const path = `/v1/projects/${client.project.projectId}`;
    const changed = await managementClient(culprit, client.project.memberToken).patch(path, {
      learns_slots: false,
    });
    expect(changed).toMatchObject({ status: 200, body: { project: { learns_slots: false } } });
    await client.send(...USERS.map(signIn));
    await client.counted(...USERS.map(() => 1));
  });
});

describe('the groups', () => {
  it('are the same in every order of arrival and however many events come together', async () => {
    const texts = [
      ...USERS.slice(0, 6).map((user) => `User '${user}' could not sign in`),
      ...HOSTS.flatMap((host) => [
        `No answer from ${host} for the ledger`,
        `Disk of ${host} is nearly full now`,
      ]),
      ...HOSTS.slice(0, 3).map((host) => `Only three times heard of ${host} this month`),
      ...USERS.slice(0, 4).map((user) => `The wallet of ${user} has no owner anywhere`),
      'The wallet of user42 has no owner anywhere',
    ];
    const files = ['carabine', 'mortised', 'sandwich', 'flagrant'];
    const all = [
      ...texts.map((text) => ({ name: text, event: log(text) })),
      ...files.map((end, at) => ({ name: end, event: failure(`cart-${end}.js`, `1.${at}`) })),
    ];
    const seen = new Set<string>();
    for (const seed of [1, 2, 3, 4]) {
      const random = seededRandom(seed);
      const events = all.map(({ event }) => event).sort(() => random.integer(0, 1) - 0.5);
      const client = await connect(culprit);
      for (let start = 0; start < events.length; ) {
        const count = random.integer(1, 6);
        await client.send(...events.slice(start, start + count));
        await client.processed();
        start += count;
      }
      const groups = new Map<string, string[]>();
      for (const { name, event } of all) {
        const root = await incidentOf(client, event);
        groups.set(root, [...(groups.get(root) ?? []), name]);
      }
      seen.add(JSON.stringify([...groups.values()].map((group) => group.sort()).sort()));
    }
    expect([...seen]).toHaveLength(1);
    expect(JSON.parse([...seen][0] ?? '[]')).toHaveLength(1 + 2 + 3 + 1 + 1);
  });
});
