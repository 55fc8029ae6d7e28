import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/test/support/eventually.ts';
import { KEYS, startAtTerminal } from '../support/at-terminal.ts';
import { builtCli, type CliHome, createCliHome, environmentOf } from '../support/built-cli.ts';

/** Completion in the shells themselves (C-37). */

const HOSTILE_NAMES = ['$(touch owned)', '`touch owned`', 'a;touch owned', 'a b', '\u001b]0;owned\u0007'];
/** What each line becomes when TAB is pressed behind it. */
const COMPLETED: readonly (readonly [typed: string, completed: string])[] = [
  ['culprit incid', 'culprit incidents '],
  ['culprit incidents li', 'culprit incidents list '],
  ['culprit incidents list --sev', 'culprit incidents list --severity'],
  ['culprit projects use web-', 'culprit projects use web-shop '],
  ['culprit incidents list --service web-a', 'culprit incidents list --service web-api '],
];

let home: CliHome;
let server: Server;
let connections = 0;
let environment: Record<string, string>;
beforeAll(async () => {
  home = await createCliHome();
  const program = home.write(
    'bin/culprit',
    `#!/bin/sh\nexec '${process.execPath}' '${await builtCli()}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  home.write(
    '.local/state/culprit/names.json',
    JSON.stringify({ projects: ['web-shop'], services: ['web-api', ...HOSTILE_NAMES] }),
  );
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  environment = {
    PATH: `${home.path}/bin:${process.env.PATH ?? ''}`,
    CULPRIT_URL: `http://127.0.0.1:${port}`,
    CULPRIT_TOKEN: `svc_mem_${'a'.repeat(40)}`,
  };
});
afterAll(() => {
  server.close();
  home.remove();
});
afterEach(() => expect(connections).toBe(0));

function has(shell: string): boolean {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isThere) console.warn(`${shell} is not installed, so its completion is not tested`);
  return isThere;
}

async function writeScript(shell: string, file: string): Promise<void> {
  const { code, out } = await home.run(['completion', shell]);
  expect(code).toBe(0);
  home.write(file, out);
}

describe('completion', () => {
  it('in bash gives commands, flags and names, also behind = and @, and none that a shell would obey', async () => {
    await writeScript('bash', 'culprit.bash');
    home.write(
      'ask.bash',
      `. ./culprit.bash; . ./culprit.bash
ask() { COMP_LINE="$1"; COMP_POINT=\${#1}; COMPREPLY=(); _culprit; echo "\${COMPREPLY[*]}"; }
ask 'culprit incid'
ask 'culprit incidents li'
ask 'culprit projects use web-'
ask 'culprit incidents list --status=re'
ask 'culprit bundle @l'
ask 'culprit incidents list --service '
ask 'culprit send ev'
`,
    );
    const { stdout, stderr } = spawnSync('bash', ['--norc', '--noprofile', 'ask.bash'], {
      cwd: home.path,
      env: environmentOf(home.path, environment),
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({
      stdout: 'incidents\nlist links link\nweb-shop\nresolved regressed\nlatest\nweb-api\n\n',
      stderr: '',
    });
  });

  it.runIf(has('zsh'))('in zsh gives commands, flags and names', { timeout: 120_000 }, async () => {
    await writeScript('zsh', '.zfunc/_culprit');
    home.write(
      '.zshrc',
      `fpath=("$HOME/.zfunc" $fpath)
autoload -Uz compinit && compinit -u -d "$HOME/.zcompdump"
# Ctrl-X writes down what stands in the line, and empties it.
show() { print -r -- "$BUFFER|" > "$HOME/line"; BUFFER= }
zle -N show
bindkey '^X' show
print ready
`,
    );
    const screen = startAtTerminal(home, 'exec zsh -i', {
      environment: { ...environment, ZDOTDIR: home.path },
    });
    await eventually(() => expect(screen.text()).toContain('ready'));
    for (const [typed, completed] of COMPLETED) {
      home.write('line', '');
      screen.type(`${typed}${KEYS.tab}\u0018`);
      await eventually(() => expect(home.read('line'), typed).not.toBe(''), 30_000);
      expect(home.read('line')).toContain(completed.endsWith(' ') ? `${completed}|\n` : completed);
    }
    screen.type('exit\r');
    await screen.ended;
  });

  it.runIf(has('fish'))('in fish gives commands, flags and names', async () => {
    await writeScript('fish', 'culprit.fish');
    for (const [typed, completed] of COMPLETED) {
      const script = `source culprit.fish; complete -C '${typed}'`;
      const { stdout } = spawnSync('fish', ['--no-config', '-c', script], {
        cwd: home.path,
        env: environmentOf(home.path, environment),
        encoding: 'utf8',
      });
      const offered = stdout.split('\n').map((line) => line.split('\t')[0]);
      expect(offered, typed).toContain(completed.trim().split(' ').at(-1));
    }
  });

  it('offers no name that a shell would obey', async () => {
    const { out } = await home.run(['complete', '--', 'incidents', 'list', '--service', '']);
    expect(out).toBe('web-api\t\n:4\n');
  });
});
