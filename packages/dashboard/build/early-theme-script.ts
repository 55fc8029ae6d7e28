import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import type { Plugin } from 'vite';

const SOURCE = new URL('../src/early-theme.ts', import.meta.url);

/** Loads the script that sets the chosen theme before everything else that the page loads, as a separate file. */
export function earlyTheme(): Plugin {
  let code = '';
  let fileName = '';
  return {
    name: 'culprit-early-theme',
    async buildStart() {
      code = stripTypeScriptTypes(await readFile(SOURCE, 'utf8')).replaceAll(/^\s*\/\*\*.*\*\/\n/gm, '');
      const hash = createHash('sha256').update(code).digest('hex').slice(0, 8);
      fileName = `assets/early-theme-${hash}.js`;
    },
    configureServer(server) {
      server.middlewares.use('/early-theme.js', (_request, response) => {
        response.setHeader('content-type', 'text/javascript');
        response.end(code);
      });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        return [scriptTag(bundle === undefined ? '/early-theme.js' : `/${fileName}`)];
      },
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: code });
    },
  };
}

function scriptTag(src: string) {
  return { tag: 'script', attrs: { src }, injectTo: 'head-prepend' as const };
}
