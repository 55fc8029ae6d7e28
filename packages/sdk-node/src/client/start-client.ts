import { createClient, type Step } from '../../../sdk-core/src/client.ts';
import { createClockCheck } from '../../../sdk-core/src/clock.ts';
import { createConfig } from '../../../sdk-core/src/config.ts';
import type { DiagnosticCode, DiagnosticData } from '../../../sdk-core/src/diagnostics.ts';
import { createEventIds } from '../../../sdk-core/src/event-id.ts';
import { createJudge, presetPolicy } from '../../../sdk-core/src/policy.ts';
import { createDirectives } from '../../../sdk-core/src/probes/directives.ts';
import { createDiagnosticPrinter } from '../../../sdk-core/src/probes/lines.ts';
import { createProbeRing } from '../../../sdk-core/src/probes/probe-ring.ts';
import { createProbes } from '../../../sdk-core/src/probes/probes.ts';
import { createCleaning } from '../../../sdk-core/src/redaction/clean.ts';
import { createRedaction } from '../../../sdk-core/src/redaction/redact.ts';
import { SERVER_PATTERNS } from '../../../sdk-core/src/redaction/redact-node.ts';
import { readValuePatterns } from '../../../sdk-core/src/redaction/redact-values.ts';
import {
  createBeforeSendStep,
  createIgnoreStep,
  createSamplingStep,
} from '../../../sdk-core/src/repeats/steps.ts';
import { createRulesStep } from '../../../sdk-core/src/rules.ts';
import { tokenPreview } from '../../../sdk-core/src/sending/endpoint.ts';
import type { Answer } from '../../../sdk-core/src/sending/host.ts';
import { SDK_VERSION } from '../../../sdk-core/src/version.ts';
import { createDependencyMonitor } from '../capture/dependency-monitor.ts';
import { readReleaseOfBuild } from '../facts/build-facts.ts';
import { ENVIRONMENT } from '../facts/environment.ts';
import { findGit, shortCommit } from '../facts/git-facts.ts';
import type { PackageFacts } from '../facts/nearest-package.ts';
import { type LeftFiles, ownerOf } from '../local/owned-directory.ts';
import { openSpool, SPOOL_BOUNDS, type Spool } from '../local/spool.ts';
import { Scopes } from '../scope/scopes.ts';
import { createDeliveryParts, type DeliveryParts } from '../transport/delivery-parts.ts';
import { SDK_NAME } from '../transport/ingestion.ts';
import { createSpooling, type Spooling } from '../transport/spooling.ts';
import { createVerdicts, type Verdicts } from '../transport/verdicts.ts';
import { createNodeHost } from './node-host.ts';
import type { NodeOptions } from './node-options.ts';
import { captureOwnContext } from './own-context.ts';
import type { ResolvedOptions } from './resolve-options.ts';
import type { Runtime } from './runtime.ts';
import { createTriggers } from './trigger-tokens.ts';

/** Bounds of docs/contract/clients.md 7.3, 8.1, 8.2 and 10.3 for Node. */
const BATCH_EVENTS = 50;
const BATCH_BYTES = 524_288;
const INTERVAL_MS = 2_000;
const SIGNAL_INTERVAL_MS = 250;
const MAX_EVENTS = 1_000;
const MAX_BYTES = 8_388_608;
const STALE_MS = 1_800_000;
const EVENT_BYTES = 131_072;
const STORM_MAX = 300;

/** The parts of a client, before anything is subscribed. */
export interface ClientParts {
  runtime: Runtime;
  delivery: DeliveryParts;
  /** Null where nothing is kept on disk. */
  spool: Spool | null;
  spooling: Spooling | null;
  verdicts: Verdicts;
  report(code: DiagnosticCode, data?: DiagnosticData): void;
  /** Begins to ask for the configuration of the project. */
  startConfig(): void;
  stopConfig(): void;
}

