import { ENVIRONMENT } from '../facts/environment.ts';
import { readNearestPackage } from '../facts/nearest-package.ts';
import { workingDirectory } from '../facts/runtime-facts.ts';
import { attempt } from './attempt.ts';
import type { Implementation } from './implementation.ts';
import { INACTIVE_DIAGNOSTICS } from './inactive.ts';
import type { NodeOptions } from './node-options.ts';
import { register, unregister } from './registry.ts';
import { resolveOptions } from './resolve-options.ts';
import { RunningClient } from './running-client.ts';
import { createParts, createReporter } from './start-client.ts';

let running: RunningClient | null = null;

/** The functions of this copy of the package, once `init` has started them. */
export const implementation: Implementation = createImplementation();

function createImplementation(): Implementation {
  const client = (): RunningClient => {
    if (running === null) throw new Error('not initialized');
    return running;
  };
  const own: Implementation = {
    init: (options) => start(options, own),
    captureException: (error, hint) => client().captureException(error, hint),
    captureMessage: (message, level, attributes, isCaptured) =>
      client().captureMessage(message, level, attributes, isCaptured),
    captureRequest: (request, response, hint) => client().captureRequest(request, response, hint),
    captureFrameworkError: (error, facts) => client().captureFrameworkError(error, facts),
    captureLogLine: (line) => client().captureLogLine(line),
    addBreadcrumb: (crumb) => client().addBreadcrumb(crumb),
    setUser: (user) => client().setUser(user),
    setTag: (key, value) => client().scope.setTag(key, value),
    setTags: (tags) => client().scope.assign({ tags }),
    setContext: (name, value) => client().scope.setContext(name, value),
    setRoute: (template, framework) => client().setRoute(template, framework),
    withScope: (run) => client().withScope(run),
    currentScope: () => client().currentScope(),
    withRequest: (info, run) => client().withRequest(info, run),
    openRequest: (info) => client().openRequest(info),
    openJob: (name) => client().openJob(name),
    leaveRequest: () => client().leaveRequest(),
    answerApart: () => client().answerApart(),
    finishRequest: (response) => client().finishRequest(response),
    relayTarget: () => client().relayTarget,
    withJob: (name, run, flushMs) => client().withJob(name, run, flushMs),
    probe: (label, value, options) => client().probe(label, value, options),
    announceDeploy: (deploy) => client().announceDeploy(deploy),
    verifySetup: () => client().verifySetup(),
    getTraceId: () => client().getTraceId(),
    traceHeaders: (url) => client().traceHeaders(url),
    flush: (timeoutMs) => client().flush(timeoutMs),
    async close(timeoutMs) {
      const closing = running;
      if (closing === null) return true;
      const isEmpty = await closing.close(timeoutMs);
      running = null;
      unregister(own);
      return isEmpty;
    },
    getDiagnostics: () => running?.getDiagnostics() ?? INACTIVE_DIAGNOSTICS,
    lastEventId: () => running?.lastEventId ?? null,
    isEnabled: () => running?.isEnabled ?? false,
  };
  return own;
}

function start(host: unknown, own: Implementation): boolean {
  if (running !== null) {
    running.report('already_initialized');
    return running.isEnabled;
  }
  const given: NodeOptions = typeof host === 'object' && host !== null ? host : {};
  let client: RunningClient | null;
  try {
    client = createClient(given);
  } catch {
    client = createClient(readable(given));
  }
  if (client === null) return false;
  running = client;
  register(own);
  client.start();
  return true;
}

/** Null where the options or the environment want none. */
function createClient(given: NodeOptions): RunningClient | null {
  const isEnabled = given.enabled ?? !/^(?:false|0)$/i.test(ENVIRONMENT.CULPRIT_ENABLED ?? '');
  if (!isEnabled) return null;
  const cwd = workingDirectory() ?? '/';
  const nearest = readNearestPackage(process.argv[1], cwd);
  const { options, faults } = resolveOptions(given, ENVIRONMENT, nearest, cwd);
  const isOff = options.delivery === 'off';
  const parts = isOff ? null : createParts(options, nearest);
  const client = parts === null ? null : new RunningClient(parts);
  const report = parts?.report ?? createReporter(options);
  for (const { code, data } of faults) report(code, data);
  return client;
}

/** The options that can be read: one that throws when it is looked at counts as absent. */
function readable(given: NodeOptions): NodeOptions {
  const names = attempt(() => Object.keys(given)) ?? [];
  const entries = names.map((name) => attempt((): [string, unknown] => [name, readWhole(given, name)]));
  return Object.fromEntries(entries.filter((entry) => entry !== undefined));
}

/** The value of an option, after everything in it was read once. */
function readWhole(given: NodeOptions, name: string): unknown {
  const value: unknown = Reflect.get(given, name);
  if (typeof value !== 'object' || value === null) return value;
  const members: unknown[] = Array.isArray(value) ? [...value] : Object.values(value);
  for (const member of members) if (typeof member === 'object' && member !== null) Object.values(member);
  return value;
}
