import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { AGENT_HOSTS, hostFile } from '../../agents/agent-hosts.ts';
import { isObject, readIfThere } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const SECRET = /svc_(?:mem|proj)_[0-9A-Za-z]{8}/;
const NAME = 'culprit';

/** Entries of coding agents that start this program: none needs a token, and each names a program that is there. */
export function checkAgents({ directory, environment }: Context): Finding[] {
  return AGENT_HOSTS.flatMap((host): Finding[] => {
    const { path, key, format } = hostFile(host, { directory, environment, platform: process.platform });
    const text = readIfThere(path);
    if (text === null) return [];
    if (SECRET.test(text)) {
      return [
        wrong(
          'agents',
          `${path} holds a token`,
          `revoke it; culprit mcp uses its own: culprit mcp config --client ${host} --write`,
        ),
      ];
    }
    const command = format === 'json' ? commandIn(text, key) : null;
    if (command === null) return [];
    return isThere(command, environment)
      ? [ok('agents', `${host} starts culprit mcp`)]
      : [
          warning(
            'agents',
            `${path} starts "${command}", which is not there`,
            `culprit mcp config --client ${host} --write`,
          ),
        ];
  });
}

/** Returns the command of our entry; null if there is none, or if it cannot be determined. */
function commandIn(text: string, key: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const servers = isObject(value) ? value[key] : null;
  const entry = isObject(servers) ? servers[NAME] : null;
  return isObject(entry) && typeof entry.command === 'string' ? entry.command : null;
}

function isThere(command: string, environment: NodeJS.ProcessEnv): boolean {
  const folders = isAbsolute(command) ? [''] : (environment.PATH ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
