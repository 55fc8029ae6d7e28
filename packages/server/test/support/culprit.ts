import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import type { InstallationSettings } from '../../src/installation/findings/inspect-installation.ts';
import { MAP_DEFAULTS, type MapSettings } from '../../src/maps/map-settings.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { readMigrations } from '../../src/platform/db/migrate.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { isLoopbackUrl } from '../../src/platform/loopback-url.ts';
import type { MailSettings } from '../../src/platform/mail/mail-transport.ts';
import type { ObjectStoreLocation } from '../../src/platform/objects/open-object-store.ts';
import type { OutboundPolicy } from '../../src/platform/outbound/outbound-policy.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { startApi } from '../../src/roles/api.ts';
import type { ApiOptions, ApiRole } from '../../src/roles/api-options.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import type { DeliverySettings } from '../../src/roles/settings.ts';
import type { ThreadDuty } from '../../src/roles/thread-settings.ts';
import { startWorker, type WorkerRole } from '../../src/roles/worker.ts';
import type { OperatorSettings } from '../../src/workspace/accounts/operators.ts';
import type { SignInSettings } from '../../src/workspace/accounts/sign-in-settings.ts';
import type { Plan, PlanSettings } from '../../src/workspace/billing/plan.ts';
import { normalizeOrigin } from '../../src/workspace/tokens/allowed-origin.ts';
import { createToken, tokenHash, tokenPreview } from '../../src/workspace/tokens/token.ts';
import { insertProjectToken } from '../../src/workspace/tokens/tokens.queries.ts';
import { removeFirstAlert } from './first-alert.ts';
import { CONTRACT_DELIVERIES, LOCAL_RECEIVERS } from './receivers-allowed.ts';
import { THREAD_PROGRAM } from './server-program.ts';
import { type SignedInBrowser, signInByMail } from './sign-in.ts';
import { createTestDatabase } from './test-database.ts';

/** A running service on a database and object directory of its own: the real API over real HTTP and real workers. */
export interface TestCulprit {
  url: string;
  database: Database;
  databaseUrl: string;
  /** Where its objects are as files, unless a test chose another store. */
  objectDirectory: string;
  objectStore: ObjectStoreLocation;
  /** Where its worker leaves mail as files, unless a test chose another transport; see `mailbox.ts`. */
  mailDirectory: string;
  baseUrl: string;
  dataKey: Secret<Buffer>;
  outbound: OutboundPolicy;
  deliveries: DeliverySettings;
  signInSettings: SignInSettings;
  /** What the operator page judges by. */
  installation: InstallationSettings;
  /** A browser session of the person with this address, made by asking for a code and reading the mail. */
  signIn(email: string): Promise<SignedInBrowser>;
  /**
   * A project with its owner's member token and an unrestricted project token. Without `firstAlert` it has no alert
   * rule, so that tests meet the rules that they create and no others.
   */
  createProject(options?: {
    plan?: Plan;
    preset?: string;
    name?: string;
    email?: string;
    firstAlert?: boolean;
  }): Promise<TestProject>;
  /** One more project token. */
  createProjectToken(projectId: string, allowedOrigins?: readonly string[]): Promise<string>;
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  /** Waits until no job is left that could run now. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestProject {
  projectId: string;
  projectToken: string;
  memberToken: string;
  userId: string;
  name: string;
}

export interface TestCulpritOptions {
  plans?: PlanSettings;
  limits?: ApiOptions['limits'];
  /** How long streams of changes live; as in the contract unless said otherwise. */
  streamTimes?: ApiOptions['streamTimes'];
  retryScale?: number;
  hasWorker?: boolean;
  /** Of the API to the database. */
  connectionsMax?: number;
  /** Threads of the worker; without any it only runs background services such as mail, and starts at once. */
  duties?: readonly ThreadDuty[];
  /** Any free one unless a test names it. */
  port?: number;
  baseUrl?: string;
  appUrl?: string;
  signIn?: Partial<SignInSettings>;
  /** Nobody is one unless a test says otherwise. */
  operators?: Partial<OperatorSettings>;
  github?: ApiOptions['github'];
  oidc?: ApiOptions['oidc'];
  slack?: ApiOptions['slack'];
  /** Who brings it may read `/metrics` from anywhere. */
  metricsToken?: string;
  /** What agents may do at `/mcp`; reading unless a test says otherwise. */
  mcp?: ApiOptions['mcp'];
  /** The built dashboard; none is served without. */
  dashboardDirectory?: string;
  /** The built packages; none are handed out without. */
  packagesDirectory?: string;
  /** Off unless a test is about it. */
  canary?: ApiOptions['canary'];
  /** Where log lines go, for tests that read them. */
  log?: ApiOptions['log'];
  mail?: Partial<MailSettings>;
  corsOrigins?: readonly string[];
  trustedProxies?: readonly string[];
  /** What is kept of source maps; as without settings unless said otherwise. */
  maps?: Partial<MapSettings>;
  /** A prepared database, perhaps behind a proxy; without it one is made. */
  databaseUrl?: string;
  /** Another store than files in a directory of its own. */
  objectStore?: ObjectStoreLocation;
  outbound?: Partial<OutboundPolicy>;
  /** How webhook deliveries are repeated; as in the contract unless said otherwise. */
  deliveries?: Partial<DeliverySettings>;
}

