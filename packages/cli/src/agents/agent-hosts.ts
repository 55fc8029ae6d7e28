import { join } from 'node:path';
import { type Environment, homeOf, variable } from '../config/folders.ts';

/** Programs with coding agents that start servers of the Model Context Protocol. */
export const AGENT_HOSTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'gemini'] as const;
type AgentHost = (typeof AGENT_HOSTS)[number];
export const AGENT_CHOICES = [...AGENT_HOSTS, 'none'] as const;

/** The file in which a host stores its servers, and its form. */
export interface HostFile {
  path: string;
  /** Key of the servers: of the object in JSON, of the tables in TOML. */
  key: string;
  format: 'json' | 'toml';
  /** The further fields that the host requires. */
  more: Readonly<Record<string, string>>;
}

/** The file of a host: of the project where it has one, else of the user. */
export function hostFile(
  host: AgentHost,
  { directory, environment, platform }: { directory: string; environment: Environment; platform: string },
): HostFile {
  const home = homeOf(environment);
  const json = { key: 'mcpServers', format: 'json', more: {} } as const;
  switch (host) {
    case 'claude-code':
      return { path: join(directory, '.mcp.json'), ...json };
    case 'claude-desktop': {
      const folder =
        platform === 'darwin'
          ? join(home, 'Library', 'Application Support')
          : (variable(environment, 'XDG_CONFIG_HOME') ?? join(home, '.config'));
      return { path: join(folder, 'Claude', 'claude_desktop_config.json'), ...json };
    }
    case 'cursor':
      return { path: join(directory, '.cursor', 'mcp.json'), ...json };
    case 'vscode':
      return {
        path: join(directory, '.vscode', 'mcp.json'),
        key: 'servers',
        format: 'json',
        more: { type: 'stdio' },
      };
    case 'codex':
      return {
        path: join(variable(environment, 'CODEX_HOME') ?? join(home, '.codex'), 'config.toml'),
        key: 'mcp_servers',
        format: 'toml',
        more: {},
      };
    case 'gemini':
      return { path: join(directory, '.gemini', 'settings.json'), ...json };
  }
}
