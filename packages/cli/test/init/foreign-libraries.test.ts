import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Application } from '../../src/init/application.ts';
import { foreignLibraryWords } from '../../src/init/foreign-libraries.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function application(files: Readonly<Record<string, string>>, ...dependencies: string[]): Application {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-init-'));
  folders.push(directory);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return {
    directory,
    manifest: null,
    dependencies: new Set(dependencies),
    service: 'shop',
    isServiceKnown: false,
    isWorkspaceRoot: false,
  };
}

it.each([
  ['requirements.txt', 'flask==3.0\nsentry-sdk[flask]>=2\n'],
  ['pyproject.toml', 'dependencies = ["sentry_sdk"]'],
  ['Gemfile', "source 'x'\n  gem 'sentry-rails'\n"],
  ['composer.json', '{"require":{"sentry/sentry-laravel":"^4"}}'],
  ['go.mod', 'require github.com/getsentry/sentry-go v0.29.1'],
  ['pom.xml', '<dependency><groupId>io.sentry</groupId></dependency>'],
  ['build.gradle.kts', 'id("io.sentry.android.gradle")'],
  ['Cargo.toml', '[dependencies]\nsentry = "0.34"\n'],
  ['mix.exs', '{:sentry, "~> 10.0"}'],
  ['pubspec.yaml', 'dependencies:\n  sentry_flutter: ^8.8.0\n'],
])('the library that %s names can stay', (file, content) => {
  const words = foreignLibraryWords(application({ [file]: content }));
  expect(words).toContain(file);
  expect(words).toContain('culprit dsn --env SENTRY_DSN');
});

it('so can those of JavaScript, and exporters of OpenTelemetry', () => {
  expect(foreignLibraryWords(application({}, 'express', '@sentry/node'))).toContain('@sentry/node');
  expect(foreignLibraryWords(application({}, '@opentelemetry/sdk-node'))).toContain('four variables');
});

it('an application without one is told nothing', () => {
  const files = { 'requirements.txt': 'flask\n# not sentry-sdk\n', 'Cargo.toml': 'name = "sentry-gun"' };
  expect(foreignLibraryWords(application(files, 'express'))).toBeNull();
});
