import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../config/json-file.ts';
import type { Application } from './application.ts';

/** The files in which other languages list their dependencies, and the names of Sentry's library in them. */
const MANIFESTS: readonly (readonly [file: string, names: RegExp])[] = [
  ['requirements.txt', /^sentry[-_]sdk\b/im],
  ['pyproject.toml', /\bsentry[-_]sdk\b/i],
  ['Pipfile', /^["']?sentry[-_]sdk\b/im],
  ['Gemfile', /^[ \t]*gem ["']sentry-\w/m],
  ['composer.json', /"sentry\/sentry\w*(?:-\w+)?"/],
  ['go.mod', /\bgithub\.com\/getsentry\/sentry-go\b/],
  ['pom.xml', /<groupId>io\.sentry<\/groupId>/],
  ['build.gradle', /\bio\.sentry\b/],
  ['build.gradle.kts', /\bio\.sentry\b/],
  ['Cargo.toml', /^sentry\b/m],
  ['mix.exs', /\{:sentry,/],
  ['pubspec.yaml', /^[ \t]+sentry(?:_flutter)?:/m],
];
const MANIFEST_BYTES_MAX = 1_048_576;

/**
 * Returns the alternative for an application that already has another vendor's library: it changes one address
 * (docs/switching.md). Null for an application that has none.
 */
export function foreignLibraryWords({ directory, dependencies }: Application): string | null {
  const names = [...dependencies];
  const sentry =
    names.find((name) => name.startsWith('@sentry/')) ??
    MANIFESTS.find(([file, pattern]) => pattern.test(contentOf(join(directory, file))))?.[0];
  if (sentry !== undefined) {
    return [
      sentry.startsWith('@')
        ? `This application has ${sentry} , which can stay:`
        : `${sentry} uses a Sentry library, which can stay:`,
      'give it the DSN of this project. Nothing else changes.',
      '',
      '  culprit dsn --env SENTRY_DSN',
    ].join('\n');
  }
  const telemetry = names.find((name) => name.startsWith('@opentelemetry/'));
  if (telemetry === undefined) return null;
  return [
    `This application has ${telemetry} , whose exporters can send here with four variables:`,
    'the setup page of the project lists them.',
  ].join('\n');
}

function contentOf(path: string): string {
  try {
    if (statSync(path).size > MANIFEST_BYTES_MAX) return '';
  } catch {
    return '';
  }
  return readIfThere(path) ?? '';
}
