import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

const PREFIX = 'virtual:icon/';
const SIZE = '16';

/** `virtual:icon/<name>` is the path data of one icon in the size that the dashboard uses, and nothing else of it. */
export function icons(): Plugin {
  const all: unknown = createRequire(import.meta.url)('@primer/octicons/build/data.json');
  return {
    name: 'culprit-icons',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null;
      const name = id.slice(PREFIX.length + 1);
      const markup = pathOf(all, name);
      if (markup === null) throw new Error(`there is no icon "${name}"`);
      const paths = [...markup.matchAll(/ d="([^"]+)"/g)].map(([, data]) => data);
      return `export default ${JSON.stringify(paths.join(''))};`;
    },
  };
}

function pathOf(all: unknown, name: string): string | null {
  let value = all;
  for (const key of [name, 'heights', SIZE, 'path']) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = Object.entries(value).find(([each]) => each === key)?.[1];
  }
  return typeof value === 'string' ? value : null;
}
