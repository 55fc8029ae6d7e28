import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { codeIn, mailsTo, nextMail } from '../../../server/test/support/mailbox.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { startReceiver, type WebhookReceiver } from '../../../server/test/support/webhook-receiver.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** Commands that stand for one endpoint each, against a real service (C-33). */

const CODE_SUBJECT = 'Sign-in code';

let culprit: TestCulprit;
let signedIn: SignedIn;
let receiver: WebhookReceiver;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit, await culprit.createProject({ email: 'owner@one-to-one.test' }));
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  signedIn.home.remove();
});

/** What a command prints with `--json`, as an object. */
async function json(...args: string[]): Promise<Record<string, JsonValue>> {
  const value = await signedIn.home.json(args);
  if (!isJsonObject(value)) throw new Error(`culprit ${args.join(' ')} printed no object`);
  return value;
}

function textAt(value: JsonValue | undefined, ...path: string[]): string {
  const inner = path.reduce<JsonValue | undefined>(
    (each, key) => (isJsonObject(each) ? each[key] : undefined),
    value,
  );
  if (typeof inner !== 'string') throw new Error(`there is no text at ${path.join('.')}`);
  return inner;
}

async function incidentIds(search: string): Promise<string[]> {
  const { out } = await signedIn.home.run(['incidents', 'list', '-q', '--search', search]);
  return out.trim().split('\n');
}

const WALLET_STACK = 'TypeError: wallet\n    at openWallet (/app/wallet.js:4:2)';

describe('incidents of one service', () => {
  it('are merged into the oldest, shown as one grouping, and taken out again', async () => {
    await signedIn.fail('merging one');
    await signedIn.fail('merging two');
    const ids = await incidentIds('merging');
    expect(ids).toHaveLength(2);
    const shown = await json('incidents', 'merge', ...ids, '--dry-run');
    expect(shown).toMatchObject({ method: 'POST', path: '/v1/incidents/merge' });
    const unasked = await signedIn.home.run(['incidents', 'merge', ...ids]);
    expect(unasked.code).toBe(2);
    const merged = await json('incidents', 'merge', ...ids, '--yes');
    const oldest = textAt(merged, 'grouping', 'incident_id');
    const member = ids.find((id) => id !== oldest) ?? '';
    expect(merged).toMatchObject({ grouping: { members: [member] } });
    expect(await json('incidents', 'grouping', oldest)).toMatchObject({ grouping: { members: [member] } });
    expect(await json('incidents', 'split', oldest, member)).toMatchObject({ grouping: { members: [] } });
  });

  it('that a slot made one are explained, and come back when it is closed', async () => {
    for (const user of ['anna', 'boris', 'chloe']) {
      await signedIn.fail(`no wallet of ${user} was found in the vault`, { 'payload.stack': WALLET_STACK });
    }
    const [oldest = '', ...others] = await incidentIds('wallet of');
    expect(others).toEqual([]);
    const shown = await signedIn.home.run(['incidents', 'grouping', oldest]);
    expect(shown.out).toMatch(/Read by +the JavaScript trace reader/);
    expect(shown.out).toMatch(/Decided by +the newest in-app frames/);
    expect(shown.out).toMatch(
      /Slot +[0-9a-f]{32} Same text but for one word: no wallet of \[anna, boris, chloe, …\] was found in the vault; opened/,
    );
    const [, slot = ''] = /Slot +([0-9a-f]{32})/.exec(shown.out) ?? [];
    expect((await signedIn.home.run(['incidents', 'split', oldest])).code).toBe(2);
    expect(await json('incidents', 'split', oldest, '--slot', slot)).toMatchObject({
      grouping: { members: [], slots: [] },
    });
    expect(await incidentIds('wallet of')).toHaveLength(2);
  });

  it('are found by their ids, and an unknown id is exit 3', async () => {
    await signedIn.fail('to be looked up');
    const [id = ''] = await incidentIds('looked up');
    expect(await json('lookup', id)).toMatchObject({ matches: [{ kind: 'incident', incident_id: id }] });
    expect((await signedIn.home.run(['lookup', crypto.randomUUID()])).code).toBe(3);
  });
});