/** Plan limits off, as a fresh installation has them. */
export const SELF_HOSTED: PlanSettings = {
  source: 'config',
  defaultPlan: 'team',
  isEnforced: false,
  ingestionRatePerMinute: { free: 60, solo: 300, team: 1000 },
  retention: { rawDays: 30, incidentDays: 90 },
};
/** Documented plans, each organization its own. */
export const HOSTED: PlanSettings = {
  source: 'account',
  defaultPlan: 'free',
  isEnforced: true,
  ingestionRatePerMinute: { free: 60, solo: 300, team: 1000 },
  retention: { rawDays: 30, incidentDays: 90 },
};

/** The settings that the operator page judges by, of a service whose database is one of PostgreSQL's own. */
function installationOf(service: {
  baseUrl: string;
  objectStore: ObjectStoreLocation;
  objectDirectory: string;
  mail: MailSettings;
  canary: ApiOptions['canary'];
}): InstallationSettings {
  return {
    warnings: [],
    // Never opened with it.
    databaseUrl: new Secret('postgres://elsewhere'),
    operators: null,
    isDatabaseDurabilityVouched: false,
    isCanaryOn: service.canary !== null,
    dataDir: dirname(service.objectDirectory),
    objectStore: service.objectStore,
    freeSpaceMinBytes: 1,
    emailTransport: service.mail.transport,
    smtpUrl: service.mail.smtpUrl,
    emailFrom: service.mail.from,
    baseUrl: service.baseUrl,
    isBaseUrlLoopback: isLoopbackUrl(service.baseUrl),
  };
}

const DRAIN_TIMEOUT_MS = 30_000;

