import { cleanText } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { getOwn } from '../../events/envelope/own-property.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import type { SentrySource } from './sentry-source.ts';
import { filled, namedValue, textOf, valuesOf } from './written-values.ts';

const NAME_CHARS_MAX = 200;
const WORD_CHARS_MAX = 64;

/** Service, environment, runtime and framework of an event (docs/contract/foreign-protocols.md 5.1). */
export function serviceOf(event: JsonObject, source: SentrySource): JsonObject {
  return filled({
    name: serviceName(event) ?? fallbackName(source),
    environment: name(event.environment) ?? 'production',
    runtime: runtimeWord(event),
    framework: framework(event, source),
  });
}

function serviceName(event: JsonObject): string | null {
  const named = name(namedValue(event.tags, 'service')) ?? name(namedValue(event.tags, 'service.name'));
  if (named !== null) return named;
  const resource = objectOrEmpty(objectOrEmpty(objectOrEmpty(event.contexts).otel).resource);
  // Libraries write their own name there where the application gave none.
  return resource['service.namespace'] === 'sentry' ? null : name(resource['service.name']);
}

export function fallbackName(source: SentrySource): string {
  return name(source.serviceName) ?? 'unknown';
}

/** A name of a service or an environment. */
function name(value: JsonValue | undefined): string | null {
  const text = textOf(value, NAME_CHARS_MAX * 2)?.trim() ?? '';
  return text === '' ? null : cleanText(text, NAME_CHARS_MAX).trim();
}

const RUNTIMES: readonly [RegExp, string][] = [
  [/^node/, 'node'],
  [/^bun/, 'bun'],
  [/^deno/, 'deno'],
  [/python|^pypy/, 'python'],
  [/ruby/, 'ruby'],
  [/^go(?:lang)?$/, 'go'],
  [/^(?:php|hhvm)/, 'php'],
  [/^java(?!script)|jdk|jvm|jre|kotlin|graal|temurin|corretto|zulu|dalvik/, 'jvm'],
  [/^\.net|^dotnet|^mono|coreclr/, 'dotnet'],
  [/^rust/, 'rust'],
];

const PLATFORM_RUNTIMES: Readonly<Record<string, string>> = {
  javascript: 'browser',
  java: 'jvm',
  csharp: 'dotnet',
  cocoa: 'swift',
};

const WORD = /^[a-z][a-z0-9_-]{0,39}$/i;

/** A runtime by our word for it, also where its name holds a version (`ruby3.1`); null for one that is not known. */
export function knownRuntime(named: string | null): string | null {
  return RUNTIMES.find(([pattern]) => pattern.test(named?.toLowerCase() ?? ''))?.[1] ?? null;
}

function runtimeWord(event: JsonObject): string | null {
  const named = textOf(objectOrEmpty(objectOrEmpty(event.contexts).runtime).name, WORD_CHARS_MAX);
  const word = knownRuntime(named) ?? undefined;
  if (word !== undefined) return word;
  const platform = platformOf(event);
  if (platform === 'javascript' && sdkName(event).includes('react-native')) return 'react-native';
  // Workers of a cloud: no page names what it runs in.
  if (platform === 'javascript' && named !== null && WORD.test(named)) return named.toLowerCase();
  return platform === '' ? null : (getOwn(PLATFORM_RUNTIMES, platform)?.toString() ?? platform);
}

/** The language of an event in the makers' words; of its library where the event names none, or only how it is built. */
export function platformOf(event: JsonObject): string {
  const platform = textOf(event.platform, 32)?.trim().toLowerCase() ?? '';
  if (platform !== '' && platform !== 'other' && platform !== 'native') return platform;
  const [, library = ''] = /^sentry[.-]([a-z]{1,20})/.exec(sdkName(event)) ?? [];
  return LIBRARY_PLATFORMS.has(library) ? library : platform;
}

const LIBRARY_PLATFORMS: ReadonlySet<string> = new Set(
  'rust dart elixir perl python ruby go php java cocoa javascript native'.split(' '),
);

const FRAMEWORKS: ReadonlySet<string> = new Set(
  `express koa fastify hapi nestjs nextjs nuxt remix sveltekit astro solidstart gatsby react vue angular svelte ember solid
  django flask fastapi starlette tornado aiohttp bottle falcon pyramid sanic quart litestar celery rq huey dramatiq
  rails rack sinatra sidekiq resque delayed_job laravel symfony wordpress drupal yii2 slim
  spring quarkus micronaut ktor play vertx gin echo iris fiber negroni martini fasthttp
  aspnetcore aspnet blazor phoenix plug oban actix axum rocket mojolicious dancer catalyst
  flutter react-native maui xamarin unity unreal godot electron capacitor cordova`.split(/\s+/),
);

const FRAMEWORK_NAMES: Readonly<Record<string, string>> = {
  'spring-boot': 'spring',
  next: 'nextjs',
  'react-router': 'react',
  delayed_job_backend: 'delayed_job',
  'wp-sentry-integration': 'wordpress',
};

function framework(event: JsonObject, source: SentrySource): string | null {
  return (
    frameworkIn(sdkName(event) || sdkName({ sdk: jsonOf(source.sdk) })) ??
    frameworkIn(textOf(mechanismType(event), NAME_CHARS_MAX) ?? '')
  );
}

function sdkName(event: JsonObject): string {
  return textOf(objectOrEmpty(event.sdk).name, NAME_CHARS_MAX)?.toLowerCase() ?? '';
}

/** The last part of a dotted name that is a framework. */
function frameworkIn(dotted: string): string | null {
  for (const part of dotted.toLowerCase().split('.', 8).reverse()) {
    const word = getOwn(FRAMEWORK_NAMES, part)?.toString() ?? part;
    if (FRAMEWORKS.has(word)) return word;
  }
  return null;
}

function mechanismType(event: JsonObject): JsonValue | undefined {
  const last = valuesOf(event.exception).at(-1);
  return isJsonObject(last) ? objectOrEmpty(last.mechanism).type : undefined;
}

/** Returns a value that was JSON, with the type of JSON. */
export function jsonOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Name and version of the library: of the event, of its envelope, or as the request names it. */
export function sdkOf(event: JsonObject, source: SentrySource): { name: string; version: string } {
  for (const sdk of [objectOrEmpty(event.sdk), jsonOf(source.sdk)]) {
    const named = textOf(sdk.name, NAME_CHARS_MAX);
    if (named !== null) return { name: named, version: textOf(sdk.version, WORD_CHARS_MAX) ?? '0' };
  }
  const [named = '', version = ''] = (source.clientName ?? '').trim().split('/', 2);
  return {
    name: textOf(named.trim(), NAME_CHARS_MAX) ?? 'sentry',
    version: textOf(version.trim(), WORD_CHARS_MAX) ?? '0',
  };
}
