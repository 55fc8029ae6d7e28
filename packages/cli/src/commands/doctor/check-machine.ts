import { lstatSync } from 'node:fs';
import http from 'node:http';
import { variable } from '../../config/folders.ts';
import type { Context } from '../../context.ts';
import { credentialFilePath } from '../../credentials/credential-file.ts';
import { VERSION } from '../../version.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** Names of this program and of the client libraries; other names belong to the server. */
const KNOWN = new Set(
  [
    ...[
      'URL',
      'BASE_URL',
      'ENDPOINT',
      'TOKEN',
      'PROJECT_TOKEN',
      'PROJECT',
      'PROFILE',
      'NO_INPUT',
      'CONFIG_DIR',
    ],
    ...[
      'SERVICE',
      'ENVIRONMENT',
      'RELEASE',
      'COMMIT',
      'LOCAL_DIR',
      'DSN',
      'ENABLED',
      'MODE',
      'DEBUG',
      'FROM_WORKSPACE',
    ],
  ].map((name) => `CULPRIT_${name}`),
);
const OWNER_ONLY = 0o077;

/** Versions, variables of the environment, and files of this machine. */
export function checkMachine({ environment }: Context): Finding[] {
  const findings = [ok('program', `culprit ${VERSION}, Node ${process.versions.node}`)];
  const misspelt = Object.keys(environment)
    .filter((name) => name.startsWith('CULPRIT_') && !KNOWN.has(name))
    .flatMap((name) => {
      const near = [...KNOWN].find((known) => distance(known, name) <= 2);
      return near === undefined ? [] : [{ name, near }];
    });
  for (const { name, near } of misspelt)
    findings.push(warning('environment', `${name} is not a known variable`, `did you mean ${near}?`));
  if (misspelt.length === 0) findings.push(ok('environment', 'no unknown variables'));
  const proxy = ['HTTPS_PROXY', 'HTTP_PROXY'].find(
    (name) => variable(environment, name) !== null || variable(environment, name.toLowerCase()) !== null,
  );
  const canProxy = 'setGlobalProxyFromEnv' in http;
  if (proxy !== undefined && !canProxy) {
    findings.push(
      warning(
        'proxy',
        `${proxy} is set, but this Node does not use it`,
        'set NODE_USE_ENV_PROXY=1, or use Node 24.14',
      ),
    );
  }
  findings.push(credentialFileFinding(environment));
  return findings;
}

/** The file is only looked at here: reading it would correct its mode. */
function credentialFileFinding(environment: NodeJS.ProcessEnv): Finding {
  const path = credentialFilePath(environment);
  try {
    const status = lstatSync(path);
    if (!status.isFile()) return wrong('credentials', `${path} is not a file`, 'remove it and sign in again');
    if ((status.mode & OWNER_ONLY) !== 0) {
      return warning(
        'credentials',
        `${path} can be read by others`,
        `chmod 600 ${path}; it held tokens, so consider new ones`,
      );
    }
    return ok('credentials', path);
  } catch {
    return ok('credentials', 'nothing is stored');
  }
}

/** Letters to change, add or drop, up to three. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const change = (before[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      now.push(Math.min(change, (before[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1));
    }
    before = now;
  }
  return before[other.length] ?? 3;
}
