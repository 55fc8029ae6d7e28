import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from '@culprit/contract/endpoints/client';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import { listProjects } from '@culprit/contract/workspace/projects';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connect } from '../../../../demo/service/connect.ts';
import { type ServiceApi, serviceApi } from '../../../../demo/service/service-api.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { reservePort } from '../support/reserved-port.ts';
import { SERVER } from '../support/server-program.ts';

const DEMO = fileURLToPath(new URL('../../../../demo/run.ts', import.meta.url));
const TIMEOUT_MS = 240_000;

describe('the demo', () => {
  let directory: string;
  let environment: NodeJS.ProcessEnv;
  let server: ChildProcess;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'culprit-demo-'));
    const port = await reservePort();
    environment = environmentFor(port, directory);
    server = spawn(process.execPath, [SERVER], { env: environment, stdio: 'ignore' });
    await eventually(async () => {
      if (server.exitCode !== null) return;
      expect((await fetch(`http://localhost:${port}/ready`)).status).toBe(200);
    });
    expect(server.exitCode, 'the server ended').toBeNull();
  });
  afterAll(async () => {
    if (server.exitCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    }
    await rm(directory, { recursive: true, force: true });
  });

  it('shows incidents, a regression, a bundle and its reproduction, and finds all of it as it should be', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { code, output } = await runDemo(environment);
    expect(output).toMatch(/^All \d+ expectations held, in /m);
    expect(output).not.toContain('Missing:');
    expect(code).toBe(0);
    const connection = await connect(environment, { email: undefined, ask: null });
    const [worst] = await attentionOf(connection);
    expect(worst?.title).toBe('PaymentError: the payment was not taken (ECONNRESET)');
    expect(output).toMatch(/^critical +open +1 +shop-api +PaymentError: /m);
    expect(output).toMatch(/^Status +regressed at \d{4}-/m);
    expect(output).toMatch(/^ +authorization: \[REDACTED\]$/m);
    expect(output).not.toContain('correct-horse-battery');
    expect(output).toMatch(/^curl -X POST 'http:\/\/localhost:\d+\/api\/checkout' /m);
    expect(output).toMatch(/^Answer +HTTP 500 /m);
    expect(output).toMatch(/^Occurrences +3 before, 4 after$/m);
    expect(output).toMatch(
      /^Explained +Same text but for one word: .*no voucher of \[anna, boris, chloe, …\]/m,
    );
    expect(output).toMatch(/^Stays closed +elena /m);
  });

  it('can be repeated on the same data, where the incidents go on', { timeout: TIMEOUT_MS }, async () => {
    const { code, output } = await runDemo(environment);
    expect(output).not.toContain('Missing:');
    expect(code).toBe(0);
    expect(output).toMatch(/^Occurrences +7 before, 8 after$/m);
  });

  it('gives its project to the only account, and asks for a name where there are several', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const alone = { email: undefined, ask: null };
    expect(await connect(environment, alone)).toMatchObject({ email: 'demo@example.test' });

    const ada = await connect(environment, { ...alone, email: 'ada@example.com' });
    const client = createClient({ baseUrl: ada.baseUrl, token: ada.memberToken });
    const projects = await client.call(listProjects);
    if (!projects.ok) throw new Error(projects.error);
    expect(projects.body.projects.map(({ name, effective_role: role }) => `${name}: ${role}`).sort()).toEqual(
      ['Demo shop: admin', 'Demo shop: owner'],
    );
    expect(await connect(environment, alone)).toMatchObject({ email: 'ada@example.com' });

    await connect(environment, { ...alone, email: 'ben@example.test' });
    await expect(connect(environment, alone)).rejects.toThrow(
      'There are 2 accounts. Name the one that gets the project: npm run demo -- --email ADDRESS',
    );
    const asked = { email: undefined, ask: async () => 'ben@example.test' };
    expect(await connect(environment, asked)).toMatchObject({ email: 'ben@example.test' });
  });

  it('sends two weeks of a busy project, and nothing when it is repeated', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const busy = ['--data', 'busy', '--email', 'busy@example.test'];
    const { code, output } = await runDemo(environment, busy);
    expect(output).toMatch(/^All \d+ expectations held, in /m);
    expect(code).toBe(0);

    const owner = { email: 'busy@example.test', ask: null };
    const connection = await connect(environment, owner, 'Busy shop');
    const api = serviceApi(connection);
    const incidents = await api.incidents();
    expect(incidents).toHaveLength(60);
    expect(new Set(incidents.map(({ service_name: name }) => name)).size).toBe(7);
    const { regressed, resolved } = Object.groupBy(incidents, ({ status }) => status);
    expect(regressed?.map(({ title }) => title)).toEqual([expect.stringMatching(/^GiftCardError: .*🎁💳$/u)]);
    expect(resolved).toHaveLength(6);
    expect(incidents.filter(({ severity }) => severity === 'critical').map(({ title }) => title)).toEqual([
      expect.stringMatching(/^PaymentDeclinedError: /),
    ]);
    const spiking = incidents.filter(({ spike_detected_at: at }) => at !== null);
    expect(spiking.map(({ title }) => title)).toEqual(['TypeError: cart.lines.map is not a function']);
    // What needs attention is few, the urgent of all kinds first.
    const attention = await attentionOf(connection);
    const levels = attention.map(({ triage }) => triage.priority.level);
    expect(levels).toEqual(['urgent', 'urgent', 'urgent', 'high', 'high', 'high']);
    const urgent = attention.slice(0, 3);
    expect(urgent.flatMap(({ triage }) => triage.priority.reasons)).toEqual(
      expect.arrayContaining(['critical', 'regressed', 'spiking_for_many']),
    );
    // Row 6: the critical one first, the spike among the first three, and no level with more than 60 % of the rows.
    expect(urgent[0]?.severity).toBe('critical');
    expect(urgent.filter(({ spike_detected_at: at }) => at !== null)).toHaveLength(1);
    const shares = Object.values(Object.groupBy(levels, (level) => level)).map(
      (of) => of.length / levels.length,
    );
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.6);
    const titles = incidents.map(({ title }) => title).join('\n');
    for (const script of [
      /\p{Script=Han}/u,
      /\p{Script=Arabic}/u,
      /\p{Script=Cyrillic}/u,
      /\p{Emoji_Presentation}/u,
    ]) {
      expect(titles).toMatch(script);
    }
    const times = incidents.flatMap((each) => [each.first_seen_at, each.last_seen_at]).sort();
    const days = (Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '')) / 86_400_000;
    expect(Math.round(days)).toBe(14);

    // The last deploy comes after the first bundle, which follows it a little later.
    const main = await eventually(async () => {
      const bundle = await bundleOf(api, incidents, "reading 'country'");
      expect(bundle.context.deploy).toMatchObject({
        deploy_version: '4.19.0',
        commit_sha: expect.any(String),
      });
      return bundle;
    });
    expect(main.impact.affected_users_estimate).toBe(400);
    expect(main.context.stack?.frames[0]?.context_line).toContain('ZONES.get(address.country)');
    expect(JSON.stringify(main.context.request)).toContain('田中さん');
    expect(JSON.stringify(main)).not.toContain('not-shown');
    expect(
      (await bundleOf(api, incidents, 'Maximum call stack')).context.error?.stack?.match(/^ {4}at /gm),
    ).toHaveLength(160);

    const again = await runDemo(environment, busy);
    expect(again.output).toContain('All events are there already; none was sent.');
    expect(again.code).toBe(0);
    expect(await api.incidents()).toEqual(incidents);
  });

  it('says how to start the server when none runs', async () => {
    const { code, errors } = await runDemo(environmentFor(await reservePort(), directory));
    expect(errors).toContain('npm start');
    expect(code).toBe(1);
  });
});

async function bundleOf(api: ServiceApi, incidents: readonly Incident[], text: string): Promise<DebugBundle> {
  const id = incidents.find(({ title }) => title.includes(text))?.incident_id ?? '';
  return await eventually(async () => {
    const bundle = await api.bundle(id);
    if (typeof bundle === 'string') throw new Error(bundle);
    return bundle;
  });
}

/** What the dashboard shows first: the view "Needs attention". */
async function attentionOf(connection: Connection): Promise<Incident[]> {
  const client = createClient({ baseUrl: connection.baseUrl, token: connection.memberToken });
  const query = {
    project_id: connection.projectId,
    status: 'active',
    sort: 'priority',
    q: 'priority:>=high -is:snoozed',
  } as const;
  return expectOk(await client.call(listIncidents, { query })).incidents;
}

async function runDemo(
  environment: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [DEMO, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code, output, errors };
}

/** Ours, without what the test run itself is set up with: the program refuses settings it does not know. */
function environmentFor(port: number, dataDir: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('CULPRIT_'));
  return {
    ...Object.fromEntries(others),
    CULPRIT_PORT: String(port),
    CULPRIT_DATA_DIR: dataDir,
    CULPRIT_BASE_URL: `http://localhost:${port}`,
  };
}