export async function startCulprit(options: TestCulpritOptions = {}): Promise<TestCulprit> {
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase());
  const directory = await mkdtemp(join(tmpdir(), 'culprit-test-'));
  const objectDirectory = join(directory, 'objects');
  const objectStore: ObjectStoreLocation = options.objectStore ?? {
    kind: 'files',
    directory: objectDirectory,
  };
  const log =
    options.log ??
    createLogger({
      level: process.env.CULPRIT_TEST_LOG ?? 'fatal',
      role: 'test',
      toStandardError: true,
    });
  const plans = options.plans ?? SELF_HOSTED;
  const baseUrl = options.baseUrl ?? 'http://localhost:4800';
  const appUrl = options.appUrl ?? baseUrl;
  const mailDirectory = join(directory, 'mail');
  const mail: MailSettings = {
    transport: 'file',
    smtpUrl: null,
    from: 'Culprit <culprit@example.test>',
    directory: mailDirectory,
    ...options.mail,
  };
  const signInSettings: SignInSettings = {
    signup: 'open',
    signupDomains: [],
    requestsPerMinute: 600,
    isCookieSecure: false,
    mailTransport: mail.transport,
    codesFor: 'everyone',
    termsUrl: null,
    host: new URL(baseUrl).host,
    ...options.signIn,
  };
  const dataKey = new Secret(randomBytes(32));
  const outbound: OutboundPolicy = {
    ...LOCAL_RECEIVERS,
    isLoopbackAllowed: isLoopbackUrl(baseUrl),
    ...options.outbound,
  };
  const deliveries: DeliverySettings = { ...CONTRACT_DELIVERIES, ...options.deliveries };
  const installation = installationOf({
    baseUrl,
    objectStore,
    objectDirectory,
    mail,
    canary: options.canary ?? null,
  });
  const maps = { ...MAP_DEFAULTS, ...options.maps };
  let worker: WorkerRole | null = null;
  const api: ApiRole = await startApi({
    databaseUrl,
    connectionsMax: options.connectionsMax ?? 8,
    objectStore,
    host: '127.0.0.1',
    port: options.port ?? 0,
    baseUrl,
    appUrl,
    corsOrigins: options.corsOrigins ?? [],
    trustedProxies: options.trustedProxies ?? [],
    plans,
    signIn: signInSettings,
    operators: { emails: [], isFirstOwner: false, ...options.operators },
    installation,
    dataKey,
    outbound,
    freeSpaceMinBytes: 1,
    drainMs: 0,
    migrations: await readMigrations(MIGRATIONS_FOLDER),
    version: 'test',
    mcp: options.mcp ?? 'read',
    dashboardDirectory: options.dashboardDirectory ?? null,
    packagesDirectory: options.packagesDirectory ?? null,
    canary: options.canary ?? null,
    metrics: {
      token: options.metricsToken === undefined ? null : new Secret(options.metricsToken),
      askWorker: async () => (await worker?.metrics()) ?? null,
    },
    log,
    github: options.github ?? null,
    oidc: options.oidc ?? null,
    slack: options.slack ?? null,
    maps,
    verifiesResponses: true,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.streamTimes === undefined ? {} : { streamTimes: options.streamTimes }),
  });
  const database = openDatabase({ url: databaseUrl, connectionsMax: 4, applicationName: 'culprit-test' });

  async function launchWorker(): Promise<void> {
    const constants = { baseUrl, appUrl };
    const { logLevel, retryScale } = { logLevel: log.level, retryScale: options.retryScale ?? 1 };
    const duties = options.duties ?? ['events', 'bundles'];
    worker = await startWorker(
      {
        databaseUrl,
        objectStore,
        plans,
        constants,
        logLevel,
        retryScale,
        duties,
        maps,
        ...(THREAD_PROGRAM === undefined ? {} : { threadProgram: THREAD_PROGRAM }),
        background: { mail, dataKey, outbound, deliveries },
      },
      log,
    );
  }
  if (options.hasWorker !== false) await launchWorker();

  return {
    url: api.address,
    database,
    databaseUrl,
    objectDirectory,
    objectStore,
    mailDirectory,
    baseUrl,
    dataKey,
    outbound,
    deliveries,
    signInSettings,
    installation,
    signIn: (email) => signInByMail({ url: api.address, database, mailDirectory }, email),
    async createProject({ plan, preset, name = 'shop', email, firstAlert = false } = {}) {
      const result = await bootstrap(database, {
        email: email ?? `owner-${newUuid()}@example.test`,
        projectName: name,
        baseUrl,
        plans: plan === undefined ? plans : { ...plans, defaultPlan: plan },
      });
      const projectId = parseId(['proj'], result.project_id) ?? '';
      // Without plan limits nothing is refused, unless a test names the preset.
      const chosen = preset ?? (plans.isEnforced ? undefined : 'investigative');
      if (chosen !== undefined) {
        await database.query(
          { name: 'test-preset', text: 'update projects set capture_preset = $2 where project_id = $1' },
          [projectId, chosen],
        );
      }
      if (!firstAlert) await removeFirstAlert(database, projectId);
      return {
        projectId: result.project_id,
        projectToken: result.project_token,
        memberToken: result.member_token,
        userId: result.user_id,
        name,
      };
    },
    async createProjectToken(projectId, allowedOrigins = []) {
      const token = createToken('project');
      await insertProjectToken(database, {
        tokenId: newUuid(),
        projectId: parseId(['proj'], projectId) ?? '',
        label: 'test',
        hash: tokenHash(token),
        preview: tokenPreview(token),
        allowedOrigins: allowedOrigins.flatMap((origin) => normalizeOrigin(origin) ?? []),
        createdByUserId: null,
      });
      return token;
    },
    async stopWorker() {
      await worker?.stop();
      worker = null;
    },
    startWorker: launchWorker,
    async drain() {
      const deadline = performance.now() + DRAIN_TIMEOUT_MS;
      while (performance.now() < deadline) {
        const [row] = await database.query<{ due: number }>({
          name: 'test-due-jobs',
          text: `select count(*)::integer as due from jobs
            where run_at <= culprit_now() + interval '50 ms' or leased_until > culprit_now()`,
        });
        if (row?.due === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('jobs are still waiting');
    },
    async stop() {
      await worker?.stop();
      await api.stop();
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
