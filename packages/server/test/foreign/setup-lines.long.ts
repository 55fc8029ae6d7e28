import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLATFORMS, type Platform, type SetupPlace } from '@culprit/contract/setup/setup-platforms';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HostFolder, hostFolder } from '../../../sdk-test-hosts/hosts.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { runCommand } from '../support/run-command.ts';
import { sentryTarget } from '../support/sentry-client.ts';

/**
 * F-75 of docs/contract/foreign-protocols.md: what the setup screen shows for libraries of others, run as it is shown.
 * What the screen waits for is the first incident of the project, and the use of the key before. Languages of Debian's
 * packages are passed over where these are not installed.
 */

const RUN_MAX_MS = 180_000;
const GO = { GOPATH: '/usr/share/gocode', GO111MODULE: 'off', GOFLAGS: '', CGO_ENABLED: '0' };

interface Runner {
  /** What shows that language and library are there. */
  needs: readonly [command: string, ...args: string[]];
  file: string;
  /** A program of the two lines. */
  program: (init: string, test: string) => string;
  run: readonly [command: string, ...args: string[]];
  env?: NodeJS.ProcessEnv;
}

/** The lines of these stand in a program; those of the others are commands of a shell. */
const RUNNERS: { [id: string]: Runner } = {
  'sentry-ruby': {
    needs: ['ruby', '-e', "require 'sentry-ruby'"],
    file: 'app.rb',
    program: (init, test) =>
      `require 'sentry-ruby'\n${init}\nSentry.configuration.background_worker_threads = 0\n${test}\n`,
    run: ['ruby'],
  },
  'sentry-go': {
    needs: ['go', 'list', 'github.com/getsentry/sentry-go'],
    file: 'main.go',
    program: (init, test) => `package main

import (
	"errors"
	"time"

	"github.com/getsentry/sentry-go"
)

func main() {
	${init}
	${test}
	sentry.Flush(10 * time.Second)
}
`,
    run: ['go', 'run'],
    env: GO,
  },
};
const SHELL: { [id: string]: readonly [command: string, ...args: string[]] } = {
  'sentry-javascript': ['node', '--version'],
  'sentry-python': ['/usr/bin/python3', '-c', 'import sentry_sdk'],
  opentelemetry: ['curl', '--version'],
  curl: ['curl', '--version'],
};

let host: HostFolder;
let culprit: TestCulprit;
let folder: string;
beforeAll(async () => {
  host = await hostFolder({ '@sentry/node': 'sentry-node-11' });
  culprit = await startCulprit();
  folder = mkdtempSync(join(tmpdir(), 'culprit-setup-lines-'));
}, 600_000);
afterAll(async () => {
  await culprit.stop();
  await host.remove();
  await rm(folder, { recursive: true, force: true });
});

// The system's Python has the library, another one in front of it has not.
const PATH = `/usr/bin:${process.env.PATH}`;

function platformOf(id: string): Platform {
  const platform = PLATFORMS.find((each) => each.id === id);
  if (platform === undefined) throw new Error(`the setup screen has no ${id}`);
  return platform;
}

it.for([...Object.keys(RUNNERS), ...Object.keys(SHELL)])(
  'F-75 the lines of %s end in the incident that the setup screen waits for',
  { timeout: RUN_MAX_MS },
  async (id, { skip }) => {
    const runner = RUNNERS[id];
    const needs = runner?.needs ?? SHELL[id] ?? ['false'];
    const [command, ...args] = needs;
    const found = await runCommand(command, args, { cwd: folder, env: runner?.env ?? {} });
    if (found.code !== 0) return skip(`${needs.join(' ')} failed`);
    const client = await connect(culprit, { preset: 'balanced' });
    const target = await sentryTarget(culprit, client.project);
    const place: SetupPlace = {
      token: client.project.projectToken,
      dsn: `${culprit.url.replace('://', `://${target.key}@`)}/${target.number}`,
      baseUrl: culprit.url,
      packages: null,
    };
    const steps = platformOf(id).steps(place);
    const test = steps.at(-1)?.code ?? '';
    if (runner === undefined) {
      const { output } = await runCommand('/bin/sh', ['-c', test], { cwd: host.path, env: { PATH } });
      expect(output).not.toMatch(/not found|Cannot find|No module/);
    } else {
      const file = join(folder, runner.file);
      writeFileSync(file, runner.program(steps[0]?.code ?? '', test));
      const [program, ...first] = runner.run;
      const env = { ...runner.env, GOCACHE: join(folder, 'cache') };
      const { code, output } = await runCommand(program, [...first, file], { cwd: folder, env });
      expect(code, output).toBe(0);
    }
    const { title } = await client.only(1);
    expect(title).toContain('Hello from');
    if (platformOf(id).credential !== 'dsn') return;
    const { body } = await target.owner.get(target.keysPath);
    expect(body).toMatchObject({ keys: [{ last_used_at: expect.any(String) }] });
  },
);