describe('releases', () => {
  it('have the commits since the release before, as git has them, without an address', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada L', '-c', 'user.email=ada@git.test', ...args], {
        cwd: signedIn.home.path,
        encoding: 'utf8',
      }).trim();
    const create = (version: string, ...args: string[]) =>
      signedIn.home.run(['releases', 'create', version, '--commits', 'auto', ...args]);
    expect((await create('none')).err).toContain('needs a git repository with a commit');
    git('init', '--quiet', '--initial-branch', 'main');
    git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
    const first = await create('shop@1.0.0', '--json');
    expect(JSON.parse(first.out)).toMatchObject({ release: { commits: 1, branch: 'main' } });
    git('commit', '--quiet', '--allow-empty', '-m', 'Fix the cart\n\nSigned-off-by: Ada L <ada@git.test>');
    git('commit', '--quiet', '--allow-empty', '-m', 'Add a till');
    const second = await create('shop@1.1.0');
    expect(second.err).toContain('2 commits since shop@1.0.0.');
    const shown = await json('releases', 'show', 'shop@1.1.0');
    expect(shown).toMatchObject({
      release: { commit_sha: git('rev-parse', 'HEAD'), commits: 2 },
      commits: [
        { sha: git('rev-parse', 'HEAD'), author_name: 'Ada L', message: 'Add a till' },
        { message: 'Fix the cart\n\nSigned-off-by: Ada L' },
      ],
    });
    // With a repository in the settings, people get addresses of the commit and of what changed.
    const head = git('rev-parse', 'HEAD');
    const url = 'https://git.example/acme/shop';
    await json('projects', 'update', '--repositories', JSON.stringify([{ kind: 'gitea', url }]));
    for (const release of ['shop@1.0.0', 'shop@1.1.0'])
      await signedIn.fail(release, { context: { release } });
    const { out } = await signedIn.home.run(['releases', 'show', 'shop@1.1.0']);
    expect(out).toContain(`${url}/commit/${head}`);
    expect(out).toContain(`${url}/compare/${git('rev-parse', 'HEAD~2')}...${head}`);
    // Made again, it has the same; what git knows nothing of is no release before.
    await json('releases', 'create', 'unknown', '--commit', 'feedfacefeed');
    expect((await create('shop@1.1.0')).err).toContain('2 commits since shop@1.0.0.');
    expect((await create('none', '--commit', 'feedfacefeed')).code).toBe(2);
  });

  it('filter incidents by the first one in which they were seen', async () => {
    await signedIn.fail('released early', { context: { release: 'filter@1' } });
    await signedIn.fail('released late', { context: { release: 'filter@2' } });
    const { out } = await signedIn.home.run(['incidents', 'list', '-q', '--release', 'filter@2']);
    expect(out.trim().split('\n')).toEqual(await incidentIds('"released late"'));
    const search = await signedIn.home.run(['incidents', 'list', '-q', '--search', 'release:first:filter@2']);
    expect(search.out).toBe(out);
  });
});

describe('stack rules of a project', () => {
  it('are tried on past events before they are set, and can be taken away again', async () => {
    await signedIn.fail('regrouped by a rule');
    const rule = ['--stack-rule', '/app/* foreign'];
    const preview = await json('projects', 'preview-grouping', ...rule, '--hours', '1');
    expect(Number(preview.events_seen)).toBeGreaterThan(0);
    expect(await json('projects', 'show')).toMatchObject({ project: { stack_rules: [] } });
    const words = await signedIn.home.run(['projects', 'preview-grouping', '--no-stack-rules']);
    expect(words).toMatchObject({ code: 0, err: expect.stringContaining('0 merges, 0 splits.') });

    const set = await json('projects', 'update', ...rule, '--stack-rule', '*/vendor/* foreign');
    expect(set).toMatchObject({ project: { stack_rules: ['/app/* foreign', '*/vendor/* foreign'] } });
    const emptied = await json('projects', 'update', '--no-stack-rules');
    expect(emptied).toMatchObject({ project: { stack_rules: [] } });
  });

  it('have to be named, and not in two ways at once', async () => {
    const unnamed = await signedIn.home.run(['projects', 'preview-grouping']);
    expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining('--no-stack-rules') });
    const both = ['--stack-rule', '*/vendor/* own', '--no-stack-rules'];
    for (const command of ['preview-grouping', 'update']) {
      const refused = await signedIn.home.run(['projects', command, ...both]);
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('cannot be combined') });
    }
  });
});

