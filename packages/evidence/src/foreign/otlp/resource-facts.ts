import { cleanText } from '../../events/envelope/clean-text.ts';
import type { JsonObject } from '../../events/envelope/json.ts';
import type { StackLanguage } from '../../events/fingerprint/stack/forms/frame-form.ts';
import { languageNamed } from '../../events/fingerprint/stack/stack-language.ts';
import { countOf, filled, keptAttributes, textOf, unlessEmpty } from './attribute-values.ts';

/** The facts about its origin that every event of a resource has (docs/contract/foreign-protocols.md 8.4). */
export interface ResourceFacts {
  /** The parts of an envelope that the resource decides. */
  head: JsonObject;
  /** One word for service and environment. */
  place: string;
  release: string | null;
  runtime: JsonObject | undefined;
  /** A page or an app of a device, whose exceptions are those of a front end. */
  device: JsonObject | undefined;
  language: StackLanguage | null;
  /** Attributes without a place of their own. */
  rest: JsonObject | undefined;
}

const NAME_CHARS_MAX = 200;
const WORD_CHARS_MAX = 64;
const LANGUAGE_CHARS_MAX = 32;
const REST_MAX = 50;
const REST_CHARS_MAX = 16_384;

/** The words of ours for those of `telemetry.sdk.language`. */
const RUNTIMES: Readonly<Record<string, string>> = {
  nodejs: 'node',
  webjs: 'browser',
  java: 'jvm',
  cpp: 'native',
  erlang: 'elixir',
};
/** Runtimes of the same language that name themselves. */
const NAMED_RUNTIMES: ReadonlySet<string> = new Set(['bun', 'deno']);
const DEVICE_SYSTEMS = /^(?:android|ios|ipados|tvos|watchos|visionos)$/i;

export function resourceFacts(resource: JsonObject, keyService: string): ResourceFacts {
  const sdkLanguage = textOf(resource, ['telemetry.sdk.language'], LANGUAGE_CHARS_MAX)?.toLowerCase() ?? null;
  const runtimeName = textOf(resource, ['process.runtime.name'], WORD_CHARS_MAX);
  const runtimeWord = runtimeWordOf(sdkLanguage, runtimeName);
  const name = serviceName(resource) ?? keyService;
  const environment =
    nameOf(resource, ['deployment.environment.name', 'deployment.environment']) ?? 'production';
  const release = textOf(resource, ['service.version'], NAME_CHARS_MAX);
  return {
    head: {
      schema_version: 'otlp-1',
      sdk_name: sdkLanguage === null ? 'opentelemetry' : `opentelemetry-${sdkLanguage}`,
      sdk_version: textOf(resource, ['telemetry.sdk.version'], WORD_CHARS_MAX) ?? '0',
      ...filled({ sdk_language: sdkLanguage === 'webjs' ? 'javascript' : sdkLanguage }),
      service: filled({ name, environment, runtime: runtimeWord }),
    },
    place: `${name}\n${environment}`,
    release,
    runtime: unlessEmpty(
      filled({
        name: runtimeName,
        version: textOf(resource, ['process.runtime.version'], WORD_CHARS_MAX),
        pid: countOf(resource, ['process.pid']),
        hostname: textOf(resource, ['host.name'], NAME_CHARS_MAX),
        arch: textOf(resource, ['host.arch'], WORD_CHARS_MAX),
        platform: textOf(resource, ['os.type'], WORD_CHARS_MAX),
        cwd: textOf(resource, ['process.working_directory'], 4_096),
      }),
    ),
    device: isOnDevice(resource, sdkLanguage) ? deviceOf(resource, release) : undefined,
    language: languageNamed(sdkLanguage === 'webjs' ? 'javascript' : (sdkLanguage ?? runtimeName)),
    rest: unlessEmpty(
      keptAttributes([resource], (key) => !USED.has(key), {
        entriesMax: REST_MAX,
        charsMax: REST_CHARS_MAX,
      }),
    ),
  };
}

/** Libraries make up a name where the application has none. */
function serviceName(resource: JsonObject): string | null {
  const name = nameOf(resource, ['service.name']);
  return name?.startsWith('unknown_service') === true ? null : name;
}

/** A name of a service or an environment. */
function nameOf(resource: JsonObject, names: readonly string[]): string | null {
  const name = textOf(resource, names, NAME_CHARS_MAX * 2)?.trim() ?? '';
  return name === '' ? null : cleanText(name, NAME_CHARS_MAX).trim();
}

function runtimeWordOf(language: string | null, runtimeName: string | null): string | null {
  const named = runtimeName?.toLowerCase() ?? '';
  if (NAMED_RUNTIMES.has(named)) return named;
  if (language === null) return named === '' ? null : named;
  return Object.hasOwn(RUNTIMES, language) ? (RUNTIMES[language] ?? null) : language;
}

function isOnDevice(resource: JsonObject, language: string | null): boolean {
  if (language === 'webjs') return true;
  const system = textOf(resource, ['os.name'], WORD_CHARS_MAX);
  return system !== null && DEVICE_SYSTEMS.test(system.trim());
}

function deviceOf(resource: JsonObject, release: string | null): JsonObject {
  const system = filled({
    name: textOf(resource, ['os.name', 'browser.platform'], NAME_CHARS_MAX),
    version: textOf(resource, ['os.version'], NAME_CHARS_MAX),
  });
  return filled({
    user_agent: textOf(resource, ['user_agent.original', 'browser.user_agent', 'http.user_agent'], 1_024),
    language: textOf(resource, ['browser.language'], WORD_CHARS_MAX),
    model: textOf(resource, ['device.model.name', 'device.model.identifier'], NAME_CHARS_MAX),
    manufacturer: textOf(resource, ['device.manufacturer'], NAME_CHARS_MAX),
    app_version: release,
    os: unlessEmpty(system),
  });
}

const USED: ReadonlySet<string> = new Set([
  'service.name',
  'service.version',
  'deployment.environment.name',
  'deployment.environment',
  'telemetry.sdk.language',
  'telemetry.sdk.version',
  'telemetry.sdk.name',
  'process.runtime.name',
  'process.runtime.version',
  'process.pid',
  'process.working_directory',
  'host.name',
  'host.arch',
  'os.type',
]);