/** Makes the client of these options. */
export function createParts(options: ResolvedOptions, nearest: PackageFacts): ClientParts {
  const { given, service: name, environment } = options;
  const scopes = new Scopes();
  const own = captureOwnContext(scopes);
  const report = createReporter(options);
  const delivery = createDeliveryParts(options, report);
  const spool = openSpoolOf(options, delivery, report);
  const verdicts = createVerdicts(delivery.send);
  const noteAnswer = (answer: Answer) => spooling?.note(answer);
  const host = createNodeHost(own, verdicts.send, report);
  const redaction = createRedaction(texts(given.redactKeys), [
    ...SERVER_PATTERNS,
    ...readValuePatterns(Array.isArray(given.redactValues) ? given.redactValues : []),
  ]);
  const startCleaner = createCleaning(host, redaction);
  const service = { name, environment, runtime: 'node', framework: null };
  const directives = createDirectives(service, () => client.now());
  const config = createConfig(host, {
    fetch: async (etag) => {
      const answer = await own.run(() => delivery.fetchConfig(etag));
      verdicts.note(answer);
      noteAnswer(answer);
      return answer;
    },
    polls: true,
    onDecided: () => client.judgeWaiting(),
    onDirectives: (list) => directives.set(list),
    onRefused: (status) => client.stop(status),
    onAccepted: () => client.resume(),
  });
  let cancelStart = () => {};
  const hasConfig = options.delivery === 'connected';
  const policy = () => (hasConfig ? config.policy() : presetPolicy('balanced'));
  const checkClock = createClockCheck(host.now, () => client);
  const client = createClient(host, {
    sdkName: SDK_NAME,
    sdkVersion: SDK_VERSION,
    service,
    ...limitsOf(given),
    eventBytes: EVENT_BYTES,
    stormMax: STORM_MAX,
    startCleaner,
    judge: createJudge(policy),
    steps: [
      createIgnoreStep(given),
      ...stepOf(given, startCleaner),
      createRulesStep(config.rules, () => client.now()),
      createSamplingStep(number(given.sampleRate, 1, 0, 1)),
    ],
    onDirectives: (list) => directives.set(list),
    onAnswer: (answer) => {
      checkClock(answer);
      noteAnswer(answer);
    },
    onStopped: () => config.recheck(),
  });
  const spooling =
    spool === null
      ? null
      : createSpooling(
          host,
          () => client,
          spool,
          (batch) => own.run(() => delivery.send(batch)),
        );
  const git = findGit(given.git, ENVIRONMENT, options.delivery === 'local');
  const runtime: Runtime = {
    options,
    host,
    client,
    scopes,
    dependencies: createDependencyMonitor(),
    git,
    // An application that is loaded after the library may set it.
    get release() {
      return (
        options.release ??
        readReleaseOfBuild() ??
        options.environmentRelease ??
        shortCommit(git) ??
        nearest.version
      );
    },
    startCleaner,
    policy,
    directives,
    probes: createProbes({
      now: () => client.now(),
      ring: createProbeRing({ now: () => client.now(), startCleaner }),
      directives,
      isStandalone: () => policy()?.capture_probe_events === 'standalone_when_activated',
      emit: (payload) => client.capture({ type: 'probe_event', payload: {}, ready: payload }),
    }),
    triggers: createTriggers({ service, now: () => client.now(), key: config.triggerKey }),
    isUnfiltered: !given.ignoreErrors?.length,
    isPlain: () => typeof given.beforeSend !== 'function' && config.rules().length === 0,
    newId: createEventIds(host),
    waitingUnits: new Set(),
  };
  return {
    runtime,
    delivery,
    spool,
    spooling,
    verdicts,
    report,
    startConfig() {
      // After the host's own start: the request loads `node:http`.
      if (!hasConfig) return;
      const starting = setImmediate(() => own.run(config.start));
      starting.unref();
      cancelStart = () => clearImmediate(starting);
    },
    stopConfig() {
      cancelStart();
      config.stop();
    },
  };
}

/** Reports what concerns only the options, also where nothing is captured. */
export function createReporter(
  options: ResolvedOptions,
): (code: DiagnosticCode, data?: DiagnosticData) => void {
  const { given, token, endpoint, isDebug, environment } = options;
  const print = createDiagnosticPrinter({
    print: (line) => process.stderr.write(`${line}\n`),
    onDiagnostic: typeof given.onDiagnostic === 'function' ? given.onDiagnostic : undefined,
    debug: isDebug,
    isProduction: environment === 'production',
    data: () => ({
      versions: 'Node.js 20 or newer',
      origin: 'the origin',
      ...(token === null ? {} : { token: tokenPreview(token) }),
      ...(endpoint === null
        ? {}
        : { address: endpoint.events, host: new URL(endpoint.events).host, origin: endpoint.origin }),
    }),
  });
  return (code, data = {}) => print(code, data);
}

function openSpoolOf(
  { spool, service, endpoint, token }: ResolvedOptions,
  { isSpooled }: DeliveryParts,
  report: ClientParts['report'],
): Spool | null {
  if (spool === null || !isSpooled) return null;
  const { directory, maxBytes } = spool;
  const bounds = maxBytes === null ? SPOOL_BOUNDS : { ...SPOOL_BOUNDS, maxBytes };
  const owner = () => ownerOf(endpoint?.events ?? null, token);
  const onLeft = (left: LeftFiles) => report('spool_left', { ...left });
  return openSpool({ parent: directory, owner, service, now: Date.now, bounds, onLeft });
}

function stepOf({ beforeSend }: NodeOptions, startCleaner: Runtime['startCleaner']): Step[] {
  return typeof beforeSend === 'function' ? [createBeforeSendStep(beforeSend, startCleaner)] : [];
}

function limitsOf(given: NodeOptions) {
  const intervalMs = number(given.flushIntervalMs, INTERVAL_MS, 100, 60_000);
  return {
    batchEvents: Math.round(number(given.batchEvents, BATCH_EVENTS, 1, 500)),
    batchBytes: BATCH_BYTES,
    intervalMs,
    signalIntervalMs: Math.min(SIGNAL_INTERVAL_MS, intervalMs),
    maxEvents: Math.round(number(given.maxBufferedEvents, MAX_EVENTS, 1, 10_000)),
    maxBytes: MAX_BYTES,
    staleMs: STALE_MS,
  };
}

function number(value: unknown, otherwise: number, least: number, most: number): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(most, Math.max(least, value))
    : otherwise;
}

function texts(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : [];
}
