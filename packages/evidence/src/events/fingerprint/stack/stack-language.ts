import type { NormalizedEvent } from '../../normalize/event.ts';
import type { StackLanguage } from './forms/frame-form.ts';

/** The names of the languages in libraries, runtimes and frames. */
const LANGUAGES: readonly [RegExp, StackLanguage][] = [
  [/^(?:javascript|typescript|node|bun|deno|browser|js|ecmascript|hermes|react-?native|edge|workerd)/, 'js'],
  [/^(?:c?python|pypy|py$)/, 'python'],
  [/^(?:j?ruby|rb$|truffleruby)/, 'ruby'],
  [/^(?:php|hhvm)/, 'php'],
  [/^(?:java(?!script)|jvm|kotlin|scala|clojure|groovy|openjdk|android)/, 'jvm'],
  [/^(?:go$|golang|go\d|go )/, 'go'],
  [/^(?:dotnet|\.net|csharp|c#|f#|fsharp|vb|mono|unity|coreclr)/, 'dotnet'],
  [/^(?:swift|objective-?c|objc|ios|macos|cocoa)/, 'swift'],
  [/^(?:dart|flutter)/, 'dart'],
  [/^rust/, 'rust'],
  [/^(?:c$|c\+\+|cpp|native|zig)/, 'native'],
  [/^(?:elixir|erlang|beam)/, 'elixir'],
  [/^crystal/, 'crystal'],
  [/^perl/, 'perl'],
  [/^lua/, 'lua'],
  [/^(?:powershell|pwsh)/, 'powershell'],
  [/^julia/, 'julia'],
  [/^(?:haskell|ghc)/, 'haskell'],
  [/^r$/, 'r'],
];

export function languageNamed(name: string | null): StackLanguage | null {
  if (name === null || name === '') return null;
  const text = name.trim().toLowerCase();
  return LANGUAGES.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** The language that the library or the runtime of an event names. */
export function languageOf({ sdk, service, eventType }: NormalizedEvent): StackLanguage | null {
  if (eventType === 'frontend_exception') return languageNamed(sdk.language) ?? 'js';
  return languageNamed(sdk.language) ?? languageNamed(service.runtime);
}