describe('a project', () => {
  it('changes its key of incidents and when they resolve themselves', async () => {
    const moved = await json(
      'projects',
      'update',
      '--incident-key',
      'WALLETS',
      '--resolves-after-days',
      '30',
    );
    expect(moved).toMatchObject({ project: { incident_key: 'WALLETS', resolves_after_days: 30 } });
    const stopped = await json('projects', 'update', '--clear', 'resolves-after-days');
    expect(stopped).toMatchObject({ project: { resolves_after_days: null } });
  });
});

describe('people', () => {
  it('change how others see them and about what they are mailed', async () => {
    expect(await json('members', 'me', '--name', 'Grace')).toMatchObject({ profile: { name: 'Grace' } });
    expect(await json('notifications', 'set', '--notes', 'off', '--digest', '30')).toMatchObject({
      notifications: { watched: 'off', assigned: 'mail', digest_minutes: 30 },
    });
    expect(await json('notifications', 'set', '--ntfy', 'https://ntfy.example/my-topic')).toMatchObject({
      notifications: { ntfy: { url: 'https://ntfy.example/my-topic' } },
    });
    expect(await json('notifications', 'set', '--no-ntfy')).toMatchObject({ notifications: { ntfy: null } });
    const shown = await signedIn.home.run(['notifications', 'show']);
    expect(shown.out).toMatch(/watched +off/);
    expect((await signedIn.home.run(['notifications', 'set'])).code).toBe(2);
  });

  it('are put into teams, to which incidents are assigned', async () => {
    await signedIn.fail('for a team');
    const [id = ''] = await incidentIds('"for a team"');
    const made = await json('teams', 'create', 'crew', 'The crew');
    expect(made).toMatchObject({ team: { slug: 'crew', name: 'The crew', members: [] } });
    const added = await json('teams', 'add', 'crew', 'owner@one-to-one.test');
    expect(added).toMatchObject({ team: { members: [{ email: 'owner@one-to-one.test' }] } });
    expect((await signedIn.home.run(['teams', 'add', 'crew', 'no-one'])).code).toBe(3);
    const assigned = await signedIn.home.run(['incidents', 'assign', id, 'crew']);
    expect(assigned.out).toContain('Assigned to The crew:');
    await json('teams', 'rename', 'crew', '--slug', 'sailors');
    expect((await signedIn.home.run(['teams', 'list'])).out).toMatch(/sailors +The crew +1/);
    const granted = await json('groups', 'grant', 'dev', 'member', '--team', 'sailors', '--dry-run');
    expect(granted).toMatchObject({
      body: { group: 'dev', team_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    const without = await json('groups', 'grant', 'dev', 'member', '--team', 'none', '--dry-run');
    expect(without).toMatchObject({ body: { team_id: null } });
    expect(await json('teams', 'remove', '@sailors', 'owner@one-to-one.test')).toMatchObject({
      team: { members: [] },
    });
    expect((await signedIn.home.run(['teams', 'delete', 'sailors'])).code).toBe(2);
    expect(await json('teams', 'delete', 'sailors', '--yes')).toMatchObject({ team: { slug: 'sailors' } });
  });
});

describe('watching', () => {
  it('begins, is shown and ends', async () => {
    await signedIn.fail('to be watched');
    const [id = ''] = await incidentIds('"to be watched"');
    expect(await json('incidents', 'watch', id)).toMatchObject({ watch: { is_watched: true } });
    expect((await signedIn.home.run(['incidents', 'watch', id, '--show'])).out).toMatch(
      /^You are watching it\.\nWatched by .+\n$/,
    );
    expect(await json('incidents', 'unwatch', id)).toEqual({ watch: { is_watched: false, watchers: [] } });
  });
});

describe('views', () => {
  it('are saved, and renamed by their id', async () => {
    const saved = await json('views', 'save', 'Slow', '--search', 'type:Timeout*');
    const { view_id: id } = (saved as { view: { view_id: string } }).view;
    expect(await json('views', 'rename', id, 'Timeouts')).toMatchObject({
      view: { name: 'Timeouts', q: 'type:Timeout*' },
    });
    expect((await signedIn.home.run(['views', 'save', 'Again', '--id', id])).code).toBe(2);
  });
});

describe('ownership', () => {
  it('is tried, set and printed as a file, and applied', async () => {
    await signedIn.fail('to be owned');
    expect(await incidentIds('"to be owned"')).toHaveLength(1);
    const file = join(signedIn.home.path, 'CODEOWNERS');
    writeFileSync(file, '* owner@one-to-one.test\n');
    const tried = await signedIn.home.run(['ownership', 'preview', file, '--days', '7']);
    expect(tried.out).toMatch(/^(\d+) incidents, \1 with an owner/);
    expect(await json('ownership', 'set', file)).toMatchObject({ ownership: { version: 1 } });
    expect((await signedIn.home.run(['ownership', 'show'])).out).toBe('* owner@one-to-one.test\n');
    expect(await json('ownership', 'apply')).toEqual({ assigned: expect.any(Number) });
    expect(await incidentIds('is:mine "to be owned"')).toHaveLength(1);
    writeFileSync(file, 'a @b\nservice: @c\n');
    const wrong = await signedIn.home.run(['ownership', 'set', file]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Line 2: a value is missing')]);
    expect((await signedIn.home.run(['ownership', 'set', `${file}.none`])).code).toBe(3);
    writeFileSync(file, '');
    await json('ownership', 'set', file);
  });
});

describe('events', () => {
  it('are printed as they were accepted, one line each', async () => {
    await signedIn.fail('seen in the tail');
    const { code, out } = await signedIn.home.run(['events', 'tail', '--search', 'seen in the tail']);
    expect(code).toBe(0);
    expect(out).toContain('backend_exception');
    expect(out).toContain('seen in the tail');
    const running = signedIn.home.start(['events', 'tail', '--follow', '--json', '--search', 'come later']);
    await signedIn.fail('come later');
    await eventually(() => expect(running.out()).toContain('come later'));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });

  it('are counted again with another policy and one more rule, which changes nothing', async () => {
    await signedIn.fail('hidden by a rule');
    const args = ['--action', 'drop', '--match-message-contains', 'hidden by a rule', '--hours', '1'];
    const preview = await json('capture', 'preview', ...args);
    expect(preview).toMatchObject({ incidents_hidden: [{ events: 1 }] });
    expect(await json('capture', 'rules', 'list')).toMatchObject({ capture_rules: [] });
    expect((await signedIn.home.run(['capture', 'preview'])).code).toBe(2);
    const rule = args.slice(0, 4);
    const asked = await signedIn.home.run(['capture', 'rules', 'create', '--name', 'noise', ...rule]);
    expect(asked).toMatchObject({
      code: 2,
      err: expect.stringMatching(/would have dropped 1, and hidden ".*hidden by a rule"/),
    });
    const created = await json('capture', 'rules', 'create', '--name', 'noise', ...rule, '--disabled');
    const id = textAt(created, 'rule', 'id');
    const enabled = await signedIn.home.run(['capture', 'rules', 'enable', id]);
    expect(enabled).toMatchObject({ code: 2, err: expect.stringContaining('would have dropped 1') });
    expect((await signedIn.home.run(['capture', 'rules', 'delete', id, '--yes'])).code).toBe(0);
  });

  it('of probes are listed', async () => {
    expect(await json('probes', 'results')).toMatchObject({ results: [] });
  });
});

describe('alerts', () => {
  it('are tried on the past, tested, and their deliveries listed', async () => {
    await signedIn.fail('worth an alert');
    const rule = ['--channel', 'webhook', '--target-url', receiver.url, '--condition-type', 'new_incident'];
    const preview = await json('alerts', 'preview', ...rule);
    expect(Number(preview.messages)).toBeGreaterThan(0);
    expect(await json('alerts', 'list')).toMatchObject({ alerts: [] });
    const id = textAt(await json('alerts', 'create', ...rule), 'alert', 'alert_id');
    const judged = await json('alerts', 'verdicts', id, '--limit', '1');
    const later = { verdicts: [{ alert_id: id, verdict: 'created_later' }] };
    expect(judged).toMatchObject({ ...later, next_cursor: expect.toBeOneOf([expect.any(String), null]) });
    const [verdict] = Array.isArray(judged.verdicts) ? judged.verdicts : [];
    expect(await json('alerts', 'verdicts', textAt(verdict, 'short_id'))).toMatchObject(later);
    const snoozed = await signedIn.home.run([
      'incidents',
      'snooze',
      textAt(verdict, 'short_id'),
      '2027-02-30',
    ]);
    expect(snoozed).toMatchObject({ code: 2, err: expect.stringContaining('neither a duration nor a time') });
    const scope = ['--name', 'Pager', '--environment', 'prod*', '--environment', '!test', '--service', 'api'];
    const named = { name: 'Pager', environments: ['prod*', '!test'], services: ['api'], service_id: null };
    expect(await json('alerts', 'update', id, ...scope)).toMatchObject({ alert: named });
    const services = await json('services', 'list');
    const [service] = Array.isArray(services.services) ? services.services : [];
    const serviceId = textAt(service, 'service_id');
    expect(await json('alerts', 'update', id, '--service', serviceId)).toMatchObject({
      alert: { services: null, service_id: serviceId },
    });
    expect(await json('alerts', 'update', id, '--service', 'api')).toMatchObject({ alert: named });
    const cleared = ['name', 'environment', 'service'].flatMap((flag) => ['--clear', flag]);
    expect(await json('alerts', 'update', id, ...cleared)).toMatchObject({
      alert: { name: null, environments: null, services: null, service_id: null },
    });
    expect(await json('alerts', 'create', '--dry-run', ...rule, ...scope)).toMatchObject({
      body: { name: 'Pager', environments: ['prod*', '!test'], services: ['api'] },
    });
    await json('alerts', 'test', id);
    await receiver.received(1);
    await eventually(async () =>
      expect(await json('alerts', 'deliveries', id)).toMatchObject({ deliveries: [{ status: 'delivered' }] }),
    );
    expect((await signedIn.home.run(['alerts', 'delete', id, '--yes'])).code).toBe(0);
  });
});

describe('webhooks', () => {
  it('show a delivery as it was sent, and get a new secret', async () => {
    const created = await signedIn.home.run(['webhooks', 'create', '--target', receiver.url, '--json']);
    const hook: unknown = JSON.parse(created.out);
    const id = isJsonObject(hook) ? textAt(hook, 'webhook', 'webhook_id') : '';
    const tested = await json('webhooks', 'test', id, '--wait');
    const delivery = textAt(tested, 'delivery', 'delivery_id');
    const detail = await json('webhooks', 'delivery', id, delivery);
    expect(detail).toMatchObject({ attempts: [{}], body: expect.stringContaining('verification.passed') });
    const { out } = await signedIn.home.run(['webhooks', 'rotate-secret', id, '--yes']);
    expect(out).toMatch(/^svc_whsec_\S+\n$/);
    expect(created.out).not.toContain(out.trim());
  });
});

describe('trackers', () => {
  it('with a secret of ours are named beside it, and print it alone on standard output', async () => {
    const address = 'https://tickets.example.com/culprit';
    const args = ['trackers', 'create', '--kind', 'generic', '--base-url', address, '--target', 'support'];
    const { out, err } = await signedIn.home.run([...args, '--name', 'Helpdesk', '--sync-notes', 'true']);
    expect(out).toMatch(/^\w{43}\n$/);
    const { trackers } = await json('trackers', 'list');
    const [tracker] = Array.isArray(trackers) ? trackers : [];
    expect(tracker).toMatchObject({ sync_notes: true, sync_assignee: 'none' });
    for (const fact of [textAt(tracker, 'tracker_id'), 'Helpdesk', address, 'support', 'is shown once']) {
      expect(err).toContain(fact);
    }
    expect(err).not.toContain(out.trim());
    const id = textAt(tracker, 'tracker_id');
    expect(await json('trackers', 'tickets', id, '--query', 'cart')).toEqual({ tickets: [] });
    expect(await json('trackers', 'fields', id)).toEqual({ priorities: [], labels: [] });
    expect(await signedIn.home.run(['trackers', 'fields', id])).toMatchObject({
      ...{ code: 0, out: '', err: 'The tracker lists no priorities and no labels.\n' },
    });
  });
});

describe('template alerts', () => {
  it('have bodies to start from, which are listed and printed as JSON', async () => {
    const { templates } = await json('alerts', 'templates');
    const ids = (Array.isArray(templates) ? templates : []).map((each) => textAt(each, 'id'));
    expect(ids).toEqual(
      expect.arrayContaining(['google-chat', 'feishu', 'zulip', 'opsgenie', 'incident-io']),
    );
    expect((await signedIn.home.run(['alerts', 'templates'])).out).toContain('Google Chat');
    for (const id of ids) {
      const { code, out } = await signedIn.home.run(['alerts', 'templates', id]);
      expect([id, code]).toEqual([id, 0]);
      expect(out).toContain('{{headline}}');
      // Each is printed in the form that the command to create a rule accepts.
      const made = await signedIn.home.run([
        ...['alerts', 'create', '--channel', 'template', '--condition-type', 'new_incident'],
        ...['--target-url', 'https://chat.example.com/x', '--body', out, '--dry-run'],
      ]);
      expect([id, made.code, made.err]).toEqual([id, 0, expect.any(String)]);
    }
    expect((await signedIn.home.run(['alerts', 'templates', 'x'])).code).toBe(2);
  });
});

describe('DSN keys', () => {
  it('are created, changed and revoked, and the first one is printed as an address', async () => {
    const { keys } = await json('keys', 'list');
    const [first] = Array.isArray(keys) ? keys : [];
    const dsn = textAt(first, 'dsn');
    expect((await signedIn.home.run(['dsn'])).out).toBe(`${dsn}\n`);
    expect((await signedIn.home.run(['dsn', '--env', 'SENTRY_DSN'])).out).toBe(`SENTRY_DSN=${dsn}\n`);
    expect((await signedIn.home.run(['dsn', '--env', 'SENTRY DSN'])).code).toBe(2);
    const created = await json(
      'keys',
      'create',
      '--label',
      'pages',
      '--allowed-origin',
      'https://shop.example',
    );
    const id = textAt(created, 'key', 'token_id');
    expect((await signedIn.home.run(['dsn'])).out).toBe(`${dsn}\n`);
    const changed = await json('keys', 'update', id, '--any-origin', '--events-per-minute', '60');
    expect(changed).toMatchObject({ key: { allowed_origins: [], events_per_minute: 60, label: 'pages' } });
    const cleared = await json('keys', 'update', id, '--clear', 'events-per-minute');
    expect(cleared).toMatchObject({ key: { events_per_minute: null } });
    expect((await signedIn.home.run(['keys', 'revoke', id])).err).toContain('get 401 immediately');
    expect(await json('keys', 'revoke', id, '--yes')).toMatchObject({
      key: { revoked_at: expect.any(String) },
    });
    expect((await signedIn.home.run(['keys', 'list', '-q'])).out).not.toContain(id);
  });
});

describe('tokens', () => {
  it('one is rotated: the new one is printed once, and the list says when the old one ends', async () => {
    const made = await json('tokens', 'create', '--label', 'shop server');
    const id = textAt(made.token, 'token_id');
    const rotated = await signedIn.home.run(['tokens', 'rotate', id]);
    expect([rotated.code, rotated.out.trim()]).toEqual([0, expect.stringMatching(/^svc_proj_/)]);
    // What is printed once is named by what lists show.
    expect(rotated.err).toMatch(/^token_id: tok_\S+\nlabel: shop server\n/);
    const old = { token_id: id, label: 'shop server', revoked_at: null, expires_at: expect.any(String) };
    const fresh = { label: 'shop server', revoked_at: null, expires_at: null };
    const listed = async () => (await json('tokens', 'list')).tokens;
    for (const each of [fresh, old])
      expect(await listed()).toEqual(expect.arrayContaining([expect.objectContaining(each)]));
    expect((await signedIn.home.run(['tokens', 'list'])).out).toMatch(/ends \d{4}-/);
    expect((await signedIn.home.run(['tokens', 'rotate', id, '--overlap-hours', '0'])).code).toBe(0);
    expect(JSON.stringify(await listed())).not.toContain(id);
  });

  it('are found behind revoked ones, and one that is revoked is named with its last use', async () => {
    await signedIn.home.run(['tokens', 'create', '--member', '--label', 'oldest', '-q']);
    for (const label of ['newer', 'newest']) {
      await signedIn.home.run(['tokens', 'create', '--member', '--label', label, '-q']);
      const { tokens } = await json('tokens', 'list', '--member', '--limit', '1');
      const id = textAt(Array.isArray(tokens) ? tokens[0] : undefined, 'token_id');
      const asked = await signedIn.home.run(['tokens', 'revoke', id, '--member']);
      expect(asked).toMatchObject({
        code: 2,
        err: expect.stringContaining(`Revoke ${id} "${label}"? It was never used.`),
      });
      expect((await signedIn.home.run(['tokens', 'revoke', id, '--member', '--yes'])).code).toBe(0);
    }
    const first = await json('tokens', 'list', '--member', '--limit', '1');
    expect(first).toMatchObject({ tokens: [{ label: 'oldest' }], next_cursor: expect.any(String) });
    const next = await json(
      'tokens',
      'list',
      '--member',
      '--limit',
      '1',
      '--cursor',
      String(first.next_cursor),
    );
    expect(next).toMatchObject({ tokens: [{ is_current: true, revoked_at: null }] });
    const { out } = await signedIn.home.run(['tokens', 'list', '--member', '--revoked']);
    expect(out).not.toMatch(/revoked[\s\S]* live /);
  });
});

describe('capacity', () => {
  it('is asked for by the units of a month that it leads to', async () => {
    for (const verb of ['increase', 'reduce']) {
      const asked = await signedIn.home.run(['billing', 'capacity', verb, '2']);
      expect(asked).toMatchObject({
        code: 2,
        err: expect.stringMatching(/Units of a month: \d+ now, \d+ \(\d+ of the plan and 2 additional\)/),
      });
    }
    expect((await signedIn.home.run(['billing', 'trial'])).err).toContain('trial of the plan team');
  });
});

describe('a role that is too low', () => {
  it('is named with its project and whom to ask, and so is a token that may only read', async () => {
    const { projectId } = signedIn.project;
    const { memberToken: low } = await createCollaborator(culprit, signedIn.project, 'member');
    const readOnly = ['tokens', 'create', '--member', '--label', 'reads', '--access', 'read', '-q'];
    const reading = (await signedIn.home.run(readOnly)).out.trim();
    const refusedTo = ['capture', 'policy', 'set', '--preset', 'minimal'];
    for (const [token, words] of [
      [low, /Your role in `\S+` is member; this needs admin\.\n {2}→ ask the owner, owner@one-to-one\.test/],
      [reading, /Your role in `\S+` is owner, which is enough, but the token can only read\./],
    ] as const) {
      const environment = { CULPRIT_TOKEN: token, CULPRIT_URL: culprit.url, CULPRIT_PROJECT: projectId };
      const refused = await signedIn.home.run(refusedTo, { environment });
      expect(refused).toMatchObject({ code: 5, err: expect.stringMatching(words) });
    }
  });
});

describe('sessions', () => {
  /** Runs a command that asks for a mailed code, which it is given. */
  async function withCode(email: string, ...args: string[]) {
    await culprit.database.query(
      { name: 'test-forget-messages', text: 'delete from sign_in_mails where email = $1' },
      [email],
    );
    const seen = (await mailsTo(culprit.mailDirectory, email, CODE_SUBJECT)).length;
    const running = signedIn.home.start([...args, '--email', email, '--accept-terms', '--code-file', '-']);
    running.write(`${codeIn(await nextMail(culprit.mailDirectory, email, seen, CODE_SUBJECT))}\n`);
    running.closeInput();
    return await running.ended;
  }
  const isSignedIn = async (headers: Record<string, string>) =>
    (await fetch(`${culprit.url}/v1/account/sessions`, { headers })).status === 200;

  it('are listed by whoever reads the mail, without the one of the command', async () => {
    const email = 'lists@sessions.test';
    await culprit.signIn(email);
    const listed = await withCode(email, 'sessions', 'list', '-q');
    expect(listed).toMatchObject({ code: 0, out: expect.stringMatching(/^\S+\n$/) });
  });

  it('are ended at once', async () => {
    const email = 'ends@sessions.test';
    const browser = await culprit.signIn(email);
    const tried = await withCode(email, 'sessions', 'end', '--all', '--dry-run', '-q');
    expect(tried).toMatchObject({ code: 0, out: expect.stringMatching(/^\S+\n$/) });
    expect(await isSignedIn(browser.headers)).toBe(true);
    const ended = await withCode(email, 'sessions', 'end', '--all', '--yes', '-q');
    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^\S+\n$/) });
    expect(await isSignedIn(browser.headers)).toBe(false);
  });
});
